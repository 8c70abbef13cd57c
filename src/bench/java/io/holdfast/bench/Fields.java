package io.holdfast.bench;

import java.util.regex.Pattern;

/// Reads single fields of flat JSON that the service wrote.
final class Fields {
  private Fields() {}

  /// A text or a number, as written.
  static String of(String json, String name) {
    var matcher = Pattern.compile('"' + name + "\":\"?([^\",}]*)").matcher(json);
    if (!matcher.find()) {
      throw new IllegalStateException("there is no field " + name + " in " + json);
    }
    return matcher.group(1);
  }
}
