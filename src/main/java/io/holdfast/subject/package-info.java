/// The persons that records are about: a key for each, and the pseudonym that is computed from it.
@NullMarked
package io.holdfast.subject;

import org.jspecify.annotations.NullMarked;
