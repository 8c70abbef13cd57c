package io.holdfast.events.privacy;

import org.jspecify.annotations.Nullable;

/// A value of an event that becomes unreadable when its person is shredded.
public record PersonalValue(DataSubject person, @Nullable Object value) {}
