/// What the world is told: events that carry all a reader needs, in the transaction of the change,
/// brought to webhooks in order, and unreadable in their personal parts once a person is shredded.
@NullMarked
package io.holdfast.events;

import org.jspecify.annotations.NullMarked;
