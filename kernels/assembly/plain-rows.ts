// Rows of CSV and JSON lines whose fields are all plain: whole numbers, and texts without anything to
// undo. Stops before the first row that is not so, or not whole; somebody else reads that one. Part of the
// WebAssembly module; the twins are the row readers of engine/formats.
//
// A field is eight words: its kind; the largest number; where numbers or marks of texts go; where the
// beginnings of texts go; where its key is and its bytes (JSON, in quotes); where its slots are. A byte 0
// stands behind the input, and more may be read there.
//
// A mark of a text is 2 bits how, 12 bits slot, 18 bits length. Slots (a u64, b u64, u32 length, u32)
// remember short texts: 0 it is the slot's, 1 it became the slot's, 2 it is too long for one.

const fieldBytes: usize = 32;
const slotBytes: usize = 24;
const shortBytes: usize = 16;
const noText: u32 = 0xffff_ffff;

/** Numbers to 32 bits, 64-bit ones, texts; signed ones are odd. */
const wideKind: u32 = 2;
const textKind: u32 = 4;

/** Fields between delimiters, a row a line. Rows read; the place behind them goes to `stop`. */
export function plainDelimitedRows(
  fields: usize,
  fieldsEnd: usize,
  at: usize,
  end: usize,
  rowsMax: u32,
  delimiter: u32,
  stop: usize,
): u32 {
  let rows: u32 = 0;
  while (rows < rowsMax) {
    let next = at;
    let field = fields;
    for (; field < fieldsEnd; field += fieldBytes) {
      next = value(field, next, end, rows, delimiter);
      if (next == 0 || next >= end) break;
      const byte: u32 = load<u8>(next++);
      if (field + fieldBytes < fieldsEnd) {
        if (byte != delimiter) break;
      } else if (byte != 0x0a) {
        if (byte != 0x0d || next >= end || load<u8>(next) != 0x0a) break;
        next++;
      }
    }
    if (field < fieldsEnd) {
      forget(fields, field, rows);
      break;
    }
    rows++;
    at = next;
  }
  store<u32>(stop, at as u32);
  return rows;
}

/** Objects with the same keys in the same order. */
export function plainObjectRows(
  fields: usize,
  fieldsEnd: usize,
  at: usize,
  end: usize,
  rowsMax: u32,
  stop: usize,
): u32 {
  let rows: u32 = 0;
  while (rows < rowsMax) {
    let next = blanks(at);
    if (load<u8>(next) == 0x2c) next = blanks(next + 1);
    if (load<u8>(next++) != 0x7b) break;
    let field = fields;
    for (; field < fieldsEnd; field += fieldBytes) {
      next = behindKey(field, blanks(next));
      if (next == 0) break;
      next = value(field, next, end, rows, 0);
      if (next == 0) break;
      next = blanks(next);
      const behind: u32 = field + fieldBytes < fieldsEnd ? 0x2c : 0x7d;
      if (next >= end || (load<u8>(next++) as u32) != behind) break;
    }
    if (field < fieldsEnd) {
      forget(fields, field, rows);
      break;
    }
    rows++;
    at = next;
  }
  store<u32>(stop, at as u32);
  return rows;
}

/** What the row that is not read left in slots: nobody hears of those texts. */
function forget(fields: usize, last: usize, row: u32): void {
  for (let field = fields; field <= last; field += fieldBytes) {
    if (load<u32>(field) != textKind) continue;
    const mark = load<u32>((load<u32>(field, 8) as usize) + ((row as usize) << 2));
    if (mark >>> 30 != 1) continue;
    store<u32>(slotOf(field, (mark >>> 18) & 4095), noText, 16);
  }
}

function slotOf(field: usize, slot: u32): usize {
  return (load<u32>(field, 24) as usize) + (slot as usize) * slotBytes;
}

function blanks(at: usize): usize {
  let byte: u32 = load<u8>(at);
  while (byte == 0x20 || byte - 9 <= 4) byte = load<u8>(++at);
  return at;
}

/** 0 where another key stands there, or no colon behind it. */
function behindKey(field: usize, at: usize): usize {
  const key = load<u32>(field, 16) as usize;
  const bytes = load<u32>(field, 20) as usize;
  for (let i: usize = 0; i < bytes; i += 8) {
    const differing = load<u64>(at + i) ^ load<u64>(key + i);
    if (firstBytes(differing, bytes - i) != 0) return 0;
  }
  at = blanks(at + bytes);
  return load<u8>(at) == 0x3a ? blanks(at + 1) : 0;
}

/** The others become 0. */
function firstBytes(word: u64, count: usize): u64 {
  return count >= 8 ? word : word & (((1 as u64) << ((count << 3) as u64)) - 1);
}

/** The place behind the value; 0: it is not plain. `delimiter` is 0 in JSON. */
function value(field: usize, at: usize, end: usize, row: u32, delimiter: u32): usize {
  const kind = load<u32>(field);
  if (kind == textKind) return text(field, at, end, row, delimiter);
  const isQuoted = load<u8>(at) == 0x22;
  if (isQuoted) at++;
  const isNegative = (kind & 1) != 0 && load<u8>(at) == 0x2d;
  if (isNegative) at++;
  at = kind < wideKind ? small(field, at, row, isNegative) : wide(field, at, row, isNegative);
  if (at == 0 || !isQuoted) return at;
  return load<u8>(at) == 0x22 ? at + 1 : 0;
}

