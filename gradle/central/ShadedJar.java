import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.function.Consumer;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The jar gradle-api: the classes of all modules of Gradle and, under changed names, of the
 * libraries they use. Whoever reads it here sees the libraries under their own names again.
 */
final class ShadedJar {
  /** A file in the jar. All that belongs to a library was under changed names. */
  record Entry(String name, boolean ofLibrary, byte[] content) {}

  static final String SERVICES = "META-INF/services/";

  private static final String RELOCATED = "org/gradle/internal/impldep/";

  private ShadedJar() {}

  static void read(Path file, Consumer<Entry> reader) throws IOException {
    try (ZipFile zip = new ZipFile(file.toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (!entry.isDirectory()) {
          String path = entry.getName();
          String name = withRealNames(path);
          byte[] content = zip.getInputStream(entry).readAllBytes();
          reader.accept(new Entry(name, path.startsWith(RELOCATED), withRealNames(name, content)));
        }
      }
    }
  }

  private static byte[] withRealNames(String name, byte[] content) throws IOException {
    if (name.endsWith(".class")) {
      return classWithRealNames(content);
    }
    return name.startsWith(SERVICES) ? withRealNames(content) : content;
  }

  /** Classes are named in the constant pool only, as text: nothing else has to change. */
  private static byte[] classWithRealNames(byte[] classFile) throws IOException {
    var in = new DataInputStream(new ByteArrayInputStream(classFile));
    var result = new ByteArrayOutputStream(classFile.length);
    var out = new DataOutputStream(result);
    out.writeLong(in.readLong()); // magic number and version
    int size = in.readUnsignedShort();
    out.writeShort(size);
    for (int index = 1; index < size; index++) {
      int tag = in.readUnsignedByte();
      out.writeByte(tag);
      switch (tag) {
        case 1 -> {
          byte[] text = withRealNames(in.readNBytes(in.readUnsignedShort()));
          out.writeShort(text.length);
          out.write(text);
        }
        case 5, 6 -> {
          out.write(in.readNBytes(8));
          index++; // long and double take two places
        }
        case 7, 8, 16, 19, 20 -> out.write(in.readNBytes(2));
        case 15 -> out.write(in.readNBytes(3));
        default -> out.write(in.readNBytes(4));
      }
    }
    in.transferTo(out);
    return result.toByteArray();
  }

  /** One character stands for each byte meanwhile, so that nothing is lost on the way back. */
  private static byte[] withRealNames(byte[] text) {
    return withRealNames(new String(text, ISO_8859_1)).getBytes(ISO_8859_1);
  }

  private static String withRealNames(String text) {
    return text.replace(RELOCATED, "").replace(RELOCATED.replace('/', '.'), "");
  }
}
