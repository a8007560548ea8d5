// Structs and lists in lists, as the levels of their leaves nest: Tuple and Array of what Muster has. Maps
// have no type here.

import type { DataType, TupleField } from '../../../storage-format/data-type.ts';
import type { ParquetNode } from './parquet-file.ts';

/** A leaf's place: where a repeated node above it has an item, by repetition and definition level. */
export interface NestedLeaf {
  readonly node: ParquetNode;
  readonly path: readonly string[];
  readonly lists: readonly { readonly repetition: number; readonly definition: number }[];
}

/** How leaves make a column; numbers are indexes of leaves. */
export type NestedShape =
  | { readonly kind: 'leaf'; readonly leaf: number }
  | { readonly kind: 'tuple'; readonly fields: readonly NestedShape[] }
  /** Offsets are those of the first leaf below, at this level of its lists. */
  | {
      readonly kind: 'list';
      readonly item: NestedShape;
      readonly leaf: number;
      readonly level: number;
    };

export interface NestedColumn {
  readonly type: DataType;
  readonly shape: NestedShape;
  readonly leaves: readonly NestedLeaf[];
}

interface Place {
  readonly path: readonly string[];
  readonly definition: number;
  readonly lists: NestedLeaf['lists'];
}

/** `typeOfLeaf` says what a leaf's values are, and throws for what has no type. Undefined: has a map. */
export function nestedColumn(
  column: ParquetNode,
  typeOfLeaf: (leaf: ParquetNode) => DataType,
): NestedColumn | undefined {
  const leaves: NestedLeaf[] = [];
  const walk = (node: ParquetNode, place: Place): Omit<NestedColumn, 'leaves'> | undefined => {
    if (isMap(node)) return undefined;
    const inside = below(node, place);
    const repeated = repeatedOf(node);
    if (repeated !== undefined) return list(repeated, repeated === node ? place : inside, node);
    if (node.children.length === 0) return leaf(node, inside);
    return tuple(node, inside);
  };
  const leaf = (node: ParquetNode, inside: Place): Omit<NestedColumn, 'leaves'> => {
    leaves.push({ node, path: inside.path, lists: inside.lists });
    return { type: typeOfLeaf(node), shape: { kind: 'leaf', leaf: leaves.length - 1 } };
  };
  const list = (
    repeated: ParquetNode,
    place: Place,
    of: ParquetNode,
  ): Omit<NestedColumn, 'leaves'> | undefined => {
    const { path, definition, lists } = below(repeated, place);
    const level = lists.length;
    const inside = { path, definition, lists: [...lists, { repetition: level + 1, definition }] };
    const first = leaves.length;
    const [only] = repeated.children;
    const item =
      isWrapper(repeated, of) && only !== undefined
        ? walk(only, inside)
        : repeated.children.length === 0
          ? leaf(repeated, inside)
          : tuple(repeated, inside);
    if (item === undefined) return undefined;
    const shape = { kind: 'list', item: item.shape, leaf: first, level } as const;
    return { type: { kind: 'Array', item: item.type }, shape };
  };
  const tuple = (node: ParquetNode, inside: Place): Omit<NestedColumn, 'leaves'> | undefined => {
    const shapes: NestedShape[] = [];
    const fields: TupleField[] = [];
    for (const child of node.children) {
      const field = walk(child, inside);
      if (field === undefined) return undefined;
      shapes.push(field.shape);
      fields.push({ name: child.name, type: field.type });
    }
    return { type: { kind: 'Tuple', fields }, shape: { kind: 'tuple', fields: shapes } };
  };
  const found = walk(column, { path: [], definition: 0, lists: [] });
  return found === undefined ? undefined : { ...found, leaves };
}

/** As ClickHouse would call it, for a message. */
export function typeText(node: ParquetNode, textOfLeaf: (leaf: ParquetNode) => string): string {
  const text = (one: ParquetNode): string => {
    if (isMap(one)) {
      const [key, value] = one.children[0]?.children ?? [];
      return `Map(${[key, value].map((part) => (part === undefined ? '?' : text(part))).join(', ')})`;
    }
    const repeated = repeatedOf(one);
    if (repeated !== undefined) {
      const [only] = repeated.children;
      if (isWrapper(repeated, one) && only !== undefined) return `Array(${text(only)})`;
      return `Array(${inner(repeated)})`;
    }
    return inner(one);
  };
  const inner = (one: ParquetNode): string =>
    one.children.length === 0
      ? textOfLeaf(one)
      : `Tuple(${one.children.map((child) => `${child.name} ${text(child)}`).join(', ')})`;
  return text(node);
}

function isMap({ converted, logical }: ParquetNode): boolean {
  return converted === 'MAP' || converted === 'MAP_KEY_VALUE' || logical?.type === 'MAP';
}

/** Of a list what repeats in it; a node that repeats without being said to be a list is one, too. */
function repeatedOf(node: ParquetNode): ParquetNode | undefined {
  if (node.repetition === 'REPEATED') return node;
  const isList = node.converted === 'LIST' || node.logical?.type === 'LIST';
  const [repeated] = node.children;
  return isList && repeated?.repetition === 'REPEATED' ? repeated : undefined;
}

/** The middle of the three levels of a list; old writers left it out, and called the item so. */
function isWrapper(repeated: ParquetNode, list: ParquetNode): boolean {
  if (repeated === list || repeated.children.length !== 1) return false;
  return repeated.name !== 'array' && !repeated.name.endsWith('_tuple');
}

function below(node: ParquetNode, { path, definition, lists }: Place): Place {
  const more = node.repetition === 'REQUIRED' ? 0 : 1;
  return { path: [...path, node.name], definition: definition + more, lists };
}
