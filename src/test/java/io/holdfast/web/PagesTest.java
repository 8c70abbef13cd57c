package io.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import io.holdfast.app.Service;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/// The pages and the description of the API, which have to work in a closed network.
@ExtendWith(RealServers.class)
class PagesTest {
  private static final Pattern REFERENCE =
      Pattern.compile("\\b(?:src|href|action|spec-url)\\s*=\\s*[\"']?([^\"'\\s>]+)");
  private static final Pattern OPERATION_ID = Pattern.compile("operationId: (\\S+)");
  private static final Pattern HOST = Pattern.compile("(?:https?:)?//([a-zA-Z0-9-]+\\.[a-zA-Z.]+)");

  /// What RapiDoc names: its fonts, which the page tells it not to load, and links and examples.
  private static final List<String> HOSTS_IN_RAPIDOC =
      List.of(
          "fonts.gstatic.com",
          "swagger.io",
          "vladimirgorej.com",
          "spec.openapis.org",
          "marked.js.org",
          "github.com",
          "example.com");

  private static URI address;

  @BeforeAll
  static void find(Service service) {
    address = service.http();
  }

  @Test
  void the_description_is_openapi_3_1_and_describes_something() {
    var response = Http.get(address, "/openapi.yaml");

    Map<String, Object> description =
        new Yaml(new SafeConstructor(new LoaderOptions())).load(response.body());
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(description.get("openapi")).asString().matches("3\\.1\\.\\d+");
    assertThat(description.get("paths")).asInstanceOf(MAP).isNotEmpty();
  }

  @Test
  void what_may_be_null_may_be_something_else_too_and_no_framework_shows() {
    var description = Http.get(address, "/openapi.yaml").body();

    assertThat(description)
        .doesNotContainPattern("type: \"null\"\\s+allOf:")
        .doesNotContain("HttpResponse", "ConversionService");
    assertThat(anyObjects("", new Yaml(new SafeConstructor(new LoaderOptions())).load(description)))
        .as("the generator calls everything that may be null an object; here each is one")
        .containsExactly("/components/schemas/OperationResult/properties/body");
  }

  /// The places of values that may be null or any object.
  private static Stream<String> anyObjects(String place, Object node) {
    return switch (node) {
      case Map<?, ?> map -> {
        var inner =
            map.entrySet().stream()
                .flatMap(each -> anyObjects(place + "/" + each.getKey(), each.getValue()));
        var isAnyObject =
            map.get("type") instanceof List<?> types
                && types.containsAll(List.of("null", "object"));
        yield isAnyObject ? Stream.concat(Stream.of(place), inner) : inner;
      }
      case List<?> list -> list.stream().flatMap(each -> anyObjects(place, each));
      case null, default -> Stream.empty();
    };
  }

  @Test
  void every_operation_has_a_name_of_its_own_and_no_text_is_changed_by_the_generator() {
    var description = Http.get(address, "/openapi.yaml").body();

    assertThat(OPERATION_ID.matcher(description).results().map(found -> found.group(1)))
        .isNotEmpty()
        .allMatch(id -> id.matches("[a-z][a-zA-Z]+"))
        .doesNotHaveDuplicates();
    assertThat(description)
        .doesNotContainPattern("[a-z]_\\d") // an id made unique, also where a text has the word
        .doesNotContain("\\`") // a doc comment as Markdown
        .doesNotContain(" 200 response"); // a route without a description of its response
  }

  @Test
  void a_request_body_is_described_with_the_limits_that_are_enforced() {
    Map<String, Map<String, Map<String, Object>>> description =
        new Yaml(new SafeConstructor(new LoaderOptions()))
            .load(Http.get(address, "/openapi.yaml").body());

    var schemas = description.get("components").get("schemas");

    assertThat(schemas.get("PlaceHold").toString())
        .contains("required=[requester]", "maxLength=128", "minimum=1", "minItems=1");
    assertThat(schemas.get("NewItem").toString())
        .contains("required=[item]", "maximum=1000000000000", "minimum=-1000000");
    assertThat(schemas.get("NewPoolPolicy").toString()).doesNotContain("required=");
    assertThat(schemas.get("NewApiKey").toString())
        .contains("pattern=^[A-Za-z0-9._-]{1,64}$", "maxItems=5");
  }

