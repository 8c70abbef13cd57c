package io.holdfast.app;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.holdfast.ShippedClasses.CLASSES;
import static io.holdfast.ShippedClasses.filesThatCall;
import static io.holdfast.ShippedClasses.publicClasses;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaPackage;
import io.holdfast.ShippedClasses;
import io.holdfast.testing.Folders;
import io.holdfast.testing.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.temporal.TemporalAccessor;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/// The rules between the packages.
class ArchitectureTest {
  private static final int LINES_MAX = 350;

  /// Packages larger than this have sub-packages, named after the parts.
  private static final int FILES_A_PACKAGE_MAX = 25;

  /// Public without a user in another package, and why.
  private static final Map<String, String> PUBLIC_FOR_OTHERS =
      Map.ofEntries(
          entry("io.holdfast.app.Application", "the launcher calls its main method"),
          entry("io.holdfast.app.LogSetup", "Logback finds it as a service"),
          entry("io.holdfast.app.Service", "tests of all packages start it"),
          entry("io.holdfast.commitment.PinArbiter", "tests build a ledger without Micronaut"),
          entry("io.holdfast.commitment.PinnedHoldEnder", "tests build a ledger without Micronaut"),
          entry("io.holdfast.commitment.sale.LateSaleVerifier", "tests run it at once"),
          entry("io.holdfast.idempotency.TokenParseResult", "the result of parsing a token"),
          entry("io.holdfast.idempotency.store.PostgresGuardStore", "a store for other programs"),
          entry("io.holdfast.idempotency.store.RedisGuardStore", "a store for other programs"),
          entry("io.holdfast.postgres.BoundedDataSource", "a test counts its free connections"),
          entry("io.holdfast.seeding.EpochLog", "tests of other packages read it"),
          entry("io.holdfast.stream.DeterministicStreamIds", "computes ids in other programs"));

  @Test
  void the_rules_see_the_classes_that_are_shipped() {
    assertThat(CLASSES).hasSizeGreaterThan(40);
    assertThat(CLASSES.contain(Service.class)).isTrue();
    assertThat(CLASSES.contain(ArchitectureTest.class)).isFalse();
  }

  @Test
  void packages_are_named_after_features() {
    noClasses()
        .should()
        .resideInAnyPackage(
            "..util..",
            "..common..",
            "..service..",
            "..impl..",
            "..model..",
            "..manager..",
            "..helper..")
        .check(CLASSES);
  }

  @Test
  void no_package_has_too_many_files() {
    var sizes =
        CLASSES.stream()
            .map(ShippedClasses::topLevel)
            .distinct()
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));

    assertThat(sizes)
        .allSatisfy(
            (name, size) -> assertThat(size).as(name).isLessThanOrEqualTo(FILES_A_PACKAGE_MAX));
  }

  @Test
  @Requirement("BR-L-6")
  void the_commitment_layer_compiles_without_the_fast_layer() {
    noClasses()
        .that()
        .resideInAPackage("io.holdfast.commitment..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.holdfast.hold..", "io.holdfast.redis..", "io.lettuce..")
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void pools_and_idempotency_are_values_without_a_framework() {
    var values =
        new String[] {
          "io.holdfast.pool", "io.holdfast.idempotency", "io.holdfast.idempotency.guard"
        };

    classes()
        .that()
        .resideInAnyPackage(values)
        .should()
        .onlyDependOnClassesThat(
            resideInAPackage("java..")
                .and(describe("no JDBC", c -> !c.getPackageName().startsWith("java.sql")))
                .or(resideInAPackage("org.jspecify.."))
                .or(resideInAnyPackage(values)))
        .check(CLASSES);
  }

  @Test
  void only_the_fast_layer_sees_lettuce() {
    noClasses()
        .that()
        .resideOutsideOfPackages(below("redis", "idempotency.store"))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.lettuce..")
        .check(CLASSES);
  }

  @Test
  void only_the_slow_layer_sees_jdbc() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            below(
                "postgres",
                "access",
                "audit",
                "catalogue",
                "change",
                "checkout",
                "commitment",
                "events",
                "idempotency.store",
                "journal.store",
                "payment",
                "retention",
                "seeding",
                "stream",
                "subject",
                "waiting"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "java.sql..",
            "javax.sql..",
            "org.postgresql..",
            "com.zaxxer.hikari..",
            "org.flywaydb..",
            "io.micronaut.data.jdbc..")
        .check(CLASSES);
  }

  @Test
  void only_checkout_imports_checkout() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.holdfast.checkout..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.holdfast.checkout..")
        .check(CLASSES);
  }

  @Test
  void features_depend_on_each_other_in_one_direction_only() {
    slices().matching("io.holdfast.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void no_package_imports_app() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.holdfast.app..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.holdfast.app..")
        .check(CLASSES);
  }

  @Test
  void a_public_class_is_used_by_another_package() {
    var unused = publicClasses().filter(Predicate.not(ShippedClasses::isUsedElsewhere));

    assertThat(names(unused))
        .as("make them package-private, or name them in PUBLIC_FOR_OTHERS and say why")
        .isSubsetOf(PUBLIC_FOR_OTHERS.keySet());
  }

  @Test
  void an_exception_that_is_no_longer_needed_is_taken_back() {
    var used = publicClasses().filter(ShippedClasses::isUsedElsewhere);

    assertThat(names(used))
        .as("main sources use it by now, so take it out of PUBLIC_FOR_OTHERS")
        .doesNotContainAnyElementsOf(PUBLIC_FOR_OTHERS.keySet());
  }

  @Test
  void every_package_is_null_marked() {
    var packages =
        CLASSES.stream().map(JavaClass::getPackage).collect(Collectors.<JavaPackage>toSet());

    assertThat(packages).isNotEmpty().allMatch(p -> p.isAnnotatedWith(NullMarked.class));
  }

  @Test
  void time_and_ids_come_from_one_file_each() {
    assertThat(filesThatCall(TemporalAccessor.class, "now")).hasSizeLessThan(2);
    assertThat(filesThatCall(Clock.class, "system.*")).hasSizeLessThan(2);
    assertThat(filesThatCall(System.class, "currentTimeMillis")).hasSizeLessThan(2);
    assertThat(filesThatCall(UUID.class, "randomUUID")).hasSizeLessThan(2);
  }

  @Test
  void a_file_is_one_idea() throws IOException {
    try (var sources = Files.walk(Folders.project().resolve("src"))) {
      var unwieldy =
          sources.filter(p -> p.toString().endsWith(".java")).filter(p -> lines(p) > LINES_MAX);

      assertThat(unwieldy).as("look for the second idea in them").isEmpty();
    }
  }

  private static String[] below(String... features) {
    return Stream.of(features).map(f -> "io.holdfast." + f + "..").toArray(String[]::new);
  }

  private static Set<String> names(Stream<JavaClass> types) {
    return types.map(JavaClass::getFullName).collect(Collectors.toSet());
  }

  private static int lines(Path source) {
    try {
      return Files.readAllLines(source).size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
