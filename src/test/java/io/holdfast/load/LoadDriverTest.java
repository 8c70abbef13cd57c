package io.holdfast.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoadDriverTest {
  private static final Duration END = Duration.ofSeconds(20);
  private static final Reply PLACED = new Reply(201, "{}", false);
  private static final Reply TAKEN = new Reply(409, "{}", false);
  private static final Reply OVERLOADED = new Reply(503, "{\"definite\":true}", false);
  private static final Reply NO_ANSWER = new Reply(503, "{\"definite\":false}", false);
  private static final Reply REPLAY = new Reply(201, "{}", true);
  private static final Reply CLOSED = new Reply(0, "", false);

  private final Queue<Reply> replies = new ArrayDeque<>();
  private final List<String> asked = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void every_response_is_classified() {
    replies.addAll(List.of(PLACED, TAKEN, NO_ANSWER));

    run(3);

    assertThat(answers).containsExactly(Answer.GOOD, Answer.REFUSED, Answer.UNKNOWN);
    assertThat(asked).containsExactly("/1", "/2", "/3");
  }

  @Test
  void a_shed_request_is_sent_again_and_a_replay_shows_that_it_was_executed() {
    replies.addAll(List.of(OVERLOADED, PLACED, OVERLOADED, REPLAY, PLACED));

    run(3);

    assertThat(answers)
        .containsExactly(Answer.SHED, Answer.GOOD, Answer.SHED, Answer.DONE_BEFORE, Answer.GOOD);
    assertThat(asked).containsExactly("/1", "/1", "/2", "/2", "/3");
  }

  @Test
  void a_closed_connection_is_counted_and_replaced() {
    replies.addAll(List.of(CLOSED, PLACED));

    run(2);

    assertThat(answers).containsExactly(Answer.BROKEN, Answer.GOOD);
    assertThat(asked).containsExactly("/1", "/2");
  }

  @Test
  void an_open_loop_sends_at_the_rate_of_each_phase() {
    var pace =
        Pace.open(
            List.of(
                new Pace.Phase(100, Duration.ofSeconds(1)),
                new Pace.Phase(10, Duration.ofSeconds(2))));

    assertThat(pace.due(50, 0)).isEqualTo(Duration.ofMillis(500).toNanos());
    assertThat(pace.due(100, 0)).isEqualTo(Duration.ofMillis(1_000).toNanos());
    assertThat(pace.due(101, 0)).isEqualTo(Duration.ofMillis(1_100).toNanos());
    assertThat(pace.due(120, 0)).isEqualTo(Long.MAX_VALUE);
    assertThat(pace.end()).isEqualTo(Duration.ofSeconds(3));
  }

  private void run(long freshMax) {
    var next = new AtomicLong();
    Requests requests =
        out -> {
          var path = "/" + next.incrementAndGet();
          out.put(HoldTexts.post(path, "", "").getBytes(StandardCharsets.US_ASCII));
        };
    var run = new LoadRun(server.getAddress(), requests, 1, Pace.closed(END), freshMax);
    LoadDriver.run(run, (answer, _, _) -> answers.add(answer));
  }

  private void answer(HttpExchange exchange) throws IOException {
    asked.add(exchange.getRequestURI().getPath());
    var reply = replies.remove();
    if (reply == CLOSED) {
      exchange.close();
      return;
    }
    if (reply.isReplay()) {
      exchange.getResponseHeaders().add("Idempotent-Replayed", "true");
    }
    var body = reply.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(reply.status(), body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private record Reply(int status, String body, boolean isReplay) {}
}
