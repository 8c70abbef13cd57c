package org.gradle.internal.installation.beacon;

/** Gradle takes the place of the jar with this class for its own place. */
public class InstallationBeacon {}
