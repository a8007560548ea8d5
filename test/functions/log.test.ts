import { describe, expect, it } from 'vitest';
import { openLog } from '../../functions/log.ts';
import type { LogLevel } from '../../functions/serve-options.ts';
import { bug, crowded, failed, succeeded, wrongSql } from './query-records.ts';

function logOf(level: LogLevel) {
  const lines: Record<string, unknown>[] = [];
  const write = (text: string) => {
    expect(text.endsWith('\n') && text.split('\n').length === 2).toBe(true);
    lines.push(JSON.parse(text) as Record<string, unknown>);
  };
  return { log: openLog({ level, destination: { write } }), lines };
}

describe('the log', () => {
  it('one line for a query, with what it did and cost', () => {
    const { log, lines } = logOf('info');
    log.query(succeeded);
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        query_id: 'q1',
        user: 'ada',
        database: 'default',
        kind: 'select',
        query: "SELECT * FROM s3('https://b/k', '[HIDDEN]', '[HIDDEN]')",
        elapsed_ms: 12.346,
        waited_ms: 0.5,
        read_rows: 100,
        read_bytes: 800,
        written_rows: 3,
        written_bytes: 24,
        result_rows: 2,
        dispatches: 1,
        cost: expect.objectContaining({ reads: 5, workers: 2, dollars: 0.000017 }),
        client: '192.0.2.7',
        interface: 'https',
        message: 'query',
      },
    ]);
  });

  it('errors with code and text, by what they ask for', () => {
    const { log, lines } = logOf('debug');
    for (const error of [wrongSql, crowded, bug]) log.query(failed(error));
    expect(lines.map(({ level, exception_code: code }) => [level, code])).toEqual([
      ['info', 62],
      ['warn', 202],
      ['error', 49],
    ]);
    expect(lines[0]).toMatchObject({
      exception_name: 'SYNTAX_ERROR',
      exception: "Syntax error near password = '[HIDDEN]'",
    });
    expect(lines[0]).not.toHaveProperty('read_rows');
    expect(lines[2]?.['stack']).toMatch(/^TypeError: x is undefined\n/);
  });

  it('levels', () => {
    const { log, lines } = logOf('warn');
    log.query(succeeded);
    log.query(failed(wrongSql));
    log.event('info', 'start');
    log.query(failed(crowded));
    log.event('error', 'certificate kept', { exception: 'no file' });
    expect(lines.map(({ message, exception }) => [message, exception])).toEqual([
      ['query', 'Too many'],
      ['certificate kept', 'no file'],
    ]);
    const silent = logOf('silent');
    silent.log.query(failed(bug));
    expect(silent.lines).toEqual([]);
  });
});
