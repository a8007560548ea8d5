// Characters and classes of RE2's syntax, read off a pattern and given as JavaScript's source for
// the inside of brackets (with its `u` flag). Digits, words and spaces are ASCII's, as in RE2.

import { cannotCompile, regexNotSupported } from './regex-errors.ts';

const last = '\\u{10ffff}';
const perlClasses: Readonly<Record<string, string>> = {
  d: '0-9',
  D: `\\0-\\/:-${last}`,
  s: '\\t\\n\\f\\r ',
  S: `\\0-\\x08\\x0b\\x0e-\\x1f!-${last}`,
  w: '0-9A-Za-z_',
  W: `\\0-\\/:-@\\[-\\^\\x60\\{-${last}`,
};
const posixClasses: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\0-\\x7f',
  blank: '\\t ',
  cntrl: '\\0-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-\\x60\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};
const controls: Readonly<Record<string, string>> = {
  a: '\x07',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** A pattern and how far it is read. */
export class RegexClassReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  peek(): string | undefined {
    return this.#pattern[this.#at];
  }

  rest(): string {
    return this.#pattern.slice(this.#at);
  }

  /** Whether the text came next, and was read. */
  take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  takeMatch(form: RegExp): RegExpExecArray | undefined {
    const found = form.exec(this.rest());
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }

  /** What follows \Q. */
  quoted(): string {
    const rest = this.rest();
    const end = rest.indexOf('\\E');
    this.#at += end < 0 ? rest.length : end + 2;
    return end < 0 ? rest : rest.slice(0, end);
  }

  /** After `[`: the class with its brackets. */
  bracketClass(): string {
    const negated = this.take('^');
    let inside = '';
    for (let first = true; first || this.peek() !== ']'; first = false) {
      if (this.peek() === undefined) throw cannotCompile(this.#pattern, 'missing ]');
      inside += this.#posixClass() ?? this.escapedClass() ?? this.#range();
    }
    this.take(']');
    return `[${negated ? '^' : ''}${inside}]`;
  }

  /** \d, \pL and their like; undefined if none comes next. */
  escapedClass(): string | undefined {
    const perl = this.takeMatch(/^\\([dDsSwW])/)?.[1];
    if (perl !== undefined) return perlClasses[perl];
    const property = this.takeMatch(/^\\([pP])(?:\{(\^?)(\w+)\}|([A-Za-z]))/);
    if (property === undefined) return undefined;
    const negated = (property[1] === 'P') !== (property[2] === '^');
    return `\\${negated ? 'P' : 'p'}{${this.#property(property[3] ?? property[4] ?? '')}}`;
  }

  #property(name: string): string {
    if (name === 'C' || name === 'Cn') throw regexNotSupported(this.#pattern, `\\p{${name}}`);
    if (name === 'Any' || /^[CLMNPSZ][a-z]?$/.test(name)) return this.#known(name, name);
    return this.#known(`Script=${name}`, name);
  }

  #known(property: string, name: string): string {
    try {
      new RegExp(`\\p{${property}}`, 'u').test('');
      return property;
    } catch {
      throw cannotCompile(this.#pattern, `invalid character class range: \\p{${name}}`);
    }
  }

  #posixClass(): string | undefined {
    const found = this.takeMatch(/^\[:(\^?)(\w+):\]/);
    if (found === undefined) return undefined;
    const inside = posixClasses[found[2] ?? ''];
    if (inside === undefined) throw cannotCompile(this.#pattern, 'invalid character class range');
    if (found[1] === '^') throw regexNotSupported(this.#pattern, found[0]);
    return inside;
  }

  #range(): string {
    const low = this.character();
    if (!/^-[^\]]/.test(this.rest())) return spelled(low);
    this.take('-');
    const high = this.character();
    if ((low.codePointAt(0) ?? 0) > (high.codePointAt(0) ?? 0)) {
      throw cannotCompile(this.#pattern, `invalid character class range: ${low}-${high}`);
    }
    return `${spelled(low)}-${spelled(high)}`;
  }

  /** One character, written as it is or escaped. */
  character(): string {
    if (!this.take('\\')) {
      const plain = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
      this.#at += plain.length;
      return plain;
    }
    const hex = this.takeMatch(/^x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/);
    const octal =
      hex === undefined ? this.takeMatch(/^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/) : undefined;
    if (hex !== undefined) return this.#coded(Number.parseInt(hex[1] ?? hex[2] ?? '', 16));
    if (octal !== undefined) return this.#coded(Number.parseInt(octal[0], 8));
    const letter = this.peek() ?? '';
    this.#at++;
    if (letter === 'C') throw regexNotSupported(this.#pattern, '\\C');
    const control = controls[letter];
    if (control !== undefined) return control;
    if (!/^[!-/:-@[-`{-~]$/.test(letter)) {
      throw cannotCompile(this.#pattern, `invalid escape sequence: \\${letter}`);
    }
    return letter;
  }

  #coded(code: number): string {
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    throw cannotCompile(this.#pattern, 'invalid escape sequence');
  }
}

function spelled(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
