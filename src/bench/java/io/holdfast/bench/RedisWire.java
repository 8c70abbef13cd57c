package io.holdfast.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A connection to Redis on which questions can be sent ahead of answers, and as close to the
/// socket as Java gets: what it measures is the server.
final class RedisWire implements AutoCloseable {
  private static final int PATIENCE_MS = (int) Duration.ofSeconds(30).toMillis();
  private static final double NANOS_A_SECOND = 1e9;
  private static final int BUFFER_BYTES = 64 << 10;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  RedisWire(InetSocketAddress address) {
    try {
      socket = new Socket(address.getAddress(), address.getPort());
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(PATIENCE_MS);
      in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
      out = socket.getOutputStream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A command as Redis reads it, one byte a character.
  static String command(List<String> words) {
    var text = new StringBuilder("*" + words.size() + "\r\n");
    words.forEach(word -> text.append("$%d\r\n%s\r\n".formatted(word.length(), word)));
    return text.toString();
  }

  Object ask(String... words) {
    var command = command(List.of(words)).getBytes(StandardCharsets.ISO_8859_1);
    send(command, command.length);
    return read();
  }

  /// A number that the server tells of itself.
  long info(String section, String field) {
    return Long.parseLong(field((String) ask("INFO", section), field));
  }

  /// Processor time that the thread which runs the commands has used so far.
  Duration mainThreadTime() {
    var cpu = (String) ask("INFO", "cpu");
    var seconds =
        Double.parseDouble(field(cpu, "used_cpu_sys_main_thread"))
            + Double.parseDouble(field(cpu, "used_cpu_user_main_thread"));
    return Duration.ofNanos((long) (seconds * NANOS_A_SECOND));
  }

  private static String field(String info, String field) {
    return info.lines()
        .filter(line -> line.startsWith(field + ":"))
        .map(line -> line.substring(field.length() + 1).strip())
        .findFirst()
        .orElseThrow();
  }

  void send(byte[] commands, int length) {
    try {
      out.write(commands, 0, length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A `String`, a `Long`, or a `List` of them. Nothing is an empty text.
  Object read() {
    try {
      return readValue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Object readValue() throws IOException {
    var type = in.read();
    var line = readLine();
    return switch (type) {
      case '+' -> line;
      case ':' -> Long.valueOf(line);
      case '$' -> readText(Integer.parseInt(line));
      case '*' -> readList(Integer.parseInt(line));
      case '-' -> throw new IllegalStateException("Redis answered " + line);
      default -> throw new EOFException("Redis answered something else: " + (char) type + line);
    };
  }

  private String readText(int length) throws IOException {
    if (length < 0) {
      return "";
    }
    var bytes = in.readNBytes(length + 2);
    return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }

  private List<Object> readList(int size) throws IOException {
    List<Object> list = new ArrayList<>(Math.max(0, size));
    for (int i = 0; i < size; i++) {
      list.add(readValue());
    }
    return list;
  }

  private String readLine() throws IOException {
    var line = new StringBuilder();
    int b;
    while ((b = in.read()) != '\r') {
      if (b < 0) {
        throw new EOFException("Redis closed the connection");
      }
      line.append((char) b);
    }
    in.read(); // the \n
    return line.toString();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
