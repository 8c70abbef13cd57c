package io.holdfast.redis;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.holdfast.testing.Folders;
import java.lang.reflect.Constructor;
import java.util.List;

/// The examples of one script. `LuaContractTest` finds whatever implements this among the tests, in
/// any package, by its constructor without arguments.
public interface ScriptExamples {

  /// Folder and verb, as in `pool/seed`.
  String script();

  /// Together these reach every word that the script can answer.
  List<ScriptExample> examples();

  static List<ScriptExamples> all() {
    return new ClassFileImporter()
        .importPath(Folders.build().resolve("classes/java/test")).stream()
            .filter(type -> type.isAssignableTo(ScriptExamples.class) && !type.isInterface())
            .map(ScriptExamples::create)
            .toList();
  }

  private static ScriptExamples create(JavaClass type) {
    try {
      Constructor<?> constructor = type.reflect().getDeclaredConstructor();
      constructor.setAccessible(true);
      return (ScriptExamples) constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type.getName() + " cannot be created", e);
    }
  }
}
