/// Delivers events to webhooks, in order, with retries.
@NullMarked
package io.holdfast.events.webhook;

import org.jspecify.annotations.NullMarked;
