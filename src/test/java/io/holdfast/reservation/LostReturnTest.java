package io.holdfast.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Redis hears of a returned value only after a COMMIT that has succeeded for certain.
@ExtendWith(RealServers.class)
class LostReturnTest {

  @Test
  void a_value_whose_return_fails_at_its_commit_stays_taken(TestServers servers, Service service) {
    var reservations = new Reservations(Api.of(service));
    var rows = Rows.of(servers);
    var type = Reservations.type();
    var id = reservations.reserved(type, "alice");
    reservations.confirm(id, "user-1");
    var token = Api.token();
    failAtCommit(rows);

    var lost = reservations.giveBack(id, token);
    var taken = reservations.reserve(type, "alice");

    assertThat(lost.statusCode()).as(lost.body()).isGreaterThanOrEqualTo(500);
    assertThat(taken.statusCode()).as(taken.body()).isEqualTo(409);
    rows.change("DROP TRIGGER fails_at_commit ON reversal");
    assertThat(reservations.giveBack(id, token).statusCode()).isEqualTo(200);
    assertThat(reservations.reserve(type, "alice").statusCode()).isEqualTo(201);
  }

  private static void failAtCommit(Rows rows) {
    rows.change(
        """
        CREATE FUNCTION fails_at_commit() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'the commit fails'; END $$
        """);
    rows.change(
        """
        CREATE CONSTRAINT TRIGGER fails_at_commit AFTER INSERT ON reversal
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fails_at_commit()
        """);
  }
}
