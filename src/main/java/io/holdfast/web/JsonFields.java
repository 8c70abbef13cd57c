package io.holdfast.web;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Takes typed fields out of a request's object, each by its name. What is missing, has another
/// type or leaves its range is refused with `InvalidField`; a field that is null counts as absent.
/// Who has taken all it knows ends with `refuseOthers`.
public final class JsonFields {
  private static final int ASKED_AT_FIRST = 8;
  private static final String OF_THE_ATTEMPT = "attemptId";

  private final Map<String, @Nullable Object> members;
  private final String prefix;
  private String[] asked = new String[ASKED_AT_FIRST];
  private int askedCount;

  private JsonFields(Map<String, @Nullable Object> members, String prefix) {
    this.members = members;
    this.prefix = prefix;
  }

  /// @param body as `JsonBody` reads it
  public static JsonFields of(Map<String, @Nullable Object> body) {
    return new JsonFields(body, "");
  }

  /// 1 to 128 bytes without control characters.
  public String text(String name) {
    return present(name, optionalText(name));
  }

  /// A longer one, such as an address, under the same rule but for its length.
  public String longText(String name, int bytesMax) {
    if (!(present(name, take(name)) instanceof String text)) {
      throw invalid(name, "has to be a text");
    }
    var fault = TextRules.fault(text, bytesMax);
    if (fault != null) {
      throw invalid(name, fault);
    }
    return text;
  }

  public @Nullable String optionalText(String name) {
    var value = take(name);
    return value == null ? null : text(name, value);
  }

  public long whole(String name, long least, long most) {
    return whole(name, present(name, take(name)), least, most);
  }

  public long whole(String name, long least, long most, long otherwise) {
    var value = take(name);
    return value == null ? otherwise : whole(name, value, least, most);
  }

  public @Nullable Long optionalWhole(String name, long least, long most) {
    var value = take(name);
    return value == null ? null : (Long) whole(name, value, least, most);
  }

  /// A number with or without a fraction, whose amount is at most `most`.
  public @Nullable Double optionalReal(String name, long most) {
    var value = take(name);
    if (value == null) {
      return null;
    }
    if (value instanceof Number number && Math.abs(number.doubleValue()) <= most) {
      return number.doubleValue();
    }
    throw invalid(name, "has to be a number from " + -most + " to " + most);
  }

  public boolean flag(String name, boolean otherwise) {
    return switch (take(name)) {
      case null -> otherwise;
      case Boolean isTrue -> isTrue;
      default -> throw invalid(name, "has to be true or false");
    };
  }

  /// One or more texts, no two of them equal.
  public List<String> texts(String name, int most) {
    return present(name, optionalTexts(name, most));
  }

  public @Nullable List<String> optionalTexts(String name, int most) {
    var list = optionalList(name, most);
    if (list == null) {
      return null;
    }
    var texts = new ArrayList<String>(list.size());
    for (var i = 0; i < list.size(); i++) {
      texts.add(text(name + "[" + i + "]", list.get(i)));
    }
    refuseDuplicates(name, texts);
    return texts;
  }

  public @Nullable JsonFields optionalObject(String name) {
    var value = take(name);
    return value == null ? null : object(name, value);
  }

  /// One or more objects; what is wrong in one of them is named like `items[2].item`.
  public List<JsonFields> objects(String name, int most) {
    return present(name, optionalObjects(name, most));
  }

  public @Nullable List<JsonFields> optionalObjects(String name, int most) {
    var list = optionalList(name, most);
    if (list == null) {
      return null;
    }
    var objects = new ArrayList<JsonFields>(list.size());
    for (var i = 0; i < list.size(); i++) {
      objects.add(object(name + "[" + i + "]", list.get(i)));
    }
    return objects;
  }

  /// Refuses what nobody has asked for: a misspelt field must not pass for an absent one. What has
  /// no part in the digest of a call is taken by every route, or a call would be refused for what
  /// does not tell it from another: members that are null, and the name of the try.
  public void refuseOthers() {
    for (var member : members.entrySet()) {
      var name = member.getKey();
      if (member.getValue() == null || isAsked(name)) {
        continue;
      }
      if (!prefix.isEmpty() || !name.equals(OF_THE_ATTEMPT)) {
        throw invalid(TextRules.shown(name), "is not known here");
      }
      text(name, member.getValue());
    }
  }

  /// Whether the field is there, without taking it.
  public boolean has(String name) {
    return members.get(name) != null;
  }

  public InvalidField invalid(String name, String rule) {
    var field = prefix + name;
    return new InvalidField(field, "The field " + field + " " + rule + ".");
  }

  private @Nullable Object take(String name) {
    if (askedCount == asked.length) {
      asked = Arrays.copyOf(asked, 2 * askedCount);
    }
    asked[askedCount++] = name;
    return members.get(name);
  }

  private boolean isAsked(String name) {
    for (var i = 0; i < askedCount; i++) {
      if (asked[i].equals(name)) {
        return true;
      }
    }
    return false;
  }

  private <T> T present(String name, @Nullable T value) {
    if (value == null) {
      throw invalid(name, "is missing");
    }
    return value;
  }

  private String text(String name, @Nullable Object value) {
    if (!(value instanceof String text)) {
      throw invalid(name, "has to be a text");
    }
    var fault = TextRules.fault(text);
    if (fault != null) {
      throw invalid(name, fault);
    }
    return text;
  }

  /// 2, 2.0 and 2e0 are one number here, because they are one in the digest of the call.
  private long whole(String name, Object value, long least, long most) {
    try {
      var whole = value instanceof BigDecimal big ? big.longValueExact() : (Long) value;
      if (whole >= least && whole <= most) {
        return whole;
      }
    } catch (ArithmeticException | ClassCastException e) {
      // is told below: neither kind of value lies in the range
    }
    throw invalid(name, "has to be a whole number from " + least + " to " + most);
  }

  private JsonFields object(String name, @Nullable Object value) {
    if (!(value instanceof Map<?, ?>)) {
      throw invalid(name, "has to be an object");
    }
    @SuppressWarnings("unchecked") // as JsonBody reads it
    var found = (Map<String, @Nullable Object>) value;
    return new JsonFields(found, prefix + name + ".");
  }

  private @Nullable List<?> optionalList(String name, int most) {
    var value = take(name);
    if (value == null) {
      return null;
    }
    if (!(value instanceof List<?> list) || list.isEmpty() || list.size() > most) {
      throw invalid(name, "has to be a list of 1 to " + most);
    }
    return list;
  }

  private void refuseDuplicates(String name, List<String> texts) {
    var seen = new HashSet<String>(2 * texts.size());
    for (var i = 0; i < texts.size(); i++) {
      if (!seen.add(texts.get(i))) {
        throw invalid(name + "[" + i + "]", "repeats an earlier one");
      }
    }
  }
}
