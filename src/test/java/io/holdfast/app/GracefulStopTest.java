package io.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.WriteController;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(RealServers.class)
class GracefulStopTest {

  @Test
  void a_request_that_is_under_way_is_finished_before_the_service_ends(
      TestServers servers, @TempDir Path data) throws Exception {
    var settings = new HashMap<>(servers.settings());
    settings.put("holdfast.data", data.toString());
    var service = Service.start(settings);
    var http = service.http();
    var answer = CompletableFuture.supplyAsync(() -> Http.get(http, "/test/slow"));
    assertThat(WriteController.SLOW_HAS_BEGUN.await(10, TimeUnit.SECONDS)).isTrue();

    var end = CompletableFuture.runAsync(service::close);
    Await.until(Duration.ofSeconds(10), () -> !isOpen(http.getPort()));
    assertThat(answer).isNotDone();
    assertThat(end).isNotDone();
    WriteController.SLOW_MAY_END.countDown();

    assertThat(answer.get(10, TimeUnit.SECONDS).body()).isEqualTo("done");
    end.get(30, TimeUnit.SECONDS);
  }

  private static boolean isOpen(int port) {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress("localhost", port), 500);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
