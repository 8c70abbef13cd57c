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
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.jspecify.annotations.Nullable;

/// Brings one event to one webhook, signed as Standard Webhooks says. Every call has an end: the
/// whole of it is broken off at the timeout, and no more of an answer is read than its bound.
@Singleton
final class WebhookSender implements AutoCloseable {
  private static final ContentType MEDIA_TYPE =
      ContentType.create(CloudEventJson.MEDIA_TYPE, StandardCharsets.UTF_8);

  private static final int GONE = 410;

  /// Of an answer; nobody reads it, but a connection is good for another call only behind it.
  private static final int ANSWER_BYTES_MAX = 16_384;

  private final PublicAddressResolver addresses;
  private final WebhookSettings settings;
  private final ScheduledThreadPoolExecutor timeouts =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("webhook-timeouts").daemon().factory());

  private @Nullable CloseableHttpClient client;
  private boolean isClosed;

  WebhookSender(PublicAddressResolver addresses, WebhookSettings settings) {
    this.addresses = addresses;
    this.settings = settings;
    timeouts.setRemoveOnCancelPolicy(true); // else each call would be kept until its time is up
  }

  DeliveryOutcome deliver(Webhook webhook, StoredEvent event, Instant now) {
    var post = request(webhook, event, now);
    var most = settings.timeout().toMillis();
    var breakOff = timeouts.schedule(post::cancel, most, TimeUnit.MILLISECONDS);
    try (var answer = client().executeOpen(HttpHost.create(webhook.url()), post, null)) {
      drain(answer);
      return outcome(answer, now);
    } catch (IOException e) {
      var why = post.isCancelled() ? "no whole answer in time" : String.valueOf(e.getMessage());
      return new Failed(null, why, Optional.empty());
    } finally {
      breakOff.cancel(false);
    }
  }

  @Override
  @PreDestroy
  public synchronized void close() {
    isClosed = true;
    timeouts.shutdownNow();
    if (client != null) {
      WebhookHttpClient.close(client);
    }
  }

  /// Opened for the first event, since it reads all certificates that Java trusts: a start has no
  /// use for them.
  private synchronized CloseableHttpClient client() throws IOException {
    if (isClosed) {
      throw new IOException("the service ends");
    }
    if (client == null) {
      client = WebhookHttpClient.open(addresses, settings);
    }
    return client;
  }

  private static HttpPost request(Webhook webhook, StoredEvent event, Instant now) {
    var payload = CloudEventJson.of(event);
    var post = new HttpPost(webhook.url());
    post.setHeader("webhook-id", event.publicId());
    post.setHeader("webhook-timestamp", Long.toString(now.getEpochSecond()));
    post.setHeader("webhook-signature", signature(webhook, event.publicId(), now, payload));
    post.setHeader(HttpHeaders.USER_AGENT, "Holdfast");
    post.setEntity(new ByteArrayEntity(payload, MEDIA_TYPE));
    return post;
  }

  private static String signature(Webhook webhook, String id, Instant now, byte[] payload) {
    try {
      var text = new String(payload, StandardCharsets.UTF_8);
      return new com.standardwebhooks.Webhook(webhook.secret())
          .sign(id, now.getEpochSecond(), text);
    } catch (EmptyWebhookSecretException | WebhookSigningException e) {
      throw new IllegalStateException("webhook " + webhook.id() + " has no secret to sign with", e);
    }
  }

  /// A longer answer costs its connection.
  private static void drain(ClassicHttpResponse answer) throws IOException {
    var entity = answer.getEntity();
    if (entity != null) {
      entity.getContent().readNBytes(ANSWER_BYTES_MAX);
    }
  }

  private static DeliveryOutcome outcome(ClassicHttpResponse answer, Instant now) {
    var status = answer.getCode();
    if (status >= 200 && status < 300) {
      return new Delivered(status);
    }
    if (status == GONE) {
      return new Gone();
    }
    var header = answer.getFirstHeader(HttpHeaders.RETRY_AFTER);
    return new Failed(
        status,
        "the receiver answered " + status,
        header == null ? Optional.empty() : RetryAfterHeader.read(header.getValue(), now));
  }
}
