package io.holdfast.testing;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.List;

/// An event loop for tests that connect to Redis without an HTTP server.
public final class Loops {
  private static final EventLoop ONE =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()).next();

  private Loops() {}

  public static List<EventLoop> one() {
    return List.of(ONE);
  }
}
