package io.holdfast.web.connection;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Refuses a request with a `RequestFault` and closes its connection, because where the next
/// request would begin is not certain. Requests before it are answered first. It stands before the
/// handlers that decompress bodies, which fail on wrong ones without a response.
final class RequestCheck extends ChannelDuplexHandler {
  /// What the client still sends is read for so long: closing a socket with unread bytes would
  /// reset the connection, and the client might not see the response.
  private static final long LINGER_MS = 1_000;

  private final DirectResponses responses;

  /// Requests that went on and have no complete response.
  private int unanswered;

  private boolean isResponding;
  private @Nullable RequestFault fault;

  RequestCheck(DirectResponses responses) {
    this.responses = responses;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (fault == null && message instanceof HttpRequest request) {
      fault = RequestFault.of(request);
      if (fault == null) {
        unanswered++;
      } else if (unanswered == 0) {
        refuse(context, fault);
      }
    }
    if (fault == null) {
      context.fireChannelRead(message);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.fireChannelReadComplete();
    if (fault != null) {
      context.read();
    }
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof HttpResponse response) {
      isResponding = response.status().codeClass() != HttpStatusClass.INFORMATIONAL;
    }
    context.write(message, promise);
    if (message instanceof LastHttpContent && isResponding) {
      isResponding = false;
      unanswered--;
      if (fault != null && unanswered == 0) {
        refuse(context, fault);
      }
    }
  }

  private void refuse(ChannelHandlerContext context, RequestFault found) {
    context
        .writeAndFlush(responses.refused(found))
        .addListener(
            _ -> {
              if (context.channel() instanceof DuplexChannel channel) {
                channel.shutdownOutput();
              }
            });
    context.executor().schedule(() -> context.close(), LINGER_MS, TimeUnit.MILLISECONDS);
  }
}
