package io.holdfast.redis;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Closes a connection on which a command was sent and nothing was received for too long, so that
/// Lettuce opens a new one. A host that vanished closes nothing, and unsent bytes in the socket
/// keep TCP's own keepalive from noticing it.
final class DeadConnectionWatchdog extends ChannelDuplexHandler {
  private static final long NOT_WAITING = 0;

  private final Duration limit;
  private long waitingSince = NOT_WAITING;
  private @Nullable Future<?> checks;

  DeadConnectionWatchdog(Duration limit) {
    this.limit = limit;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    var period = limit.toMillis() / 4; // on the channel's loop, which the fields belong to
    checks =
        context
            .executor()
            .scheduleAtFixedRate(() -> check(context), period, period, TimeUnit.MILLISECONDS);
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (checks != null) {
      checks.cancel(false);
    }
    context.fireChannelInactive();
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (waitingSince == NOT_WAITING) {
      waitingSince = System.nanoTime();
    }
    context.write(message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    waitingSince = NOT_WAITING;
    context.fireChannelRead(message);
  }

  private void check(ChannelHandlerContext context) {
    if (waitingSince != NOT_WAITING && System.nanoTime() - waitingSince > limit.toNanos()) {
      context.close();
    }
  }
}
