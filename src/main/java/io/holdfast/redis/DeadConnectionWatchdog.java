package io.holdfast.redis;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Ends a connection on which something was asked and nothing was heard for too long, so that
/// Lettuce makes a new one. A host that vanished tells nobody, and what waits in the socket keeps
/// TCP's own keepalive from noticing. Costs a field a message and a look at it now and then.
final class DeadConnectionWatchdog extends ChannelDuplexHandler {
  private static final long NOT_WAITING = 0;

  private final Duration limit;
  private long waitingSince = NOT_WAITING;
  private @Nullable Future<?> watch;

  DeadConnectionWatchdog(Duration limit) {
    this.limit = limit;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    var period = limit.toMillis() / 4; // on the channel's loop, as all that the fields belong to
    watch =
        context
            .executor()
            .scheduleAtFixedRate(() -> look(context), period, period, TimeUnit.MILLISECONDS);
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (watch != null) {
      watch.cancel(false);
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

  private void look(ChannelHandlerContext context) {
    if (waitingSince != NOT_WAITING && System.nanoTime() - waitingSince > limit.toNanos()) {
      context.close();
    }
  }
}
