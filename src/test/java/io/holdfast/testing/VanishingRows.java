package io.holdfast.testing;

/// Makes the rows of a sale disappear at its commit, which no code of the service can do.
public final class VanishingRows {
  private VanishingRows() {}

  public static void commitments(Rows rows) {
    vanish(rows, "true");
  }

  /// Of each sale, the commitment whose item has the first name.
  public static void firstCommitment(Rows rows) {
    vanish(
        rows,
        """
        item = (SELECT min(c.item) FROM commitment c
                 WHERE c.pool = NEW.pool AND c.hold_id = NEW.hold_id)
        AND pool = NEW.pool AND hold_id = NEW.hold_id
        """);
  }

  private static void vanish(Rows rows, String which) {
    rows.change(
        """
        CREATE OR REPLACE FUNCTION gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        $$
        BEGIN
            ALTER TABLE commitment DISABLE TRIGGER commitment_is_for_ever;
            DELETE FROM commitment WHERE %s;
            ALTER TABLE commitment ENABLE TRIGGER commitment_is_for_ever;
            RETURN NULL;
        END
        $$
        """
            .formatted(which));
    rows.change(
        "CREATE CONSTRAINT TRIGGER gone AFTER INSERT ON outbox DEFERRABLE INITIALLY DEFERRED"
            + " FOR EACH ROW EXECUTE FUNCTION gone()");
  }

  public static void noMore(Rows rows) {
    rows.change("DROP TRIGGER IF EXISTS gone ON outbox");
  }
}
