/// Real PostgreSQL and Redis servers as child processes, for those who have none running: unpacked
/// from the class path, kept in one data folder, restarted when they crash, ended when we end.
@NullMarked
package io.holdfast.embedded;

import org.jspecify.annotations.NullMarked;
