package io.holdfast.web;

import io.micronaut.core.annotation.AnnotationMetadata;
import io.micronaut.core.beans.BeanIntrospection;
import io.micronaut.core.type.Argument;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads a request body into its record. The record is the only description of the body: OpenAPI
/// shows its components with their constraints, and this reader enforces the same constraints. The
/// first wrong field is refused with `InvalidField`, in the order of the components; then unknown
/// fields are refused.
///
/// A component is a `String`, a whole number, a `Double`, a `Boolean`, another such record, a list
/// of texts or records, a `Map` to texts, which is `Metadata`, or another `Map`, which takes any
/// JSON object. It is required unless it is `@Nullable`. `@Size` limits the bytes of a text and the
/// length of a list, `@Pattern` gives the form of a text and the sentence for others. The texts of
/// a list differ, unless it is `@MayRepeat`.
public final class BodyReader<T> {
  private final BeanIntrospection<T> type;
  private final Component[] components;

  /// Takes one component out of the fields; null if it is absent and may be.
  private interface Component {
    @Nullable Object read(JsonFields fields);
  }

  private BodyReader(Class<T> type) {
    this.type = BeanIntrospection.getIntrospection(type);
    components =
        Arrays.stream(this.type.getConstructorArguments())
            .map(BodyReader::component)
            .toArray(Component[]::new);
  }

  /// @param type a record with `@Introspected`
  public static <T> BodyReader<T> of(Class<T> type) {
    return new BodyReader<>(type);
  }

  public T read(JsonFields fields) {
    var values = new @Nullable Object[components.length];
    for (var i = 0; i < components.length; i++) {
      values[i] = components[i].read(fields);
    }
    fields.refuseOthers();
    return type.instantiate(values);
  }

  private static Component component(Argument<?> argument) {
    var name = argument.getName();
    var optional = optional(argument);
    return argument.isDeclaredNullable()
        ? optional
        : fields -> fields.required(name, optional.read(fields));
  }

  private static Component optional(Argument<?> argument) {
    var name = argument.getName();
    var type = argument.getType();
    if (type == String.class) {
      var rule = textRule(argument);
      return fields -> fields.optionalText(name, rule);
    }
    if (type == List.class) {
      return list(argument);
    }
    if (type == Map.class && argument.getTypeParameters()[1].getType() == String.class) {
      return fields -> Metadata.read(fields, name);
    }
    if (type == Map.class) {
      return fields -> fields.optionalMap(name);
    }
    if (type == boolean.class || type == Boolean.class) {
      return fields -> fields.optionalFlag(name);
    }
    if (Number.class.isAssignableFrom(type) || type.isPrimitive()) {
      return number(argument);
    }
    var nested = of(type);
    return fields -> {
      var object = fields.optionalObject(name);
      return object == null ? null : nested.read(object);
    };
  }

  private static Component number(Argument<?> argument) {
    var name = argument.getName();
    var metadata = argument.getAnnotationMetadata();
    var least = limit(metadata, Min.class, "value", Long.MIN_VALUE);
    if (argument.getType() == Double.class) {
      var most = limit(metadata, Max.class, "value", Long.MAX_VALUE);
      return fields -> fields.optionalReal(name, least, most);
    }
    if (argument.getType() == Integer.class || argument.getType() == int.class) {
      var most = limit(metadata, Max.class, "value", Integer.MAX_VALUE);
      return fields -> {
        var whole = fields.optionalWhole(name, least, most);
        return whole == null ? null : (Integer) whole.intValue();
      };
    }
    var most = limit(metadata, Max.class, "value", Long.MAX_VALUE);
    return fields -> fields.optionalWhole(name, least, most);
  }

  private static Component list(Argument<?> argument) {
    var name = argument.getName();
    var most = (int) limit(argument.getAnnotationMetadata(), Size.class, "max", Integer.MAX_VALUE);
    Argument<?> element = argument.getTypeParameters()[0];
    if (element.getType() == String.class) {
      var rule = textRule(element);
      return argument.getAnnotationMetadata().hasAnnotation(MayRepeat.class)
          ? fields -> fields.optionalTexts(name, most, rule)
          : fields -> fields.optionalDistinctTexts(name, most, rule);
    }
    var nested = of(element.getType());
    return fields -> {
      var objects = fields.optionalObjects(name, most);
      return objects == null ? null : objects.stream().map(nested::read).toList();
    };
  }

  private static TextRule textRule(Argument<?> argument) {
    var metadata = argument.getAnnotationMetadata();
    var bytesMax = (int) limit(metadata, Size.class, "max", TextRule.BYTES_MAX);
    return metadata
        .findAnnotation(Pattern.class)
        .map(
            form ->
                new TextRule(
                    bytesMax,
                    java.util.regex.Pattern.compile(form.getRequiredValue("regexp", String.class)),
                    form.getRequiredValue("message", String.class)))
        .orElseGet(() -> new TextRule(bytesMax, null, null));
  }

  private static long limit(
      AnnotationMetadata metadata,
      Class<? extends Annotation> kind,
      String member,
      long otherwise) {
    return metadata
        .findAnnotation(kind)
        .map(found -> found.longValue(member).orElse(otherwise))
        .orElse(otherwise);
  }
}
