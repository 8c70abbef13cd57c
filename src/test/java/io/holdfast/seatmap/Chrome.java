package io.holdfast.seatmap;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/// The installed Chromium. It records all requests and errors of its pages.
final class Chrome implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");

  private static final List<String> ARGUMENTS =
      List.of(
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync");

  private final List<String> hosts = new CopyOnWriteArrayList<>();
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final Playwright playwright;
  private final Browser browser;

  private Chrome(Path executable) {
    var environment = Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    playwright = Playwright.create(new Playwright.CreateOptions().setEnv(environment));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions().setExecutablePath(executable).setArgs(ARGUMENTS));
  }

  /// Asked by tests that need it.
  static boolean isThere() {
    return executable().isPresent();
  }

  static Chrome start() {
    return new Chrome(executable().orElseThrow());
  }

  /// A new browser that has just opened a page.
  Page person(URI base, String path) {
    return person(base, path, new Browser.NewContextOptions());
  }

  Page person(URI base, String path, Browser.NewContextOptions options) {
    var page = browser.newContext(options).newPage();
    page.onRequest(request -> hosts.add(URI.create(request.url()).getHost()));
    page.onPageError(errors::add);
    page.navigate(base.resolve(path).toString());
    return page;
  }

  List<String> hosts() {
    return hosts.stream().distinct().toList();
  }

  /// Uncaught exceptions.
  List<String> errors() {
    return List.copyOf(errors);
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }

  private static Optional<Path> executable() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
