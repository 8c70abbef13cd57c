/// Limits on HTTP connections: how many there are, and how slow or idle a client may be.
@NullMarked
package io.holdfast.web.connection;

import org.jspecify.annotations.NullMarked;
