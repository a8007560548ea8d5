// People with sparse 64-bit ids and habits, and the four tables that say what is known of them. All
// figures follow from (people, seed). Person i has the i-th smallest id, so that a list of persons
// in ascending order is a list of ids in ascending order.

import { SeededRandom } from './seeded-random.ts';

interface PeopleOptions {
  readonly people: number;
  readonly seed: number;
}

/** One row of a table: its scalars in column order, and its members, ascending. */
interface PeopleRow {
  readonly scalars: readonly (string | number)[];
  readonly members: Uint32Array;
}

export interface PeopleTable {
  readonly name: string;
  /** Name and type of each column; the last one is the bitmap. */
  readonly columns: readonly (readonly [name: string, type: string])[];
  readonly orderBy: string;
  rows(): Iterable<PeopleRow>;
}

export interface People {
  /** Ascending, unsigned. */
  readonly ids: BigUint64Array;
  readonly tables: readonly PeopleTable[];
}

const days = 30;
const firstDay = 20_454;

const streams = { id: 1, region: 2, age: 3, habit: 4, start: 5, interest: 100, day: 1000, arm: 6 };

export function generatePeople(options: PeopleOptions): People {
  const random = new SeededRandom(options.seed);
  const ids = sparseIds(options.people, random);
  const crowd: Crowd = {
    random,
    people: options.people,
    habits: new Habits(options.people, random),
  };
  return {
    ids,
    tables: [tagTable(crowd), dailyTable(crowd), experimentTable(crowd), redDotTable(crowd)],
  };
}

interface Crowd {
  readonly random: SeededRandom;
  readonly people: number;
  readonly habits: Habits;
}

/** Days since 1970 of day `n` of the data (2026-01-01 is day 0). */
function dateOf(day: number): number {
  return firstDay + day;
}

function sparseIds(people: number, random: SeededRandom): BigUint64Array {
  const ids = new BigUint64Array(people);
  const halves = new Uint32Array(ids.buffer);
  for (let i = 0; i < people; i++) {
    halves[2 * i] = random.word(streams.id, i);
    halves[2 * i + 1] = random.word(streams.id + 7, i);
  }
  ids.sort();
  for (let i = 1; i < people; i++) if (ids[i] === ids[i - 1]) ids[i] = (ids[i] as bigint) + 1n;
  return ids;
}

function select(people: number, test: (person: number) => boolean): Uint32Array {
  const chosen = new Uint32Array(people);
  let count = 0;
  for (let person = 0; person < people; person++) if (test(person)) chosen[count++] = person;
  return chosen.slice(0, count);
}

const regions = ['east', 'north', 'south', 'west', 'isles'];
/** One region holds most people: the skew that a split by value would suffer from. */
const regionShares = [0.62, 0.2, 0.1, 0.06, 0.02];

function regionOf(random: SeededRandom, person: number): number {
  let u = random.uniform(streams.region, person);
  for (let i = 0; i < regionShares.length; i++) {
    u -= regionShares[i] ?? 0;
    if (u < 0) return i;
  }
  return regionShares.length - 1;
}

function ageOf(random: SeededRandom, person: number): number {
  return 18 + Math.floor(48 * random.uniform(streams.age, person) ** 1.6);
}

const interests = 40;

/** Interest i is held by a share of 0.45 / (i + 1): sizes by Zipf's law. */
function hasInterest(random: SeededRandom, person: number, interest: number): boolean {
  return random.uniform(streams.interest + interest, person) < 0.45 / (interest + 1);
}

function tagTable({ random, people }: Crowd): PeopleTable {
  return {
    name: 'tags',
    columns: [
      ['label', 'LowCardinality(String)'],
      ['value', 'String'],
      ['users', 'AggregateFunction(groupBitmap, UInt64)'],
    ],
    orderBy: '(label, value)',
    *rows() {
      const ages = Uint8Array.from({ length: people }, (_, person) => ageOf(random, person));
      for (let age = 18; age < 66; age++) {
        yield { scalars: ['age', `${age}`], members: select(people, (p) => ages[p] === age) };
      }
      for (let i = 0; i < interests; i++) {
        const name = `topic${String(i).padStart(2, '0')}`;
        yield {
          scalars: ['interest', name],
          members: select(people, (p) => hasInterest(random, p, i)),
        };
      }
      for (const [r, region] of regions.entries()) {
        yield {
          scalars: ['region', region],
          members: select(people, (p) => regionOf(random, p) === r),
        };
      }
    },
  };
}

