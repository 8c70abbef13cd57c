package io.holdfast.web.connection;

import io.holdfast.runtime.OverloadSignal;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/// Refuses new holds under overload as soon as their header is read, before key, body and digest
/// cost anything: a refusal must be much cheaper than a hold, or refusals alone use up the machine.
/// Heartbeats, confirms and all other requests pass, since they belong to holds that were granted.
final class HoldShedding extends ChannelDuplexHandler {
  private static final String POOLS = "/v1/pools/";
  private static final String HOLDS = "/holds";

  private final OverloadSignal overload;
  private final DirectResponses responses;

  /// Requests that went on and have no complete response.
  private int unanswered;

  private boolean isResponding;

  /// The rest of a refused request is still to come.
  private boolean isSkipping;

  HoldShedding(OverloadSignal overload, DirectResponses responses) {
    this.overload = overload;
    this.responses = responses;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request) {
      isSkipping = isRefused(context, request);
      unanswered += isSkipping ? 0 : 1;
    }
    if (!isSkipping) {
      context.fireChannelRead(message);
      return;
    }
    isSkipping = !(message instanceof LastHttpContent);
    ReferenceCountUtil.release(message);
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof HttpResponse response) {
      isResponding = response.status().codeClass() != HttpStatusClass.INFORMATIONAL;
    }
    if (message instanceof LastHttpContent && isResponding) {
      isResponding = false;
      unanswered--;
    }
    context.write(message, promise);
  }

  private boolean isRefused(ChannelHandlerContext context, HttpRequest request) {
    if (!isHold(request) || !canBeRefused(context, request)) {
      return false;
    }
    var uri = request.uri();
    var retryAfter =
        overload.retryAfter(uri.substring(POOLS.length(), uri.length() - HOLDS.length()));
    if (retryAfter == null) {
      return false;
    }
    context.writeAndFlush(responses.overloaded(retryAfter));
    return true;
  }

  private static boolean isHold(HttpRequest request) {
    var uri = request.uri();
    return HttpMethod.POST.equals(request.method())
        && uri.startsWith(POOLS)
        && uri.endsWith(HOLDS)
        && uri.length() > POOLS.length() + HOLDS.length()
        && request.decoderResult().isSuccess();
  }

  /// Not if an earlier response is due, since responses come in order, nor if the client does not
  /// take its responses: the server behind stops reading then. Not if the client waits for a sign
  /// before it sends the body, nor if it wants the connection closed: closing it before the body
  /// was read could lose the response.
  private boolean canBeRefused(ChannelHandlerContext context, HttpRequest request) {
    return unanswered == 0
        && context.channel().isWritable()
        && request.protocolVersion().isKeepAliveDefault()
        && HttpUtil.isKeepAlive(request)
        && !HttpUtil.is100ContinueExpected(request);
  }
}
