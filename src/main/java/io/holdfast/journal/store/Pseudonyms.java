package io.holdfast.journal.store;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.TicketRecord;
import io.holdfast.subject.DataSubject;
import io.holdfast.subject.SubjectKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/// The pseudonyms of all persons in a batch of journal lines. Their keys are locked, so none of
/// them is shredded before the batch is stored.
record Pseudonyms(Map<DataSubject, SubjectKeys.Key> keys) {

  /// Creates the keys of persons that have none.
  static Pseudonyms of(Connection connection, List<JournalLine> lines) throws SQLException {
    var persons = new HashSet<DataSubject>();
    for (var line : lines) {
      if (line.hold() != null) {
        persons.add(person(line.hold()));
      }
      if (line.ticket() != null) {
        persons.add(person(line.ticket()));
      }
    }
    return new Pseudonyms(SubjectKeys.findOrCreate(connection, persons));
  }

  String of(HoldRecord hold) {
    return keys.get(person(hold)).pseudonym();
  }

  /// What the journal keeps of the line.
  String detail(JournalLine line) {
    if (line.hold() != null) {
      return line.hold().unnamed(of(line.hold())).format();
    }
    if (line.ticket() != null) {
      var ticket = line.ticket();
      var record = ticket.format();
      var position = line.detail().substring(0, line.detail().length() - record.length());
      return position + ticket.unnamed(keys.get(person(ticket)).pseudonym()).format();
    }
    return line.detail();
  }

  private static DataSubject person(HoldRecord hold) {
    return new DataSubject(hold.caller(), hold.requester());
  }

  private static DataSubject person(TicketRecord ticket) {
    return new DataSubject(ticket.caller(), ticket.requester());
  }
}
