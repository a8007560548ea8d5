// Trees without their places, to compare what two texts mean.

/** A copy of a tree without offsets, in which numbers that JSON can't write stay apart. */
export function shapeOf(tree: unknown): unknown {
  if (typeof tree === 'bigint') return `${tree}n`;
  if (typeof tree === 'number') return Object.is(tree, -0) ? '-0' : String(tree);
  if (Array.isArray(tree)) return tree.map(shapeOf);
  if (typeof tree !== 'object' || tree === null) return tree;
  const entries = Object.entries(tree).filter(([key]) => key !== 'at' && key !== 'dataAt');
  return Object.fromEntries(entries.map(([key, value]) => [key, shapeOf(value)]));
}