const events: readonly (readonly [name: string, share: number])[] = [
  ['cart', 0.22],
  ['open', 1],
  ['pay', 0.07],
  ['view', 0.7],
];

/**
 * Who comes on which day: a habit of their own, from a first day on, weekends, and a slow decay.
 * Kept once known, for every table asks the same.
 */
class Habits {
  readonly #random: SeededRandom;
  readonly #people: number;
  readonly #comers = new Map<number, Uint32Array>();
  #habits: Float64Array | undefined;
  #starts: Uint8Array | undefined;

  constructor(people: number, random: SeededRandom) {
    this.#people = people;
    this.#random = random;
  }

  comersOn(day: number): Uint32Array {
    const known = this.#comers.get(day);
    if (known !== undefined) return known;
    const random = this.#random;
    const { habits, starts } = this.#persons();
    const weekend = (day + 4) % 7 >= 5 ? 1.25 : 1;
    const decays = Float64Array.from(
      { length: day + 1 },
      (_, since) => 0.35 + 0.65 * Math.exp(-since / 12),
    );
    const comers = select(this.#people, (person) => {
      const start = starts[person] ?? 0;
      if (day < start) return false;
      const likely = (habits[person] ?? 0) * weekend * (decays[day - start] ?? 0);
      return random.uniform(streams.day + day, person) < likely;
    });
    this.#comers.set(day, comers);
    return comers;
  }

  #persons() {
    const random = this.#random;
    const length = this.#people;
    this.#habits ??= Float64Array.from(
      { length },
      (_, person) => 0.03 + 0.75 * random.uniform(streams.habit, person) ** 3,
    );
    this.#starts ??= Uint8Array.from({ length }, (_, person) =>
      Math.floor(20 * random.uniform(streams.start, person) ** 2),
    );
    return { habits: this.#habits, starts: this.#starts };
  }
}

function dailyTable({ random, habits }: Crowd): PeopleTable {
  return {
    name: 'daily',
    columns: [
      ['dt', 'Date'],
      ['event', 'LowCardinality(String)'],
      ['users', 'AggregateFunction(groupBitmap, UInt64)'],
    ],
    orderBy: '(event, dt)',
    *rows() {
      for (const [e, [event, share]] of events.entries()) {
        for (let day = 0; day < days; day++) {
          const stream = streams.day + 100 * (e + 1) + day;
          const members = habits
            .comersOn(day)
            .filter((person) => share === 1 || random.uniform(stream, person) < share);
          yield { scalars: [dateOf(day), event], members };
        }
      }
    },
  };
}

const armDays = 14;

/** Arm of a person in the experiment, or undefined for the 40 % outside it. */
function armOf(random: SeededRandom, person: number): 'A' | 'B' | undefined {
  const u = random.uniform(streams.arm, person);
  return u < 0.3 ? 'A' : u < 0.6 ? 'B' : undefined;
}

function experimentTable({ random, habits }: Crowd): PeopleTable {
  return {
    name: 'expo',
    columns: [
      ['exp', 'LowCardinality(String)'],
      ['arm', 'LowCardinality(String)'],
      ['dt', 'Date'],
      ['users', 'AggregateFunction(groupBitmap, UInt64)'],
    ],
    orderBy: '(exp, arm, dt)',
    *rows() {
      for (const arm of ['A', 'B']) {
        for (let day = 8; day < 8 + armDays; day++) {
          const members = habits.comersOn(day).filter((person) => armOf(random, person) === arm);
          yield { scalars: ['checkout', arm, dateOf(day)], members };
        }
      }
    },
  };
}

const stages: readonly (readonly [name: string, share: number])[] = [
  ['clicked', 0.18],
  ['converted', 0.04],
  ['shown', 1],
];

/** A campaign of red dots: shown to 70 % of those who came, days 10 to 20; some react. */
function redDotTable({ random, habits }: Crowd): PeopleTable {
  return {
    name: 'reddot',
    columns: [
      ['campaign', 'UInt32'],
      ['stage', 'LowCardinality(String)'],
      ['dt', 'Date'],
      ['users', 'AggregateFunction(groupBitmap, UInt64)'],
    ],
    orderBy: '(campaign, stage, dt)',
    *rows() {
      for (const [stage, share] of stages) {
        for (let day = 10; day < 20; day++) {
          const stream = streams.day + 700 + day;
          const members = habits
            .comersOn(day)
            .filter((person) => random.uniform(stream, person) < 0.7 * share);
          yield { scalars: [101, stage, dateOf(day)], members };
        }
      }
    },
  };
}
