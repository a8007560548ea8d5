// Writes the fixtures beside this file: sets as programs on the JVM (Hive, Spark, Pinot) store them.
// Run once, with org.roaringbitmap:RoaringBitmap 1.3.0 on the class path:
//
//   java -cp RoaringBitmap-1.3.0.jar WriteBitmaps.java .
//
// Each file is one set; foreign-set.test.ts says which ids it holds.

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

public class WriteBitmaps {
  static Path folder;

  interface Body { void to(DataOutputStream out) throws Exception; }

  static void write(String name, Body body) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    body.to(out);
    out.flush();
    Files.write(folder.resolve(name), bytes.toByteArray());
  }

  static void small(String name, RoaringBitmap set) throws Exception {
    write(name + ".roaring32", set::serialize);
  }

  static void wide(String name, long... ids) throws Exception {
    Roaring64NavigableMap unsigned = Roaring64NavigableMap.bitmapOf(ids);
    unsigned.runOptimize();
    write(name + ".legacy", unsigned::serializeLegacy);
    write(name + ".portable", unsigned::serializePortable);
    Roaring64NavigableMap signed = new Roaring64NavigableMap(true);
    for (long id : ids) signed.addLong(id);
    write(name + ".signed-legacy", signed::serializeLegacy);
    Roaring64Bitmap art = Roaring64Bitmap.bitmapOf(ids);
    write(name + ".art", art::serialize);
  }

  public static void main(String[] arguments) throws Exception {
    folder = Path.of(arguments[0]);
    small("empty", new RoaringBitmap());
    small("one", RoaringBitmap.bitmapOf(7));
    small("negative", RoaringBitmap.bitmapOf(-1, 0, Integer.MIN_VALUE));
    RoaringBitmap array = new RoaringBitmap();
    for (int i = 0; i < 4096; i++) array.add(3 * i);
    small("array-4096", array);
    RoaringBitmap bits = new RoaringBitmap();
    for (int i = 0; i < 4097; i++) bits.add(3 * i);
    small("bits-4097", bits);
    RoaringBitmap runs = new RoaringBitmap();
    runs.add(10L, 70_000L);
    runs.add(1L << 31, (1L << 31) + 5);
    runs.runOptimize();
    small("runs", runs);
    wide("wide", 0L, 1L, 5L << 32, (5L << 32) + 7, Long.MAX_VALUE, Long.MIN_VALUE, -1L);
    wide("wide-empty");
  }
}
