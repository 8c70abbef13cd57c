package io.holdfast.web.connection;

import io.holdfast.runtime.OverloadSignal;
import io.holdfast.web.connection.ConnectionMeters.Limit;
import io.micronaut.context.BeanProvider;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import jakarta.inject.Singleton;

/// Gives every connection its timeouts, refuses holds under overload and connections beyond the
/// limit. Refused ones are open for a moment as well; of these there are at most `REFUSED_MAX`,
/// further ones are closed without a response.
@Singleton
final class ConnectionLimits implements NettyServerCustomizer {
  private static final int REFUSED_MAX = 1_000;

  private final ConnectionSettings settings;
  private final ConnectionMeters meters;
  private final DirectResponses responses;

  /// Asked for with the first connection: it needs Redis, which may still be starting now.
  private final BeanProvider<OverloadSignal> overload;

  ConnectionLimits(
      ConnectionSettings settings,
      ConnectionMeters meters,
      DirectResponses responses,
      BeanProvider<OverloadSignal> overload) {
    this.settings = settings;
    this.overload = overload;
    this.meters = meters;
    this.responses = responses;
  }

  @Override
  public NettyServerCustomizer specializeForChannel(Channel channel, ChannelRole role) {
    return role == ChannelRole.CONNECTION ? new Connection(channel) : this;
  }

  private final class Connection implements NettyServerCustomizer {
    private final Channel channel;

    Connection(Channel channel) {
      this.channel = channel;
    }

    @Override
    public void onInitialPipelineBuilt() {
      var open = meters.opened();
      channel.closeFuture().addListener(_ -> meters.ended());
      if (open <= settings.connections()) {
        addAfterCodec(new HoldShedding(overload.get(), responses));
        addAfterCodec(new RequestTimeouts(settings, meters, responses)); // sees all responses
        return;
      }
      meters.closed(Limit.CONNECTIONS);
      if (open <= settings.connections() + REFUSED_MAX) {
        addAfterCodec(new RefusedConnection(responses.tooManyConnections()));
      } else {
        channel.close();
      }
    }

    private void addAfterCodec(ChannelHandler handler) {
      channel
          .pipeline()
          .addAfter(ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC, null, handler);
    }
  }
}
