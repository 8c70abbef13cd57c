/// HTTP for all features: strict JSON bodies, problems, paging, traces, health and OpenAPI.
@NullMarked
package io.holdfast.web;

import org.jspecify.annotations.NullMarked;
