/// Pools and their items: routes, tables, and the registry in memory.
@NullMarked
package io.holdfast.catalogue;

import org.jspecify.annotations.NullMarked;
