package io.holdfast.seatmap;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks the route of a pool that takes a stream ticket in place of a key.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface OpenToStreamTickets {}
