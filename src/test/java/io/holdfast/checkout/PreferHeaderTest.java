package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.http.HttpRequest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreferHeaderTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "wait=5|5",
        "respond-async, wait=5|5",
        "WAIT=5|5",
        "wait=\"5\"|5",
        "wait=31|30",
        "wait=10000|30",
        "wait=999999999999999999|30",
        "wait=0|0",
        "wait=-1|0",
        "await=5|0",
        "wait=soon|0"
      })
  void a_call_waits_for_the_preferred_time_up_to_the_limit(String preference, long seconds) {
    var headers = HttpRequest.GET("/").header(CheckoutQueries.PREFER, preference).getHeaders();

    assertThat(CheckoutQueries.preferredWait(headers).toSeconds()).isEqualTo(seconds);
  }
}
