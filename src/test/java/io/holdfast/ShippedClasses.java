package io.holdfast;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import io.holdfast.testing.Folders;
import java.time.Clock;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The compiled main sources and their dependencies.
public final class ShippedClasses {
  /// Micronaut writes classes of its own beside ours.
  private static final Pattern GENERATED = Pattern.compile(".*(/\\$|\\$Intercepted)[^/]*");

  public static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ShippedClasses::isWrittenByUs)
          .importPath(Folders.build().resolve("classes/java/main"));

  private ShippedClasses() {}

  public static Stream<JavaClass> publicClasses() {
    return CLASSES.stream()
        .filter(JavaClass::isTopLevelClass)
        .filter(c -> c.getModifiers().contains(JavaModifier.PUBLIC));
  }

  /// A use of something nested in a class is a use of that class.
  public static boolean isUsedElsewhere(JavaClass type) {
    return CLASSES.stream()
        .filter(c -> topLevel(c).equals(type))
        .flatMap(c -> c.getDirectDependenciesToSelf().stream())
        .anyMatch(d -> !d.getOriginClass().getPackageName().equals(type.getPackageName()));
  }

  /// Calls and method references. Time that is read from a clock we were given does not count.
  public static Set<String> filesThatCall(Class<?> owner, String method) {
    return CLASSES.stream()
        .flatMap(c -> c.getAccessesFromSelf().stream())
        .filter(access -> access.getTargetOwner().isAssignableTo(owner))
        .filter(access -> access.getName().matches(method))
        .filter(Predicate.not(ShippedClasses::isHandedAClock))
        .map(access -> topLevel(access.getOriginOwner()).getFullName())
        .collect(Collectors.toSet());
  }

  public static JavaClass topLevel(JavaClass type) {
    return type.getEnclosingClass().map(ShippedClasses::topLevel).orElse(type);
  }

  private static boolean isHandedAClock(JavaAccess<?> access) {
    return access.getTarget() instanceof CodeUnitAccessTarget target
        && target.getRawParameterTypes().stream().anyMatch(p -> p.isEquivalentTo(Clock.class));
  }

  private static boolean isWrittenByUs(Location location) {
    return !location.matches(GENERATED);
  }
}
