import { describe, expect, it } from 'vitest';
import { Metrics } from '../../functions/metrics.ts';
import { crowded, failed, succeeded } from './query-records.ts';

async function samplesOf(metrics: Metrics): Promise<ReadonlyMap<string, number>> {
  const { text } = await metrics.text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line): [string, number] => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

describe('metrics', () => {
  it('what queries did and cost', async () => {
    const metrics = new Metrics();
    metrics.observe(succeeded);
    metrics.observe(succeeded);
    metrics.observe(failed(crowded));
    const samples = await samplesOf(metrics);
    const expected = {
      'muster_queries_total{kind="select",outcome="ok"}': 2,
      'muster_queries_total{kind="select",outcome="202"}': 1,
      'muster_query_duration_seconds_count{kind="select"}': 3,
      'muster_query_duration_seconds_bucket{le="0.01",kind="select"}': 0,
      'muster_query_duration_seconds_bucket{le="0.03",kind="select"}': 3,
      'muster_rows_total{direction="read"}': 200,
      'muster_rows_total{direction="answered"}': 4,
      'muster_row_bytes_total{direction="written"}': 48,
      'muster_store_requests_total{kind="read"}': 10,
      'muster_store_requests_total{kind="list"}': 2,
      'muster_store_bytes_total{direction="read"}': 8192,
      muster_dispatches_total: 2,
      muster_worker_invocations_total: 4,
      muster_worker_hedges_total: 2,
      muster_worker_retries_total: 0,
      muster_worker_busy_seconds_total: 0.5,
      muster_cost_dollars_total: 0.000034,
    };
    const found = Object.keys(expected).map((name) => [name, samples.get(name)]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it('what is there now, and the process', async () => {
    const metrics = new Metrics();
    let running = 3;
    metrics.watch({
      running: () => running,
      waiting: () => 1,
      connections: async () => 7,
      cacheBytes: () => ({ sets: 12, parts: 0 }),
    });
    expect((await samplesOf(metrics)).get('muster_queries_running')).toBe(3);
    running = 2;
    const samples = await samplesOf(metrics);
    expect(samples.get('muster_queries_running')).toBe(2);
    expect(samples.get('muster_http_connections')).toBe(7);
    expect(samples.get('muster_cache_bytes{cache="sets"}')).toBe(12);
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
    const resources = [...samples.keys()].filter((n) => n.startsWith('nodejs_active_resources'));
    expect(resources.length).toBeGreaterThan(0);
  });

  it('each server has its own; names and help as Prometheus asks', async () => {
    const metrics = new Metrics();
    metrics.observe(succeeded);
    expect((await samplesOf(new Metrics())).get('muster_dispatches_total')).toBe(0);
    const { contentType, text } = await metrics.text();
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      expect(text).toContain(`# HELP ${name} `);
      if (type === 'counter') expect(name).toMatch(/_total$/);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    }
  });
});
