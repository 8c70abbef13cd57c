/// The description of the API: what is generated from the controllers, completed by what holds for
/// all routes.
@NullMarked
package io.holdfast.web.openapi;

import org.jspecify.annotations.NullMarked;
