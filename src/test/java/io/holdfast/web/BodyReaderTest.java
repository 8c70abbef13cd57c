package io.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micronaut.core.annotation.Introspected;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A record describes its request body completely: types, limits, what may be absent.
class BodyReaderTest {
  private static final BodyReader<Order> READER = BodyReader.of(Order.class);

  @Introspected
  record Order(
      @Size(min = 1, max = 5) String name,
      @Pattern(regexp = "^(red|blue)$", message = "has to be red or blue") @Nullable String colour,
      @Min(1) @Max(9) long count,
      @Min(0) @Nullable Integer number,
      @Min(1) @Nullable Long from,
      @Min(-10) @Max(10) @Nullable Double x,
      @Nullable Boolean isGift,
      @Size(min = 1, max = 2)
          @Nullable List<@Pattern(regexp = "^[a-z]$", message = "has to be a letter") String> tags,
      @Nullable Part part,
      @Size(max = 2) @Nullable List<Part> parts) {}

  @Introspected
  record Part(String id) {}

  @Test
  void a_whole_body_becomes_its_record() {
    var order =
        read(
            """
            {"name":"n","colour":"red","count":2.0,"number":7,"from":3,"x":1.5,"isGift":true,
             "tags":["a","b"],"part":{"id":"p"},"parts":[{"id":"q"},{"id":"r"}],"attemptId":"t"}
            """);

    assertThat(order)
        .isEqualTo(
            new Order(
                "n",
                "red",
                2,
                7,
                3L,
                1.5,
                true,
                List.of("a", "b"),
                new Part("p"),
                List.of(new Part("q"), new Part("r"))));
  }

  @Test
  void an_absent_optional_field_is_null() {
    var order = read("{\"name\":\"n\",\"count\":1,\"colour\":null}");

    assertThat(order).isEqualTo(new Order("n", null, 1, null, null, null, null, null, null, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`{'count':1}`                                | name       | is missing",
        "`{'name':'n'}`                               | count      | is missing",
        "`{'name':'longer','count':1}`                | name       | has to have 1 to 5 bytes",
        "`{'name':1,'count':1}`                       | name       | has to be a text",
        "`{'name':'n','colour':'grey','count':1}`     | colour     | has to be red or blue",
        "`{'name':'n','count':10}`       | count | has to be a whole number from 1 to 9",
        "`{'name':'n','count':1,'number':-1}` "
            + "| number | has to be a whole number from 0 to 2147483647",
        "`{'name':'n','count':1,'from':0}` | from | has to be a whole number of at least 1",
        "`{'name':'n','count':1,'x':11}`   | x    | has to be a number from -10 to 10",
        "`{'name':'n','count':1,'isGift':'yes'}`      | isGift     | has to be true or false",
        "`{'name':'n','count':1,'tags':[]}`           | tags       | has to be a list of 1 to 2",
        "`{'name':'n','count':1,'tags':['a','B']}`    | tags[1]    | has to be a letter",
        "`{'name':'n','count':1,'tags':['a','a']}`    | tags[1]    | repeats an earlier one",
        "`{'name':'n','count':1,'part':'p'}`          | part       | has to be an object",
        "`{'name':'n','count':1,'part':{}}`           | part.id    | is missing",
        "`{'name':'n','count':1,'parts':[{'id':'q'},{}]}` | parts[1].id | is missing",
        "`{'name':'n','count':1,'part':{'id':'p','z':1}}` | part.z  | is not known here",
        "`{'name':'n','count':1,'nmae':'n'}`          | nmae       | is not known here"
      })
  void a_wrong_field_is_named_with_what_it_has_to_be(String body, String field, String rule) {
    var refused = refusal(body);

    assertThat(refused.field()).isEqualTo(field);
    assertThat(refused.sentence()).isEqualTo("The field " + field + " " + rule + ".");
  }

  @Test
  void of_several_wrong_fields_the_first_of_the_record_is_named_and_unknown_ones_last() {
    assertThat(refusal("{'z':1,'count':0,'name':''}").field()).isEqualTo("name");
    assertThat(refusal("{'z':1,'count':0,'name':'n'}").field()).isEqualTo("count");
  }

  private static Order read(String body) {
    return READER.read(JsonFields.of(JsonBody.read(body.getBytes(StandardCharsets.UTF_8))));
  }

  private static InvalidField refusal(String body) {
    return catchThrowableOfType(InvalidField.class, () -> read(body.replace('\'', '"')));
  }

  @Introspected
  record Note(
      @MayRepeat @Size(max = 3) @Nullable List<String> path,
      @Nullable Map<String, @Nullable Object> data) {}

  @Test
  void a_list_may_repeat_texts_and_a_map_takes_any_object() {
    var note = readNote("{\"path\":[\"a\",\"a\"],\"data\":{\"x\":[1,{}],\"y\":null}}");

    assertThat(note.path).containsExactly("a", "a");
    assertThat(note.data).containsOnlyKeys("x", "y").containsEntry("y", null);
    assertThat(readNote("{}")).isEqualTo(new Note(null, null));
  }

  @Test
  void a_map_takes_nothing_but_an_object() {
    var refusal = catchThrowableOfType(InvalidField.class, () -> readNote("{\"data\":[1]}"));

    assertThat(refusal.sentence()).isEqualTo("The field data has to be an object.");
  }

  private static Note readNote(String body) {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    return BodyReader.of(Note.class).read(JsonFields.of(JsonBody.read(bytes)));
  }
}
