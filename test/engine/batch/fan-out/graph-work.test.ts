// Which nodes are needed as sets, told by node, is what workers find out row by row.

import { expect, it } from 'vitest';
import { seededRandom } from '../../../../bench/fan-out/seeded-random.ts';
import type { Batch } from '../../../../engine/batch/batch.ts';
import { nodesReadAsSets } from '../../../../engine/batch/fan-out/graph-work.ts';
import { demandOf, setGraph } from '../../../../engine/worker/set-graph.ts';
import { asksOver, randomSets } from '../../worker/random-batch.ts';
import { columnId } from '../../worker/world.ts';

const ids = Array.from({ length: 20 }, (_, i) => BigInt(i));

it('nodes read as sets are those that a worker demands rows of', () => {
  let counted = 0;
  for (let seed = 0; seed < 300; seed++) {
    const random = seededRandom(seed);
    const sets = randomSets({
      random,
      domain: 'integer',
      sources: [4, 3],
      columnId,
      ids,
      nodes: 2 + (seed % 9),
    });
    const batch = { sets, dictionaries: [], asks: [] } as unknown as Batch;
    const graph = setGraph(batch);
    const all = asksOver(sets, graph.lengths);
    const asks = all.filter(({ ask }) =>
      seed % 2 === 0 ? ask === 'card' || ask === 'any' : random() < 0.3,
    );
    const demand = demandOf(graph, asks, true).sets.map((rows) => rows !== undefined);
    expect(nodesReadAsSets({ ...batch, asks })).toEqual(demand);
    sets.forEach(({ op }, node) => {
      if (op === 'stored' && demand[node] === false) counted++;
    });
  }
  expect(counted).toBeGreaterThan(50);
});
