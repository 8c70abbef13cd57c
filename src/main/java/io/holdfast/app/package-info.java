/// The program: command line, start, stop and `run.json`.
@NullMarked
package io.holdfast.app;

import org.jspecify.annotations.NullMarked;
