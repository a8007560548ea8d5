// Types by their names, as far as loading needs them: does a field look like a value of this type,
// and which type do the fields of a column suggest.

export interface NamedColumn {
  readonly name: string;
  readonly type: string;
}

const integer = /^[-+]?\d+$/;
const decimal = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$|^[-+]?(inf|nan)/i;
const date = /^\d{4}-\d\d?-\d\d?$/;
const dateTime = /^\d{4}-\d\d?-\d\d?[ T]\d\d?:\d\d(:\d\d(\.\d+)?)?Z?$|^\d{9,10}(\.\d+)?$/;
const nothing = /^(\\N|NULL|ᴺᵁᴸᴸ)?$/i;

/** Without Nullable and LowCardinality. */
export function bareType(type: string): string {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)?.[1];
  return inner === undefined ? type : bareType(inner);
}

export function isBitmap(type: string): boolean {
  return type.startsWith('AggregateFunction(');
}

/** Texts fit everything that takes text. */
export function looksLike(field: string, type: string): boolean {
  const bare = bareType(type);
  if (nothing.test(field)) return true;
  if (/^U?Int\d+$/.test(bare)) return integer.test(field);
  if (/^(Float|Decimal)/.test(bare)) return decimal.test(field);
  if (/^Date(32)?$/.test(bare)) return date.test(field) || integer.test(field);
  if (bare.startsWith('DateTime')) return dateTime.test(field) || date.test(field);
  if (bare === 'Bool') return /^(true|false|0|1)$/i.test(field);
  if (bare.startsWith('Array')) return field.startsWith('[');
  if (bare.startsWith('Tuple')) return field.startsWith('(');
  return true;
}

const uint64Max = 18_446_744_073_709_551_615n;

/** From some fields of a column. What isn't surely a number or a date is a String. */
export function suggestedType(fields: readonly string[]): string {
  const given = fields.filter((field) => !nothing.test(field));
  const nullable = given.length < fields.length;
  const wrap = (type: string): string => (nullable ? `Nullable(${type})` : type);
  if (given.length === 0) return 'String';
  // Numbers with a zero in front are numbers of telephones and the like.
  if (given.every((field) => integer.test(field) && !/^[-+]?0\d/.test(field))) {
    const values = given.map(BigInt);
    if (values.every((value) => value >= 0n && value <= uint64Max)) return wrap('UInt64');
    if (values.every((value) => BigInt.asIntN(64, value) === value)) return wrap('Int64');
    return 'String';
  }
  if (given.every((field) => decimal.test(field) && !/^[-+]?0\d/.test(field)))
    return wrap('Float64');
  if (given.every((field) => date.test(field))) return wrap('Date');
  if (given.every((field) => dateTime.test(field) && field.includes(':'))) return wrap('DateTime');
  return 'String';
}
