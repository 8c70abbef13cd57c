package io.holdfast.events;

import org.jspecify.annotations.Nullable;

/// Marks a value of an event as one that becomes unreadable when its person is shredded.
public record Personal(Person person, @Nullable Object value) {}
