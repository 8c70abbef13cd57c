package io.holdfast.web.connection;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/// Answers a connection beyond the limit at once and closes it after a second, if the client has
/// not done so. What the client sends meanwhile is read: closing a socket with unread bytes would
/// reset the connection, and the client might not see the response.
final class RefusedConnection extends ChannelInboundHandlerAdapter {
  private static final long LINGER_MS = 1_000;

  private final FullHttpResponse response;

  RefusedConnection(FullHttpResponse response) {
    this.response = response;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    context.executor().schedule(() -> context.close(), LINGER_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ReferenceCountUtil.release(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.read();
  }
}
