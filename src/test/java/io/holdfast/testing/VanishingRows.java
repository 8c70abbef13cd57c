package io.holdfast.testing;

/// Makes the rows of a sale disappear at its commit, which no code of the service can do.
public final class VanishingRows {
  private VanishingRows() {}

  public static void commitments(Rows rows) {
    rows.change(
        """
        CREATE OR REPLACE FUNCTION gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        $$
        BEGIN
            ALTER TABLE commitment DISABLE TRIGGER commitment_is_for_ever;
            DELETE FROM commitment;
            ALTER TABLE commitment ENABLE TRIGGER commitment_is_for_ever;
            RETURN NULL;
        END
        $$
        """);
    rows.change(
        "CREATE CONSTRAINT TRIGGER gone AFTER INSERT ON outbox DEFERRABLE INITIALLY DEFERRED"
            + " FOR EACH ROW EXECUTE FUNCTION gone()");
  }

  public static void noMore(Rows rows) {
    rows.change("DROP TRIGGER IF EXISTS gone ON outbox");
  }
}
