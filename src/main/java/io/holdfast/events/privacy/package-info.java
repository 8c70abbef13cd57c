/// Encrypts personal data per data subject and erases it by destroying the key.
@NullMarked
package io.holdfast.events.privacy;

import org.jspecify.annotations.NullMarked;
