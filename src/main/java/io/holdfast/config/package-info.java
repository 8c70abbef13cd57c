/// Reads settings and refuses wrong ones with one sentence.
@NullMarked
package io.holdfast.config;

import org.jspecify.annotations.NullMarked;
