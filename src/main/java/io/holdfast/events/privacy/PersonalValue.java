package io.holdfast.events.privacy;

import org.jspecify.annotations.Nullable;

/// Marks a value of an event as one that becomes unreadable when its person is shredded.
public record PersonalValue(DataSubject person, @Nullable Object value) {}
