/// Who may come in: API keys, their scopes, and how often each caller may ask.
@NullMarked
package io.holdfast.access;

import org.jspecify.annotations.NullMarked;
