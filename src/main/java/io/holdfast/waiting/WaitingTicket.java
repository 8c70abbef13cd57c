package io.holdfast.waiting;

import io.holdfast.commitment.sequence.Sequenced;
import io.holdfast.pool.TicketRecord;

/// A ticket in the queue. Tickets are admitted in the order of their places.
record WaitingTicket(TicketRecord record) implements Sequenced {

  @Override
  public long sequence() {
    return record.place();
  }

  long number() {
    return record.number();
  }
}
