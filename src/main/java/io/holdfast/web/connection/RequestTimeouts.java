package io.holdfast.web.connection;

import io.holdfast.web.connection.ConnectionMeters.Limit;
import io.holdfast.web.connection.IncomingRequest.Part;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Ticker;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Closes the connection of a client that is too slow. Stands directly behind the HTTP codec and
/// runs on the event loop of the connection.
///
/// Four limits: a header has to be complete in time, so has a body, a response has to be taken at a
/// minimum rate, and a connection without a request is closed after a while. Time during which the
/// service works on a request or does not read counts for none of them, so streams and slow
/// responses are not affected. A single byte now and then extends no limit.
///
/// A request that arrives in one piece costs a few fields and one look at the clock. Timers are set
/// only for requests in several pieces and for responses that the socket does not take at once.
final class RequestTimeouts extends ChannelDuplexHandler {
  private static final long LINGER_MS = 1_000;

  private final ConnectionMeters meters;
  private final DirectResponses responses;
  private final IncomingRequest incoming;
  private final WriteBacklog backlog;
  private final long idleNanos;

  private Ticker clock = Ticker.systemTicker();
  private @Nullable Future<?> check;
  private long checkAt;

  /// Requests of which the response is not written completely.
  private int unanswered;

  private boolean isResponding;
  private long idleSince;
  private boolean isClosing;

  RequestTimeouts(ConnectionSettings settings, ConnectionMeters meters, DirectResponses responses) {
    this.meters = meters;
    this.responses = responses;
    this.incoming = new IncomingRequest(settings);
    this.backlog = new WriteBacklog(settings);
    this.idleNanos = settings.idleTimeout().toNanos();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    clock = context.executor().ticker();
    idleSince = clock.nanoTime();
    checkBy(context, idleSince + idleNanos);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    cancelCheck();
    context.fireChannelInactive();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isClosing) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest request) {
      unanswered++;
      incoming.header(request);
    }
    if (message instanceof HttpContent content) {
      incoming.body(content);
    }
    context.fireChannelRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    incoming.endRead();
    if (incoming.incomplete() != Part.NONE && !isClosing) {
      var now = clock.nanoTime();
      if (incoming.pause(now)) {
        checkBy(context, incoming.deadline(now));
      }
    }
    context.fireChannelReadComplete();
  }

  @Override
  public void read(ChannelHandlerContext context) {
    if (incoming.isPaused()) {
      incoming.resume(clock.nanoTime());
    }
    context.read();
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (isClosing) {
      ReferenceCountUtil.release(message);
      promise.tryFailure(new ClosedChannelException());
      return;
    }
    if (message instanceof HttpResponse response) {
      isResponding = response.status().codeClass() != HttpStatusClass.INFORMATIONAL;
    }
    if (message instanceof LastHttpContent && isResponding) {
      isResponding = false;
      unanswered--;
      idleSince = clock.nanoTime();
    }
    context.write(message, promise);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    var now = clock.nanoTime();
    if (context.channel().isWritable()) {
      idleSince = now;
    } else {
      backlog.measure(context.channel(), now);
      checkBy(context, backlog.deadline());
    }
    context.fireChannelWritabilityChanged();
  }

  private void check(ChannelHandlerContext context) {
    check = null;
    var now = clock.nanoTime();
    var isWritable = context.channel().isWritable();
    var part = incoming.incomplete();
    if (part != Part.NONE && now - incoming.deadline(now) >= 0) {
      closeSlowSender(context, part);
    } else if (!isWritable
        && now - backlog.deadline() >= 0
        && !backlog.hasShrunk(context.channel(), now)) {
      close(context, Limit.WRITE);
    } else if (isWritable && isIdle() && now - idleSince >= idleNanos) {
      close(context, Limit.IDLE);
    } else {
      checkBy(context, next(now, isWritable));
    }
  }

  private boolean isIdle() {
    return unanswered == 0 && incoming.incomplete() == Part.NONE;
  }

  private long next(long now, boolean isWritable) {
    var next = isIdle() && isWritable ? idleSince + idleNanos : now + idleNanos;
    if (incoming.incomplete() != Part.NONE) {
      next = earlier(next, incoming.deadline(now));
    }
    return isWritable ? next : earlier(next, backlog.deadline());
  }

  /// A response can be written only if none is under way and no earlier request waits for its own.
  private void closeSlowSender(ChannelHandlerContext context, Part part) {
    var isHeader = part == Part.HEADER;
    var limit = isHeader ? Limit.HEADER : Limit.BODY;
    if (!isResponding && unanswered == (isHeader ? 0 : 1)) {
      respondAndClose(context, limit, isHeader ? responses.slowHeader() : responses.slowBody());
    } else {
      close(context, limit);
    }
  }

  private void respondAndClose(
      ChannelHandlerContext context, Limit limit, FullHttpResponse response) {
    isClosing = true;
    meters.closed(limit);
    context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    check = context.executor().schedule(() -> context.close(), LINGER_MS, TimeUnit.MILLISECONDS);
  }

  private void close(ChannelHandlerContext context, Limit limit) {
    isClosing = true;
    meters.closed(limit);
    context.close();
  }

  /// Checks at that time at the latest; one check is scheduled at a time.
  private void checkBy(ChannelHandlerContext context, long time) {
    if (isClosing || check != null && checkAt - time <= 0) {
      return;
    }
    cancelCheck();
    checkAt = time;
    var delay = time - clock.nanoTime();
    check = context.executor().schedule(() -> check(context), delay, TimeUnit.NANOSECONDS);
  }

  private void cancelCheck() {
    if (check != null) {
      check.cancel(false);
      check = null;
    }
  }

  private static long earlier(long one, long other) {
    return one - other < 0 ? one : other;
  }
}
