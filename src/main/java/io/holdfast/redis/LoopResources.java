package io.holdfast.redis;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.concurrent.TimeUnit;

/// Makes Lettuce use one given event loop. It does not shut the loop down, since others use it.
record LoopResources(EventLoop loop) implements EventLoopGroupProvider {

  static ClientResources of(ClientResources shared, EventLoop loop) {
    return shared.mutate().eventLoopGroupProvider(new LoopResources(loop)).build();
  }

  /// Lettuce asks for the type of group that it would make itself, but accepts any.
  @Override
  @SuppressWarnings("unchecked")
  public <T extends EventLoopGroup> T allocate(Class<T> kind) {
    return (T) loop;
  }

  @Override
  public int threadPoolSize() {
    return 1;
  }

  @Override
  public Future<Boolean> release(
      EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
    return GlobalEventExecutor.INSTANCE.newSucceededFuture(true);
  }

  @Override
  public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
    return GlobalEventExecutor.INSTANCE.newSucceededFuture(true);
  }
}
