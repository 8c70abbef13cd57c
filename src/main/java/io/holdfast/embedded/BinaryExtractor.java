package io.holdfast.embedded;

import io.holdfast.runtime.StartFailure;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tukaani.xz.XZInputStream;

/// Unpacks the binaries of a server from the class path into a folder, once. The folder appears
/// complete or not at all, also if the process is killed or two processes start at once.
final class BinaryExtractor {
  private static final Logger LOG = LoggerFactory.getLogger(BinaryExtractor.class);

  /// A file lock belongs to the process, so the threads of one process need this lock as well.
  private static final ReentrantLock IN_THIS_PROCESS = new ReentrantLock();

  private final Path folder;
  private final String product;

  /// @param folder where the binaries of this version belong
  /// @param product its name in the log
  BinaryExtractor(Path folder, String product) {
    this.folder = folder;
    this.product = product;
  }

  /// Unpacks a `.txz` archive.
  Path archive(String resource) {
    return once(resource, (in, target) -> extract(new XZInputStream(in), target));
  }

  /// Copies one executable under the name `as`.
  Path executable(String resource, String as) {
    return once(
        resource,
        (in, target) -> {
          Files.copy(in, target.resolve(as));
          makeExecutable(target.resolve(as));
        });
  }

  private Path once(String resource, Extraction extraction) {
    if (Files.isDirectory(folder)) {
      return folder;
    }
    IN_THIS_PROCESS.lock();
    try {
      Files.createDirectories(folder.getParent());
      try (var channel =
              FileChannel.open(
                  sibling(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          var _ = channel.lock()) {
        if (!Files.isDirectory(folder)) {
          unpack(resource, extraction);
        }
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack " + product + " to " + folder, e);
    } finally {
      IN_THIS_PROCESS.unlock();
    }
  }

  private void unpack(String resource, Extraction extraction) throws IOException {
    var part = sibling(".part");
    delete(part);
    Files.createDirectories(part);
    try (var in = BinaryExtractor.class.getResourceAsStream("/" + resource)) {
      if (in == null) {
        throw new StartFailure(
            "This build of Holdfast has no %s for this machine (%s is missing); build it on this machine, or set REDIS_URI and JDBC_URL to your own servers."
                .formatted(product, resource));
      }
      LOG.info("Unpacking {} (first start only)", product);
      extraction.run(new BufferedInputStream(new Progress(in, product)), part);
    }
    Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void extract(InputStream in, Path target) throws IOException {
    try (var tar = new TarArchiveInputStream(in)) {
      TarArchiveEntry entry;
      while ((entry = tar.getNextEntry()) != null) {
        var path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
          throw new IOException("the archive would write outside its folder: " + entry.getName());
        }
        if (entry.isDirectory()) {
          Files.createDirectories(path);
        } else {
          Files.createDirectories(path.getParent());
          write(tar, entry, path);
        }
      }
    }
  }

  private static void write(InputStream tar, TarArchiveEntry entry, Path path) throws IOException {
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
      return;
    }
    Files.copy(tar, path);
    if ((entry.getMode() & 0100) != 0) {
      makeExecutable(path);
    }
  }

  private static void makeExecutable(Path path) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Path sibling(String suffix) {
    return folder.resolveSibling(folder.getFileName() + suffix);
  }

  static void delete(Path path) throws IOException {
    if (Files.exists(path)) {
      try (var files = Files.walk(path)) {
        for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  @FunctionalInterface
  private interface Extraction {
    void run(InputStream in, Path target) throws IOException;
  }

  /// Logs the progress at every quarter.
  private static final class Progress extends FilterInputStream {
    private final String product;
    private final long size;
    private long read;
    private long logged;

    Progress(InputStream in, String product) throws IOException {
      super(in);
      this.product = product;
      this.size = Math.max(1, in.available());
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      var count = super.read(buffer, offset, length);
      read += Math.max(0, count);
      var quarters = 4 * read / size;
      if (quarters > logged && quarters <= 4) {
        logged = quarters;
        LOG.info("Unpacking {}: {} %", product, 25 * quarters);
      }
      return count;
    }
  }
}
