package io.holdfast.events.privacy;

import io.holdfast.subject.DataSubject;
import org.jspecify.annotations.Nullable;

/// A value of an event that becomes unreadable when its person is shredded.
public record PersonalValue(DataSubject person, @Nullable Object value) {}
