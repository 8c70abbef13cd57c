package io.holdfast.web.connection;

import io.holdfast.runtime.OverloadSignal;
import io.holdfast.runtime.StartupTask;
import io.holdfast.web.connection.ConnectionMeters.Limit;
import io.micronaut.context.BeanProvider;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import jakarta.inject.Singleton;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Gives every connection its timeouts, refuses holds under overload and connections beyond the
/// limit. Refused ones are open for a moment as well; of these there are at most `REFUSED_MAX`,
/// further ones are closed without a response.
@Singleton
final class ConnectionLimits implements NettyServerCustomizer, StartupTask {
  private static final int REFUSED_MAX = 1_000;

  private final ConnectionSettings settings;
  private final CrossOriginSettings origins;
  private final ConnectionMeters meters;
  private final DirectResponses responses;

  /// Asked for when Redis has started, which this bean is made before. A connection must not ask:
  /// one that is accepted while the service stops would open Redis again, on its event loop.
  private final BeanProvider<OverloadSignal> overload;

  private volatile @Nullable OverloadSignal signal;

  ConnectionLimits(
      ConnectionSettings settings,
      CrossOriginSettings origins,
      ConnectionMeters meters,
      DirectResponses responses,
      BeanProvider<OverloadSignal> overload) {
    this.settings = settings;
    this.origins = origins;
    this.overload = overload;
    this.meters = meters;
    this.responses = responses;
  }

  @Override
  public void atStart() {
    signal = overload.get();
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
        addAfterCodec(new HoldShedding(Objects.requireNonNull(signal), responses));
        addAfterCodec(new RequestCheck(responses));
        addAfterCodec(new RequestTimeouts(settings, meters, responses)); // sees all responses
        if (!origins.origins().isEmpty()) {
          addAfterCodec(new CrossOriginHeaders(origins)); // changes all responses
        }
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
