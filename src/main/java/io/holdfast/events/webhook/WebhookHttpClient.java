package io.holdfast.events.webhook;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/// The client that events travel by: it goes nowhere but where it is sent, keeps nothing that a
/// receiver gives it, and repeats nothing by itself.
final class WebhookHttpClient {
  private static final int HEADERS_MAX = 100;
  private static final int HEADER_BYTES_MAX = 8_192;
  private static final TimeValue IDLE_MAX = TimeValue.ofSeconds(20);

  private WebhookHttpClient() {}

  static CloseableHttpClient open(PublicAddressResolver addresses, WebhookSettings settings) {
    var timeout = Timeout.of(settings.timeout());
    var limits =
        Http1Config.custom()
            .setMaxHeaderCount(HEADERS_MAX)
            .setMaxLineLength(HEADER_BYTES_MAX)
            .build();
    var most = settings.lanes() * WebhookService.MOST;
    var connections =
        PoolingHttpClientConnectionManagerBuilder.create()
            .setDnsResolver(addresses)
            .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
            .setMaxConnTotal(most)
            .setMaxConnPerRoute(
                most) // several webhooks may share a host, and none waits for another
            .setConnectionFactory(
                ManagedHttpClientConnectionFactory.builder().http1Config(limits).build())
            .setDefaultConnectionConfig(
                ConnectionConfig.custom()
                    .setConnectTimeout(timeout)
                    .setSocketTimeout(timeout)
                    .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                    .build())
            .build();
    return HttpClients.custom()
        .setConnectionManager(connections)
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

  static void close(CloseableHttpClient client) {
    try {
      client.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
