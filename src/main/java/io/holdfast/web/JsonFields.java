package io.holdfast.web;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Takes typed fields out of a JSON object, each by its name. A field that is missing, has another
/// type or is out of range is refused with `InvalidField`. A field that is null counts as absent.
/// `BodyReader` reads whole request bodies with it.
public final class JsonFields {
  private static final int TAKEN_FIRST_SIZE = 8;
  private static final String ATTEMPT_ID = "attemptId";

  private final Map<String, @Nullable Object> members;
  private final String prefix;
  private String[] taken = new String[TAKEN_FIRST_SIZE];
  private int takenCount;

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
    return required(name, optionalText(name));
  }

  public @Nullable String optionalText(String name) {
    return optionalText(name, TextRule.ANY);
  }

  @Nullable String optionalText(String name, TextRule rule) {
    var value = take(name);
    return value == null ? null : text(name, value, rule);
  }

  /// As `JsonBody` reads it, for a field whose refusals are not `InvalidField`s.
  public @Nullable Object optionalAny(String name) {
    return take(name);
  }

  public @Nullable Long optionalWhole(String name, long least, long most) {
    var value = take(name);
    return value == null ? null : (Long) whole(name, value, least, most);
  }

  /// A number with or without a fraction.
  @Nullable Double optionalReal(String name, long least, long most) {
    var value = take(name);
    if (value == null) {
      return null;
    }
    if (value instanceof Number number
        && number.doubleValue() >= least
        && number.doubleValue() <= most) {
      return number.doubleValue();
    }
    throw invalid(name, "has to be a number from " + least + " to " + most);
  }

  @Nullable Boolean optionalFlag(String name) {
    return switch (take(name)) {
      case null -> null;
      case Boolean isTrue -> isTrue;
      default -> throw invalid(name, "has to be true or false");
    };
  }

  /// One or more texts, no two of them equal.
  @Nullable List<String> optionalDistinctTexts(String name, int most, TextRule rule) {
    var texts = optionalTexts(name, most, rule);
    if (texts != null) {
      refuseDuplicates(name, texts);
    }
    return texts;
  }

  /// One or more texts.
  @Nullable List<String> optionalTexts(String name, int most, TextRule rule) {
    var list = optionalList(name, most);
    if (list == null) {
      return null;
    }
    var texts = new ArrayList<String>(list.size());
    for (var i = 0; i < list.size(); i++) {
      texts.add(text(name + "[" + i + "]", list.get(i), rule));
    }
    return texts;
  }

  @Nullable JsonFields optionalObject(String name) {
    var value = take(name);
    return value == null ? null : object(name, value);
  }

  /// An object with any members.
  @Nullable Map<String, @Nullable Object> optionalMap(String name) {
    var object = optionalObject(name);
    return object == null ? null : object.members;
  }

  /// One or more objects. A wrong field in one of them is named like `items[2].item`.
  @Nullable List<JsonFields> optionalObjects(String name, int most) {
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

  /// Refuses fields that were not taken, because a misspelt field must not pass for an absent one.
  /// Every route accepts null members and, at the top, `attemptId`: neither is part of the digest,
  /// so a retry may carry them.
  public void refuseOthers() {
    for (var member : members.entrySet()) {
      var name = member.getKey();
      if (member.getValue() == null || isTaken(name)) {
        continue;
      }
      if (!prefix.isEmpty() || !name.equals(ATTEMPT_ID)) {
        throw invalid(TextRule.shown(name), "is not known here");
      }
      text(name, member.getValue(), TextRule.ANY);
    }
  }

  /// Refuses a list that is too long before its elements are read.
  public void refuseLongerList(String name, int most) {
    if (members.get(name) instanceof List<?> list && list.size() > most) {
      throw invalid(name, "has to be a list of 1 to " + most);
    }
  }

  public InvalidField invalid(String name, String rule) {
    return InvalidField.of(prefix + name, rule);
  }

  <T> T required(String name, @Nullable T value) {
    if (value == null) {
      throw invalid(name, "is missing");
    }
    return value;
  }

  private @Nullable Object take(String name) {
    if (takenCount == taken.length) {
      taken = Arrays.copyOf(taken, 2 * takenCount);
    }
    taken[takenCount++] = name;
    return members.get(name);
  }

  private boolean isTaken(String name) {
    for (var i = 0; i < takenCount; i++) {
      if (taken[i].equals(name)) {
        return true;
      }
    }
    return false;
  }

  private String text(String name, @Nullable Object value, TextRule rule) {
    if (!(value instanceof String text)) {
      throw invalid(name, "has to be a text");
    }
    var fault = rule.fault(text);
    if (fault != null) {
      throw invalid(name, fault);
    }
    return text;
  }

  /// Reads 2, 2.0 and 2e0 as one number, because they are one in the digest of the call.
  private long whole(String name, Object value, long least, long most) {
    try {
      var whole = value instanceof BigDecimal big ? big.longValueExact() : (Long) value;
      if (whole >= least && whole <= most) {
        return whole;
      }
    } catch (ArithmeticException | ClassCastException e) {
      // refused below like a number out of range
    }
    var range = most == Long.MAX_VALUE ? "of at least " + least : "from " + least + " to " + most;
    throw invalid(name, "has to be a whole number " + range);
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
      var range = most == Integer.MAX_VALUE ? "1 or more" : "1 to " + most;
      throw invalid(name, "has to be a list of " + range);
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
