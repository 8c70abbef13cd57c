/// The event log. Events are written in the transaction of the change, numbered per pool after the
/// commit, and delivered to webhooks in order. Personal data are encrypted per person and become
/// unreadable when the person is shredded.
@NullMarked
package io.holdfast.events;

import org.jspecify.annotations.NullMarked;
