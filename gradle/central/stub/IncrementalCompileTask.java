package org.gradle.internal.compiler.java;

import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.annotation.processing.Processor;
import javax.tools.JavaCompiler.CompilationTask;

/** Only runs the compiler. The original also records which classes depend on which. */
public class IncrementalCompileTask implements CompilationTask {
  private final CompilationTask task;

  public IncrementalCompileTask(
      CompilationTask task,
      Function<?, ?> relativize,
      Consumer<?> classNames,
      Consumer<?> backupPaths,
      BiConsumer<?, ?> types,
      BiConsumer<?, ?> constants) {
    this.task = task;
  }

  @Override
  public void addModules(Iterable<String> names) {
    task.addModules(names);
  }

  @Override
  public void setProcessors(Iterable<? extends Processor> processors) {
    task.setProcessors(processors);
  }

  @Override
  public void setLocale(Locale locale) {
    task.setLocale(locale);
  }

  @Override
  public Boolean call() {
    return task.call();
  }
}