  @Test
  void every_route_describes_its_answers_and_refusals() {
    Map<String, Map<String, Object>> description =
        new Yaml(new SafeConstructor(new LoaderOptions()))
            .load(Http.get(address, "/openapi.yaml").body());

    description
        .get("paths")
        .forEach(
            (path, methods) ->
                ((Map<?, ?>) methods)
                    .forEach(
                        (method, operation) ->
                            assertThat(((Map<?, ?>) operation).get("responses").toString())
                                .as(method + " " + path)
                                .matches("\\{.*(200|201|202|204)=.*")
                                .matches(
                                    text ->
                                        path.equals("/openapi.yaml")
                                            || text.contains("application/problem+json"))));
  }

  @Test
  void the_description_says_how_a_key_is_sent_and_the_docs_let_readers_enter_one() {
    var description = Http.get(address, "/openapi.yaml").body();

    assertThat(description)
        .containsPattern("securitySchemes:\\s+key:\\s+")
        .contains("scheme: bearer")
        .containsPattern("/v1/keys:[\\s\\S]*security:\\s+- key:");
    assertThat(Http.get(address, "/docs").body()).contains("allow-authentication=\"true\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/docs"})
  void a_page_refers_to_this_service_only_and_to_what_is_there(String page) {
    var html = Http.get(address, page);

    assertThat(html.statusCode()).isEqualTo(200);
    assertThat(html.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
    assertThat(hosts(html.body())).isEmpty();
    assertThat(references(html.body()))
        .isNotEmpty()
        .allMatch(reference -> reference.startsWith("/") && !reference.startsWith("//"))
        .allMatch(reference -> Http.get(address, reference).statusCode() == 200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/holdfast.css", "/icon.svg", "/seats.js"})
  void the_assets_of_a_page_load_nothing_from_other_hosts(String part) {
    var text = Http.get(address, part).body().replace("http://www.w3.org/2000/svg", "");

    assertThat(hosts(text)).isEmpty();
    assertThat(text).doesNotContain("@import");
  }

  @Test
  void the_docs_viewer_loads_no_fonts_and_names_no_other_host() {
    var page = Http.get(address, "/docs").body();
    var script = Http.get(address, "/rapidoc.js");

    assertThat(page).contains("load-fonts=\"false\"");
    assertThat(script.statusCode()).isEqualTo(200);
    assertThat(hosts(script.body()))
        .as("hosts in rapidoc.js: look whether a new one is fetched, then list it")
        .isSubsetOf(HOSTS_IN_RAPIDOC);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/docs", "/index.html"})
  void the_content_security_policy_allows_no_other_host(String page) {
    var headers = Http.get(address, page).headers();

    var policy = headers.firstValue("Content-Security-Policy").orElse("none");

    assertThat(policy).contains("default-src 'self'").contains("frame-ancestors 'none'");
    assertThat(policy.split("[; ]+"))
        .allMatch(
            word -> word.matches("[a-z]+-src|'self'|'unsafe-inline'|data:|frame-ancestors|'none'"));
  }

  @Test
  void the_seat_map_has_no_script_or_style_but_what_is_served() {
    var policy =
        Http.get(address, "/").headers().firstValue("Content-Security-Policy").orElse("none");

    assertThat(policy).doesNotContain("unsafe");
    assertThat(Http.get(address, "/").body()).doesNotContain("style=").doesNotContain("<script>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/docs", "/holdfast.css", "/health"})
  void a_page_can_be_read_only(String page) {
    var response = Http.post(address, page, "{}");

    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
  }

  private static Stream<String> references(String html) {
    return REFERENCE
        .matcher(html)
        .results()
        .map(found -> found.group(1))
        .filter(reference -> !reference.startsWith("#")); // leads to another part of the same page
  }

  private static Stream<String> hosts(String text) {
    return HOST.matcher(text).results().map(found -> found.group(1).replaceFirst("\\.$", ""));
  }
}
