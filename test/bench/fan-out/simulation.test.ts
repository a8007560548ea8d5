// What must hold of the policies in any cloud of this kind, over a few seeds: orderings, no figures.

import { describe, expect, it } from 'vitest';
import { questionShapes } from '../../../bench/fan-out/question-shapes.ts';
import {
  type SimulationOptions,
  type SimulationResult,
  simulate,
} from '../../../bench/fan-out/simulation.ts';

async function resultsOf(
  name: string,
  given: Partial<SimulationOptions> = {},
  seeds = [1, 2],
): Promise<SimulationResult[]> {
  const shape = questionShapes.find((one) => one.name === name)!;
  const base = { shape, clients: 1, warmUp: 5, questions: 60 };
  return await Promise.all(seeds.map((seed) => simulate({ ...base, ...given, seed })));
}

function mean(results: readonly SimulationResult[], field: keyof SimulationResult): number {
  return results.reduce((sum, one) => sum + one[field], 0) / results.length;
}

it('a seed is a run', async () => {
  expect(await resultsOf('audience')).toEqual(await resultsOf('audience'));
});

describe('a policy', () => {
  it('hedging: the slowest questions get quicker, for at most a tenth more invocations', async () => {
    const many = { questions: 150 };
    const [all, without] = [
      await resultsOf('audience', many, [1, 2, 3, 4]),
      await resultsOf('audience', { ...many, without: 'hedging' }, [1, 2, 3, 4]),
    ];
    expect(mean(all, 'p99Ms')).toBeLessThan(0.7 * mean(without, 'p99Ms'));
    for (const { hedgedShare } of all) {
      expect(hedgedShare).toBeGreaterThan(0);
      expect(hedgedShare).toBeLessThanOrEqual(0.1);
    }
  });

  it('even cut: a heavy group no longer decides', async () => {
    const [all, without] = [
      await resultsOf('skewed', { questions: 20 }),
      await resultsOf('skewed', { questions: 20, without: 'even cut' }),
    ];
    expect(mean(all, 'p50Ms')).toBeLessThan(0.7 * mean(without, 'p50Ms'));
    expect(mean(all, 'p99Ms')).toBeLessThan(mean(without, 'p99Ms'));
  });

  it('batching: little work is one invocation, quicker and cheaper than many', async () => {
    const [all, without] = [
      await resultsOf('point'),
      await resultsOf('point', { without: 'batching' }),
    ];
    expect(mean(all, 'invocations')).toBe(1);
    expect(mean(all, 'p50Ms')).toBeLessThan(mean(without, 'p50Ms') / 2);
    expect(mean(all, 'dollarsPerThousand')).toBeLessThan(mean(without, 'dollarsPerThousand') / 10);
  });

  it('tree: a wide question is quicker than one root alone can send it', async () => {
    const wide = { warmUp: 3, questions: 12 };
    const [all, without] = [
      await resultsOf('matrix', wide),
      await resultsOf('matrix', { ...wide, without: 'tree' }),
    ];
    expect(mean(all, 'invocations')).toBeGreaterThan(mean(without, 'invocations'));
    expect(mean(all, 'p50Ms')).toBeLessThan(mean(without, 'p50Ms'));
  });

  it('admission: nothing is refused, and nothing paid for it', async () => {
    const load = { clients: 4, warmUp: 4, questions: 8 };
    const [all, without] = [
      await resultsOf('matrix', load),
      await resultsOf('matrix', { ...load, without: 'admission' }),
    ];
    expect(mean(all, 'refused')).toBe(0);
    expect(mean(without, 'refused')).toBeGreaterThan(10);
    expect(mean(all, 'dollarsPerThousand')).toBeLessThan(mean(without, 'dollarsPerThousand'));
  });

  it('affinity: what has been read is read no more', async () => {
    const [all, without] = [
      await resultsOf('audience'),
      await resultsOf('audience', { without: 'affinity' }),
    ];
    expect(mean(all, 'dollarsPerThousand')).toBeLessThan(mean(without, 'dollarsPerThousand') / 1.5);
  });
});
