/// The metrics for Prometheus.
@NullMarked
package io.holdfast.web.metrics;

import org.jspecify.annotations.NullMarked;
