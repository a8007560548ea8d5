// Regular expressions in time at most length of text * length of pattern: all ways to match are
// followed at once (Pike's machine), in order of preference, so that what is found and captured is
// what a backtracking matcher would find first. Slower than JavaScript's own, but it never hangs.

import type { Look, RegexNode } from './regex-parser.ts';

type Instruction =
  | { readonly op: 'set'; readonly test: (code: number) => boolean }
  | { readonly op: 'look'; readonly look: Look }
  | { readonly op: 'save'; readonly slot: number }
  /** On to the next instruction or to `to`; `first`: which is preferred. */
  | { readonly op: 'split'; to: number; readonly first: 'next' | 'to' }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'match' };

export type RegexProgram = readonly Instruction[];

const instructionsMax = 4000;

/** Undefined if the pattern is too large. */
export function regexProgram(node: RegexNode): RegexProgram | undefined {
  const compiler = new Compiler();
  return compiler.emit(node) ? [...compiler.program, { op: 'match' }] : undefined;
}

class Compiler {
  readonly program: Instruction[] = [];
  readonly #slots = new Map<RegexNode, number>();

  /** False once the program is too large. */
  emit(node: RegexNode): boolean {
    const { program } = this;
    if (program.length > instructionsMax) return false;
    switch (node.kind) {
      case 'set':
        program.push({ op: 'set', test: characterTest(node.source, node.fold) });
        return true;
      case 'look':
        program.push({ op: 'look', look: node.look });
        return true;
      case 'sequence':
        return node.items.every((item) => this.emit(item));
      case 'capture':
        return this.#capture(node, node.body);
      case 'choice':
        return this.#choice(node.branches);
      default:
        return this.#repeat(node);
    }
  }

  #capture(node: RegexNode, body: RegexNode): boolean {
    const slot = this.#slots.get(node) ?? 2 * this.#slots.size + 2;
    this.#slots.set(node, slot);
    this.program.push({ op: 'save', slot });
    const fits = this.emit(body);
    this.program.push({ op: 'save', slot: slot + 1 });
    return fits;
  }

  #choice(branches: readonly RegexNode[]): boolean {
    const ends: { to: number }[] = [];
    const fits = branches.every((branch, i) => {
      if (i === branches.length - 1) return this.emit(branch);
      const split = this.#split(true);
      const done = this.emit(branch);
      ends.push(this.#jump(0));
      split.to = this.program.length;
      return done;
    });
    for (const end of ends) end.to = this.program.length;
    return fits;
  }

  #repeat({ body, least, most, greedy }: RegexNode & { readonly kind: 'repeat' }): boolean {
    for (let i = 0; i < least; i++) if (!this.emit(body)) return false;
    if (most === Number.POSITIVE_INFINITY) {
      const start = this.program.length;
      const split = this.#split(greedy);
      const fits = this.emit(body);
      this.#jump(start);
      split.to = this.program.length;
      return fits;
    }
    const splits: { to: number }[] = [];
    for (let i = least; i < most; i++) {
      splits.push(this.#split(greedy));
      if (!this.emit(body)) return false;
    }
    for (const split of splits) split.to = this.program.length;
    return true;
  }

  #split(nextFirst: boolean): { to: number } {
    const split: Instruction = { op: 'split', to: 0, first: nextFirst ? 'next' : 'to' };
    this.program.push(split);
    return split;
  }

  #jump(to: number): { to: number } {
    const jump: Instruction = { op: 'jump', to };
    this.program.push(jump);
    return jump;
  }
}

function characterTest(source: string, fold: boolean): (code: number) => boolean {
  const regex = new RegExp(`^${source}$`, fold ? 'iu' : 'u');
  const known = new Map<number, boolean>();
  return (code) => {
    let found = known.get(code);
    if (found === undefined) {
      found = regex.test(String.fromCodePoint(code));
      if (known.size < 4096) known.set(code, found);
    }
    return found;
  };
}

interface Threads {
  readonly at: number[];
  readonly slots: (readonly number[])[];
}

/** Where the first match at or after `from` starts and ends, then its captures; odd holes are undefined. */
export function runProgram(
  program: RegexProgram,
  text: string,
  from: number,
): readonly (number | undefined)[] | undefined {
  let found: readonly (number | undefined)[] | undefined;
  const seen = new Int32Array(program.length).fill(-1);
  let threads: Threads = { at: [], slots: [] };
  for (let i = from; ; ) {
    if (found === undefined) follow({ program, text, seen }, threads, { pc: 0, at: i, slots: [i] });
    const code = text.codePointAt(i);
    const width = code !== undefined && code > 0xffff ? 2 : 1;
    const next: Threads = { at: [], slots: [] };
    for (let k = 0; k < threads.at.length; k++) {
      const pc = threads.at[k] ?? 0;
      const instruction = program[pc]!;
      const slots = threads.slots[k] ?? [];
      if (instruction.op === 'match') {
        found = withSlot(slots, 1, i);
        break;
      }
      if (instruction.op === 'set' && code !== undefined && instruction.test(code)) {
        follow({ program, text, seen }, next, { pc: pc + 1, at: i + width, slots });
      }
    }
    if (code === undefined || (found !== undefined && next.at.length === 0)) return found;
    threads = next;
    i += width;
  }
}

interface Running {
  readonly program: RegexProgram;
  readonly text: string;
  /** Per instruction, the last place in the text at which it was reached. */
  readonly seen: Int32Array;
}

/** Adds the threads that are reached without a character, the preferred first. */
function follow(
  running: Running,
  threads: Threads,
  start: { readonly pc: number; readonly at: number; readonly slots: readonly number[] },
): void {
  const { program, text, seen } = running;
  const { at } = start;
  const stack = [{ pc: start.pc, slots: start.slots }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { pc, slots } = top;
    if (seen[pc] === at) continue;
    seen[pc] = at;
    const instruction = program[pc]!;
    if (instruction.op === 'jump') stack.push({ pc: instruction.to, slots });
    else if (instruction.op === 'save') {
      stack.push({ pc: pc + 1, slots: withSlot(slots, instruction.slot, at) });
    } else if (instruction.op === 'look') {
      if (holds(instruction.look, text, at)) stack.push({ pc: pc + 1, slots });
    } else if (instruction.op === 'split') {
      const both = [pc + 1, instruction.to];
      if (instruction.first === 'next') both.reverse();
      for (const target of both) stack.push({ pc: target, slots });
    } else {
      threads.at.push(pc);
      threads.slots.push(slots);
    }
  }
}

function withSlot(slots: readonly number[], slot: number, value: number): readonly number[] {
  const copy = slots.slice();
  copy[slot] = value;
  return copy;
}

function holds(look: Look, text: string, at: number): boolean {
  if (look === 'start') return at === 0;
  if (look === 'end') return at === text.length;
  if (look === 'lineStart') return at === 0 || text[at - 1] === '\n';
  if (look === 'lineEnd') return at === text.length || text[at] === '\n';
  const isBoundary = isWord(text, at - 1) !== isWord(text, at);
  return isBoundary === (look === 'word');
}

function isWord(text: string, at: number): boolean {
  return /^\w$/.test(text[at] ?? '');
}
