package io.holdfast.events.webhook;

import com.standardwebhooks.exceptions.EmptyWebhookSecretException;
import com.standardwebhooks.exceptions.WebhookSigningException;
import io.holdfast.events.CloudEventJson;
import io.holdfast.events.StoredEvent;
import io.holdfast.events.webhook.DeliveryOutcome.Delivered;
import io.holdfast.events.webhook.DeliveryOutcome.Failed;
import io.holdfast.events.webhook.DeliveryOutcome.Gone;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/// Sends one event to one webhook, signed as in Standard Webhooks: with two signatures while two
/// secrets are valid. The timeout covers the whole call, and the size of the response that is read
/// is bounded. The client follows no redirects, stores no cookies and does not retry.
@Singleton
final class WebhookSender implements AutoCloseable {
  private static final ContentType MEDIA_TYPE = ContentType.create(CloudEventJson.MEDIA_TYPE);

  private static final int GONE = 410;

  /// The body is not used, but a connection can be reused only after the body was read.
  private static final int RESPONSE_BYTES_MAX = 16_384;

  private static final int HEADERS_MAX = 100;
  private static final int HEADER_BYTES_MAX = 8_192;
  private static final TimeValue IDLE_MAX = TimeValue.ofSeconds(20);

  private final PublicAddressResolver addresses;
  private final WebhookSettings settings;
  private final CloudEventJson json;
  private final ScheduledThreadPoolExecutor timeouts =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("webhook-timeouts").daemon().factory());

  private @Nullable CloseableHttpClient client;
  private boolean isClosed;

  WebhookSender(PublicAddressResolver addresses, WebhookSettings settings, CloudEventJson json) {
    this.addresses = addresses;
    this.settings = settings;
    this.json = json;
    timeouts.setRemoveOnCancelPolicy(true); // otherwise each call stays queued until its timeout
  }

  DeliveryOutcome send(Webhook webhook, StoredEvent event, Instant now) {
    return send(webhook, event.publicId(), json.of(event), now);
  }

  DeliveryOutcome ping(Webhook webhook, String id, Instant now) {
    return send(webhook, id, json.ping(id, Long.toString(webhook.id()), now), now);
  }

  private DeliveryOutcome send(Webhook webhook, String id, byte[] payload, Instant now) {
    var request = request(webhook, id, payload, now);
    var cancellation =
        timeouts.schedule(request::cancel, settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
    try (var response = client().executeOpen(HttpHost.create(webhook.uri()), request, null)) {
      readBody(response);
      return outcome(response, now);
    } catch (IOException e) {
      var why =
          request.isCancelled() ? "no complete response in time" : String.valueOf(e.getMessage());
      return new Failed(null, why, Optional.empty());
    } finally {
      cancellation.cancel(false);
    }
  }

  private static HttpPost request(Webhook webhook, String id, byte[] payload, Instant now) {
    var signatures =
        webhook.secretsAt(now).stream()
            .map(secret -> signature(webhook.id(), secret, id, now, payload))
            .collect(Collectors.joining(" "));
    var post = new HttpPost(webhook.uri());
    post.setHeader("webhook-id", id);
    post.setHeader("webhook-timestamp", Long.toString(now.getEpochSecond()));
    post.setHeader("webhook-signature", signatures);
    post.setHeader(HttpHeaders.USER_AGENT, "Holdfast");
    post.setEntity(new ByteArrayEntity(payload, MEDIA_TYPE));
    return post;
  }

  private static String signature(
      long webhookId, String secret, String id, Instant now, byte[] payload) {
    try {
      var text = new String(payload, StandardCharsets.UTF_8);
      return new com.standardwebhooks.Webhook(secret).sign(id, now.getEpochSecond(), text);
    } catch (EmptyWebhookSecretException | WebhookSigningException e) {
      throw new IllegalStateException("webhook " + webhookId + " has no usable secret", e);
    }
  }

  /// A longer body is not read to its end; its connection is closed.
  private static void readBody(ClassicHttpResponse response) throws IOException {
    var entity = response.getEntity();
    if (entity != null) {
      entity.getContent().readNBytes(RESPONSE_BYTES_MAX);
    }
  }

  private static DeliveryOutcome outcome(ClassicHttpResponse response, Instant now) {
    var status = response.getCode();
    if (status >= 200 && status < 300) {
      return new Delivered(status);
    }
    if (status == GONE) {
      return new Gone();
    }
    var header = response.getFirstHeader(HttpHeaders.RETRY_AFTER);
    return new Failed(
        status,
        "the receiver answered " + status,
        header == null ? Optional.empty() : RetrySchedule.parseRetryAfter(header.getValue(), now));
  }

  /// Created for the first event: it loads all trusted certificates, which would slow down the
  /// start.
  private synchronized CloseableHttpClient client() throws IOException {
    if (isClosed) {
      throw new IOException("the service is stopping");
    }
    if (client == null) {
      client = createClient();
    }
    return client;
  }

  private CloseableHttpClient createClient() {
    var timeout = Timeout.of(settings.timeout());
    return HttpClients.custom()
        .setConnectionManager(createConnections(timeout))
        .setDefaultRequestConfig(
            RequestConfig.custom()
                .setResponseTimeout(timeout)
                .setConnectionRequestTimeout(timeout)
                .setRedirectsEnabled(false)
                .build())
        .evictIdleConnections(IDLE_MAX)
        .disableAutomaticRetries()
        .disableRedirectHandling()
        .disableCookieManagement()
        .disableAuthCaching()
        .disableContentCompression()
        .build();
  }

  private HttpClientConnectionManager createConnections(Timeout timeout) {
    // Several webhooks may share a host, and none may wait for another.
    var connectionsMax = settings.lanes() * WebhookService.WEBHOOKS_MAX;
    var limits =
        Http1Config.custom()
            .setMaxHeaderCount(HEADERS_MAX)
            .setMaxLineLength(HEADER_BYTES_MAX)
            .build();
    return PoolingHttpClientConnectionManagerBuilder.create()
        .setDnsResolver(addresses)
        .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
        .setMaxConnTotal(connectionsMax)
        .setMaxConnPerRoute(connectionsMax)
        .setConnectionFactory(
            ManagedHttpClientConnectionFactory.builder().http1Config(limits).build())
        .setDefaultConnectionConfig(
            ConnectionConfig.custom()
                .setConnectTimeout(timeout)
                .setSocketTimeout(timeout)
                .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                .build())
        .build();
  }

  @Override
  @PreDestroy
  public synchronized void close() {
    isClosed = true;
    timeouts.shutdownNow();
    if (client != null) {
      try {
        client.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
