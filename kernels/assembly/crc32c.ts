// CRC32C over linear memory: slicing by 16, whose look-ups overlap. `tables` are 16 x 256 words that the
// host made. Part of the WebAssembly module; the twin is storage-format/crc32c.ts.

function table(tables: usize, row: usize, byte: u32): u32 {
  return load<u32>(tables + (row << 10) + ((byte & 255) << 2));
}

function four(tables: usize, row: usize, word: u32): u32 {
  return (
    table(tables, row + 3, word) ^
    table(tables, row + 2, word >>> 8) ^
    table(tables, row + 1, word >>> 16) ^
    table(tables, row, word >>> 24)
  );
}

/** The register after these bytes; both are inverted by the caller. */
export function crc32c(crc: u32, at: usize, bytes: usize, tables: usize): u32 {
  const end = at + bytes;
  const fast = at + (bytes & ~15);
  for (; at < fast; at += 16) {
    crc =
      four(tables, 12, load<u32>(at) ^ crc) ^
      four(tables, 8, load<u32>(at, 4)) ^
      four(tables, 4, load<u32>(at, 8)) ^
      four(tables, 0, load<u32>(at, 12));
  }
  for (; at < end; at++) crc = table(tables, 0, crc ^ (load<u8>(at) as u32)) ^ (crc >>> 8);
  return crc;
}