function small(field: usize, at: usize, row: u32, isNegative: bool): usize {
  const start = at;
  let number: u64 = 0;
  for (;;) {
    const digit = (load<u8>(at) as u32) - 0x30;
    if (digit > 9) break;
    number = number * 10 + (digit as u64);
    if (++at - start > 10) return 0;
  }
  const most = (load<u32>(field, 4) as u64) + (isNegative ? 1 : 0);
  if (at == start || number > most) return 0;
  const bits = number as u32;
  store<u32>((load<u32>(field, 8) as usize) + ((row as usize) << 2), isNegative ? 0 - bits : bits);
  return at;
}

function wide(field: usize, at: usize, row: u32, isNegative: bool): usize {
  const start = at;
  let number: u64 = 0;
  while (at - start < 16) {
    const word = load<u64>(at);
    if (!areDigits(word)) break;
    number = number * 100_000_000 + eightDigits(word);
    at += 8;
  }
  for (;;) {
    const digit = (load<u8>(at) as u64) - 0x30;
    if (digit > 9) break;
    if (at - start >= 19 && (at - start > 19 || number > 1844674407370955161)) return 0;
    if (number == 1844674407370955161 && digit > 5) return 0;
    number = number * 10 + digit;
    at++;
  }
  if (at == start) return 0;
  const isSigned = (load<u32>(field) & 1) != 0;
  if (isSigned && number > (0x7fff_ffff_ffff_ffff as u64) + (isNegative ? 1 : 0)) return 0;
  store<u64>(
    (load<u32>(field, 8) as usize) + ((row as usize) << 3),
    isNegative ? 0 - number : number,
  );
  return at;
}

function areDigits(word: u64): bool {
  const high: u64 = 0xf0f0_f0f0_f0f0_f0f0;
  const zeros: u64 = 0x3030_3030_3030_3030;
  return (word & high) == zeros && ((word + 0x0606_0606_0606_0606) & high) == zeros;
}

/** Pairs, then fours, then all eight, side by side. */
function eightDigits(word: u64): u64 {
  word = (word & 0x0f0f_0f0f_0f0f_0f0f) * 2561;
  word = ((word >>> 8) & 0x00ff_00ff_00ff_00ff) * 6_553_601;
  return (((word >>> 16) & 0x0000_ffff_0000_ffff) * 42_949_672_960_001) >>> 32;
}

function text(field: usize, at: usize, end: usize, row: u32, delimiter: u32): usize {
  if (load<u8>(at) != 0x22) {
    if (delimiter == 0) return 0;
    const stop = bareEnd(at, end, delimiter);
    if (stop != 0) keep(field, at, stop, row);
    return stop;
  }
  const start = at + 1;
  let stop = start;
  for (; stop < end; stop++) {
    const byte = load<u8>(stop);
    if (byte == 0x22) break;
    if (byte == 0x5c && delimiter == 0) return 0;
  }
  // A quote that is doubled is no end: what stands behind it isn't a delimiter.
  if (stop >= end) return 0;
  keep(field, start, stop, row);
  return stop + 1;
}

/** 0 where nothing stands there, blanks around it, or the mark of NULL. */
function bareEnd(start: usize, end: usize, delimiter: u32): usize {
  let at = start;
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte == delimiter || byte == 0x0a || byte == 0x0d) break;
  }
  if (at == start || at >= end || isBlank(load<u8>(start)) || isBlank(load<u8>(at - 1))) return 0;
  return at - start == 2 && load<u16>(start) == 0x4e5c ? 0 : at;
}

function isBlank(byte: u32): bool {
  return byte == 0x20 || byte == 0x09;
}

function keep(field: usize, start: usize, stop: usize, row: u32): void {
  const length = stop - start;
  const place = (row as usize) << 2;
  store<u32>((load<u32>(field, 12) as usize) + place, start as u32);
  let mark: u32 = ((2 as u32) << 30) | (length as u32);
  if (length <= shortBytes) {
    const a = firstBytes(load<u64>(start), length);
    const b = length > 8 ? firstBytes(load<u64>(start, 8), length - 8) : 0;
    const mixed = (a ^ (b * 0x9e37_79b9_7f4a_7c15) ^ (length as u64)) * 0xff51_afd7_ed55_8ccd;
    const slot = (mixed >>> 52) as u32;
    const known = slotOf(field, slot);
    const isKnown =
      load<u64>(known) == a && load<u64>(known, 8) == b && load<u32>(known, 16) == (length as u32);
    if (!isKnown) {
      store<u64>(known, a);
      store<u64>(known, b, 8);
      store<u32>(known, length as u32, 16);
    }
    mark = ((isKnown ? 0 : 1) << 30) | (slot << 18) | (length as u32);
  }
  store<u32>((load<u32>(field, 8) as usize) + place, mark);
}
