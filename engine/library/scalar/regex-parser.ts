// RE2's syntax of regular expressions, read into a tree. Sets of characters are kept as JavaScript's
// source of them (with its `u` flag), spelled out so that they mean what RE2 means. As in
// ClickHouse, a dot takes line feeds too unless (?-s) is set.

import { RegexClassReader } from './regex-classes.ts';
import { cannotCompile } from './regex-errors.ts';

export type Look = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'word' | 'notWord';

export type RegexNode =
  /** One character; `fold`: whatever its case. */
  | { readonly kind: 'set'; readonly source: string; readonly fold: boolean }
  | { readonly kind: 'look'; readonly look: Look }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly RegexNode[] }
  | { readonly kind: 'capture'; readonly body: RegexNode }
  | {
      readonly kind: 'repeat';
      readonly body: RegexNode;
      readonly least: number;
      readonly most: number;
      readonly greedy: boolean;
    };

const depthMax = 500;
const repeatMax = 1000;
const looksOfEscapes: Readonly<Record<string, Look>> = {
  A: 'start',
  z: 'end',
  b: 'word',
  B: 'notWord',
};

/** Captures count from the left. Throws 427 for what is no RE2, 48 for the little that is missing. */
export function parseRegex(pattern: string): RegexNode {
  return new RegexParser(pattern).parse();
}

type Flags = Readonly<Record<'i' | 'm' | 's' | 'U', boolean>>;

class RegexParser {
  readonly #pattern: string;
  readonly #reader: RegexClassReader;
  readonly #names = new Set<string>();
  #flags: Flags = { i: false, m: false, s: true, U: false };
  #depth = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#reader = new RegexClassReader(pattern);
  }

  parse(): RegexNode {
    const node = this.#choice();
    if (this.#reader.peek() !== undefined) throw cannotCompile(this.#pattern, 'unexpected )');
    return node;
  }

  #choice(): RegexNode {
    if (++this.#depth > depthMax) throw cannotCompile(this.#pattern, 'expression nests too deeply');
    const branches = [this.#sequence()];
    while (this.#reader.take('|')) branches.push(this.#sequence());
    this.#depth--;
    return branches.length === 1 ? branches[0]! : { kind: 'choice', branches };
  }

  #sequence(): RegexNode {
    const items: RegexNode[] = [];
    for (;;) {
      const next = this.#reader.peek();
      if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', items };
      if (this.#reader.take('\\Q')) {
        for (const character of this.#reader.quoted()) items.push(this.#literal(character));
        continue;
      }
      const atom = this.#atom();
      if (atom !== undefined) items.push(this.#repeated(atom));
    }
  }

  /** Undefined for `(?flags)`. */
  #atom(): RegexNode | undefined {
    const reader = this.#reader;
    if (reader.take('(')) return this.#group();
    if (reader.take('[')) return this.#set(reader.bracketClass());
    if (reader.take('.')) return this.#set(this.#flags.s ? '[^]' : '[^\\n]');
    if (reader.take('^')) return { kind: 'look', look: this.#flags.m ? 'lineStart' : 'start' };
    if (reader.take('$')) return { kind: 'look', look: this.#flags.m ? 'lineEnd' : 'end' };
    if (this.#repetition() !== undefined) {
      throw cannotCompile(this.#pattern, 'no argument for repetition operator');
    }
    const look = /^\\([AzbB])/.exec(reader.rest())?.[1];
    if (look !== undefined) {
      reader.take(`\\${look}`);
      return { kind: 'look', look: looksOfEscapes[look]! };
    }
    const set = reader.escapedClass();
    if (set !== undefined) return this.#set(`[${set}]`);
    return this.#literal(reader.character());
  }

  #set(source: string): RegexNode {
    return { kind: 'set', source, fold: this.#flags.i };
  }

  #literal(character: string): RegexNode {
    return this.#set(`\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  }

  #group(): RegexNode | undefined {
    const outer = this.#flags;
    const reader = this.#reader;
    const flags = reader.takeMatch(/^\?([imsU]*)(-[imsU]+)?([:)])/);
    const name = flags === undefined ? reader.takeMatch(/^\?P?<(\w+)>/)?.[1] : undefined;
    if (flags === undefined && name === undefined && reader.peek() === '?') {
      throw cannotCompile(this.#pattern, `invalid perl operator: (${reader.rest().slice(0, 2)}`);
    }
    if (flags !== undefined) this.#setFlags(flags[1] ?? '', flags[2] ?? '');
    if (flags?.[3] === ')') return undefined;
    if (name !== undefined && this.#names.has(name)) {
      throw cannotCompile(this.#pattern, `duplicate capture group name: ${name}`);
    }
    if (name !== undefined) this.#names.add(name);
    const body = this.#choice();
    if (!reader.take(')')) throw cannotCompile(this.#pattern, 'missing )');
    this.#flags = outer;
    return flags === undefined ? { kind: 'capture', body } : body;
  }

  #setFlags(on: string, off: string): void {
    const flags: Record<string, boolean> = { ...this.#flags };
    for (const flag of on) flags[flag] = true;
    for (const flag of off.slice(1)) flags[flag] = false;
    this.#flags = flags as Flags;
  }

  #repeated(body: RegexNode): RegexNode {
    const bounds = this.#repetition();
    if (bounds === undefined) return body;
    const [least, most] = bounds;
    const wide = Math.max(least, Number.isFinite(most) ? most : 0);
    if (wide > repeatMax || least > most) {
      throw cannotCompile(this.#pattern, `invalid repetition size: {${least},${most}}`);
    }
    const lazy = this.#reader.take('?');
    if (this.#repetition() !== undefined) {
      throw cannotCompile(this.#pattern, 'bad repetition operator');
    }
    return { kind: 'repeat', body, least, most, greedy: lazy === this.#flags.U };
  }

  #repetition(): readonly [least: number, most: number] | undefined {
    const reader = this.#reader;
    if (reader.take('*')) return [0, Number.POSITIVE_INFINITY];
    if (reader.take('+')) return [1, Number.POSITIVE_INFINITY];
    if (reader.take('?')) return [0, 1];
    const counted = reader.takeMatch(/^\{(\d+)(?:(,)(\d*))?\}/);
    if (counted === undefined) return undefined;
    const least = Number(counted[1]);
    if (counted[2] === undefined) return [least, least];
    return [least, counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3])];
  }
}
