package io.holdfast.ablation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.holdfast.testing.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Finds cuts that no longer match the source, and tests that no longer exist, without running all
/// ablations.
class CatalogueTest {

  static Stream<Ablation> ablations() {
    return Catalogue.all();
  }

  @ParameterizedTest
  @MethodSource("ablations")
  void every_test_exists(Ablation ablation) {
    for (var test : ablation.tests()) {
      if (test.contains("#")) {
        assertThat(selectMethod(test).getJavaMethod()).as(test).isNotNull();
      } else {
        assertThat(selectClass(test).getJavaClass()).as(test).isNotNull();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ablations")
  void the_text_of_every_cut_exists_exactly_once(Ablation ablation) throws IOException {
    for (var cut : ablation.cuts()) {
      var text = Files.readString(Folders.project().resolve(cut.file()));

      assertThat(text.split(Pattern.quote(cut.text()), -1))
          .as("%s in %s", cut.text(), cut.file())
          .hasSize(2);
    }
  }
}
