/// The vocabulary of HTTP: problems, traces, health, and the pages that tell about the API.
@NullMarked
package io.holdfast.web;

import org.jspecify.annotations.NullMarked;
