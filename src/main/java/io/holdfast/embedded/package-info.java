/// Real PostgreSQL and Redis servers as child processes, for installations without their own:
/// unpacked from the class path, with data in one folder, restarted after a crash, stopped with the
/// service.
@NullMarked
package io.holdfast.embedded;

import org.jspecify.annotations.NullMarked;
