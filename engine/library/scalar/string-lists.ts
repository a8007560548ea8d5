// Texts to arrays and back: splitByChar, splitByString, arrayStringConcat; concat and format.

import { MusterError } from '../../../base/errors.ts';
import { type Column, isNullAt } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { fullColumn } from '../apply-function.ts';
import { castColumn } from '../cast.ts';
import { constantString, illegalType } from '../function-errors.ts';
import { string } from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { requireText, texts } from './text-arguments.ts';
import { utf8Characters } from './utf8.ts';

const strings: DataType = { kind: 'Array', item: string };

function splitter(
  name: string,
  split: (text: string, separator: string) => string[],
): ScalarFunction {
  return {
    name,
    arity: [2, 2],
    returnType: ([separator, text]) => {
      requireText(name, separator, text);
      const constant = separator!.constant;
      if (constant?.kind === 'string') split('', constant.values[0] ?? '');
      return strings;
    },
    evaluate: (call) => {
      const separators = texts(call.arguments[0]!, call.rows);
      const subjects = texts(call.arguments[1]!, call.rows);
      const offsets = new Uint32Array(call.rows + 1);
      const items: string[] = [];
      for (let i = 0; i < call.rows; i++) {
        for (const part of split(subjects[i] ?? '', separators[i] ?? '')) items.push(part);
        offsets[i + 1] = items.length;
      }
      return { kind: 'array', offsets, items: { kind: 'string', values: items } };
    },
  };
}

function splitByChar(text: string, separator: string): string[] {
  if (separator.length === 1) return text.split(separator);
  throw new MusterError(
    'BAD_ARGUMENTS',
    'Illegal separator for function splitByChar. Must be exactly one byte',
  );
}

function splitByString(text: string, separator: string): string[] {
  return separator === '' ? utf8Characters(text) : text.split(separator);
}

/** Any argument as texts, in the way of toString. */
function printed(argument: Argument, call: FunctionCall): readonly string[] {
  const column = castColumn(argument.column, argument.type, { to: string, context: call.context });
  return texts({ type: string, column, constant: argument.constant }, call.rows);
}

const concat: ScalarFunction = {
  name: 'concat',
  caseInsensitive: true,
  arity: [0, Number.POSITIVE_INFINITY],
  returnType: (types) => {
    const [first] = types;
    if (types.length > 0 && types.every(({ type }) => type.kind === 'Array')) {
      throw illegalType('concat', first!.type, '. Use arrayConcat for arrays');
    }
    return string;
  },
  evaluate: (call) => {
    const columns = call.arguments.map((argument) => printed(argument, call));
    const values = new Array<string>(call.rows).fill('');
    for (const column of columns) {
      for (let i = 0; i < call.rows; i++) values[i] += column[i] ?? '';
    }
    return { kind: 'string', values };
  },
};

const concatWithSeparator: ScalarFunction = {
  name: 'concatWithSeparator',
  aliases: ['concat_ws'],
  caseInsensitive: true,
  arity: [1, Number.POSITIVE_INFINITY],
  returnType: ([separator]) => {
    requireText('concatWithSeparator', separator);
    return string;
  },
  evaluate: (call) => {
    const [separators, ...columns] = call.arguments.map((argument) => printed(argument, call));
    const values = Array.from({ length: call.rows }, (_, i) =>
      columns.map((column) => column[i] ?? '').join(separators?.[i] ?? ''),
    );
    return { kind: 'string', values };
  },
};

function evaluateJoin(call: FunctionCall): Column {
  const [list, separator] = call.arguments;
  const column = fullColumn(list!, call.rows);
  const type = list!.type;
  if (column.kind !== 'array' || type.kind !== 'Array') {
    throw new Error('assertion failed: arrayStringConcat joins arrays');
  }
  const items = castColumn(column.items, type.item, {
    to: type.item.kind === 'Nullable' ? { kind: 'Nullable', inner: string } : string,
    context: call.context,
  });
  const separators = separator === undefined ? undefined : texts(separator, call.rows);
  const values = new Array<string>(call.rows);
  for (let row = 0; row < call.rows; row++) {
    const parts: string[] = [];
    const end = column.offsets[row + 1] ?? 0;
    for (let i = column.offsets[row] ?? 0; i < end; i++) {
      if (items.kind === 'string' && !isNullAt(items, i)) parts.push(items.values[i] ?? '');
    }
    values[row] = parts.join(separators?.[row] ?? '');
  }
  return { kind: 'string', values };
}

/** `{}` in turn or `{0}` by number, not both; `{{` and `}}` are braces. */
function formatTemplate(template: string): readonly (string | number)[] {
  const parts: (string | number)[] = [];
  let next = 0;
  let numbered = false;
  for (const match of template.matchAll(/\{\{|\}\}|\{(\d*)\}|[^{}]+|[{}]/g)) {
    const [text, digits] = match;
    if (text === '{{' || text === '}}') parts.push(text[0] ?? '');
    else if (digits === '') parts.push(next++);
    else if (digits !== undefined) {
      parts.push(Number(digits));
      numbered = true;
    } else if (text === '{' || text === '}') {
      throw new MusterError('BAD_ARGUMENTS', `Unbalanced brace in format '${template}'`);
    } else parts.push(text);
  }
  if (next > 0 && numbered) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      'Cannot switch from automatic field numbering to manual field specification',
    );
  }
  return parts;
}

const format: ScalarFunction = {
  name: 'format',
  arity: [1, Number.POSITIVE_INFINITY],
  returnType: (types) => {
    const template = formatTemplate(constantString('format', types[0], 'pattern'));
    for (const part of template) {
      if (typeof part === 'number' && part + 1 >= types.length) {
        throw new MusterError('BAD_ARGUMENTS', `Argument {${part}} of function format is missing`);
      }
    }
    return string;
  },
  evaluate: (call) => {
    const template = formatTemplate(texts(call.arguments[0]!, 1)[0] ?? '');
    const columns = call.arguments.slice(1).map((argument) => printed(argument, call));
    const values = Array.from({ length: call.rows }, (_, i) =>
      template.map((p) => (typeof p === 'number' ? (columns[p]?.[i] ?? '') : p)).join(''),
    );
    return { kind: 'string', values };
  },
};

export const stringListFunctions: readonly ScalarFunction[] = [
  splitter('splitByChar', splitByChar),
  splitter('splitByString', splitByString),
  {
    name: 'arrayStringConcat',
    arity: [1, 2],
    returnType: ([list, separator]) => {
      if (list!.type.kind !== 'Array') throw illegalType('arrayStringConcat', list!.type);
      requireText('arrayStringConcat', separator);
      return string;
    },
    evaluate: evaluateJoin,
  },
  concat,
  concatWithSeparator,
  format,
];
