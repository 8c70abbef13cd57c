package io.holdfast.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// One raw HTTP connection, for requests that no client library sends. Tests with many connections
/// write to all before they read from any.
public final class Wire implements AutoCloseable {
  private static final int PATIENCE_MS = 30_000;

  private final Socket socket;
  private final InputStream input;

  private Wire(Socket socket) throws IOException {
    this.socket = socket;
    this.input = new BufferedInputStream(socket.getInputStream());
    socket.setSoTimeout(PATIENCE_MS);
    socket.setTcpNoDelay(true);
  }

  /// @param headers by lower-case name
  public record Answer(int status, Map<String, String> headers, String body) {}

  public static Wire to(URI base) {
    try {
      return new Wire(new Socket(base.getHost(), base.getPort()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A request to place a hold with the given headers, one char a byte.
  public static byte[] place(Api api, String pool, String body, String... headers) {
    var lines = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    var head =
        "POST /v1/pools/%s/holds HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                .formatted(pool, api.key())
            + "Content-Type: application/json\r\nContent-Length: %d\r\n".formatted(bytes.length)
            + lines
            + "\r\n";
    var request = new ByteArrayOutputStream();
    request.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
    request.writeBytes(bytes);
    return request.toByteArray();
  }

  public Answer call(byte[] request) {
    write(request);
    return read();
  }

  public void write(byte[] request) {
    try {
      socket.getOutputStream().write(request);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Answer read() {
    try {
      var status = Integer.parseInt(line().split(" ")[1]);
      var headers = new HashMap<String, String>();
      for (var line = line(); !line.isEmpty(); line = line()) {
        var colon = line.indexOf(':');
        headers.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
      var length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
      var body = new String(input.readNBytes(length), StandardCharsets.UTF_8);
      return new Answer(status, headers, body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String line() throws IOException {
    var line = new StringBuilder();
    for (var c = input.read(); c != '\n'; c = input.read()) {
      if (c < 0) {
        throw new IOException("the service has hung up after \"" + line + "\"");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
