package io.holdfast.web.problem;

import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.Arrays;
import java.util.stream.Collectors;

/// The pages that the `type` of a problem leads to, and the list of all problems.
@Hidden
@Controller(Problem.TYPES)
@Secured(SecurityRule.IS_ANONYMOUS)
final class ProblemPages {
  private static final String HTML = "text/html;charset=utf-8";

  /// Texts of `ProblemCode` have no character with a meaning in HTML.
  private static final String PAGE =
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>%s</title>
      <link rel="stylesheet" href="/holdfast.css">
      <link rel="icon" href="/icon.svg">
      </head>
      <body>
      <main>
      <h1>%s</h1>
      %s
      </main>
      </body>
      </html>
      """;

  @Get
  @Produces(HTML)
  String list() {
    var rows =
        Arrays.stream(ProblemCode.values())
            .map(
                code ->
                    "<li><a href=\"%s%s\">%s</a>: %s</li>"
                        .formatted(Problem.TYPES, code.word(), code.word(), code.meaning()))
            .collect(Collectors.joining("\n", "<ul>\n", "\n</ul>"));
    return PAGE.formatted("Problems", "Problems", rows);
  }

  @Get("{code}")
  @Produces(HTML)
  String page(String code) {
    var found = ProblemCode.of(code).orElseThrow(ProblemPages::notKnown);
    var statuses = found.statuses().stream().map(String::valueOf).collect(Collectors.joining(", "));
    var body =
        """
        <p>%s</p>
        <p>What to do: %s</p>
        <p>Status: %s. <a href="%s">All problems</a></p>\
        """
            .formatted(found.meaning(), found.next(), statuses, Problem.TYPES);
    return PAGE.formatted(found.word(), found.word(), body);
  }

  private static ProblemException notKnown() {
    return new ProblemException(
        Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such problem."));
  }
}
