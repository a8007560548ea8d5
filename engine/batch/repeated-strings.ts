// Lists of strings in which few occur often, as columns of tags and events are: the distinct ones, and
// which of them stands where. Cheaper to send, and cheaper to group by afterwards, since
// equal strings stay one string.

interface RepeatedStrings {
  readonly distinct: readonly string[];
  /** Of each value, its place in `distinct`. */
  readonly places: Uint8Array | Uint16Array;
}

const lengthMin = 64;
const distinctMax = 65_536;
/** So many values are looked at before it is clear whether they repeat. */
const sampleLength = 1024;

/** Undefined where most values occur once, or too many do. */
export function findRepeated(values: readonly string[]): RepeatedStrings | undefined {
  if (values.length < lengthMin) return undefined;
  const known = new Map<string, number>();
  const places = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as string;
    let place = known.get(value);
    if (place === undefined) {
      place = known.size;
      if (place === distinctMax) return undefined;
      known.set(value, place);
    }
    places[i] = place;
    if (i === sampleLength && known.size > sampleLength / 2) return undefined;
  }
  if (known.size > values.length / 2) return undefined;
  const distinct = [...known.keys()];
  return { distinct, places: distinct.length > 256 ? places : Uint8Array.from(places) };
}
