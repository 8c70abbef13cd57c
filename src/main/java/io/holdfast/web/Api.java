package io.holdfast.web;

import io.swagger.v3.oas.annotations.OpenAPIDefinition;
import io.swagger.v3.oas.annotations.info.Info;
import io.swagger.v3.oas.annotations.info.License;

/// What the description of the API says of the API as a whole.
@OpenAPIDefinition(
    info =
        @Info(
            title = "Holdfast",
            version = "1",
            description =
                "Holds, then sells, each seat to exactly one of millions who ask at once.",
            license =
                @License(name = "Apache-2.0", url = "https://www.apache.org/licenses/LICENSE-2.0")))
final class Api {
  private Api() {}
}
