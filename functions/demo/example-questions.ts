// Three questions that show what Muster is for, answered when it starts: computed, never canned.

import { type Connection, textOf } from '../cli/connection/connection.ts';
import { durationText } from '../cli/quantities.ts';
import { systemClock } from '../../base/clock.ts';

interface ExampleQuestion {
  /** In words. */
  readonly asks: string;
  /** Over lines, to be read and pasted. */
  readonly sql: string;
}

const users = (name: string, table: string, where: string): string =>
  `  (SELECT groupBitmapMergeState(users) FROM demo.${table} WHERE ${where}) AS ${name}`;

export const exampleQuestions: readonly ExampleQuestion[] = [
  {
    asks: 'How many people in the east like topic00 or topic01, and have never paid?',
    sql: [
      'WITH',
      `${users('fans', 'tags', "label = 'interest' AND value IN ('topic00', 'topic01')")},`,
      `${users('east', 'tags', "label = 'region' AND value = 'east'")},`,
      users('payers', 'daily', "event = 'pay'"),
      'SELECT bitmapCardinality(bitmapAndnot(bitmapAnd(fans, east), payers)) AS people',
    ].join('\n'),
  },
  {
    asks: 'Of those who came on the 5th of January, how many came again in the week after?',
    sql: [
      'WITH d AS (SELECT dt, groupBitmapMergeState(users) AS u FROM demo.daily',
      "           WHERE event = 'open' GROUP BY dt)",
      "SELECT dateDiff('day', a.dt, b.dt) AS day, bitmapAndCardinality(a.u, b.u) AS came,",
      '       round(came / bitmapCardinality(a.u), 3) AS rate',
      "FROM d AS a CROSS JOIN d AS b WHERE a.dt = '2026-01-05' AND b.dt > a.dt AND b.dt <= a.dt + 7",
      'ORDER BY day',
    ].join('\n'),
  },
  {
    asks: 'Does arm B of the new checkout sell to more people than arm A?',
    sql: [
      'WITH x AS (SELECT arm, groupBitmapMergeState(users) AS u FROM demo.expo',
      "           WHERE exp = 'checkout' GROUP BY arm),",
      users('payers', 'daily', "event = 'pay' AND dt >= '2026-01-09'"),
      'SELECT arm, bitmapCardinality(u) AS people, bitmapAndCardinality(u, payers) AS bought,',
      '       round(bought / people, 4) AS rate FROM x ORDER BY arm',
    ].join('\n'),
  },
];

/** The line to paste next; `command` asks the server. */
export function nextLine(command: string): string {
  const sql =
    'SELECT value AS topic, groupBitmapMerge(users) AS people FROM demo.tags ' +
    "WHERE label = 'interest' GROUP BY topic ORDER BY people DESC LIMIT 5";
  return `${command} "${sql}"`;
}

/** Question, SQL, answer and time, as text; asked twice, for the second time shows what caches do. */
export async function answerText(
  connection: Connection,
  { asks, sql }: ExampleQuestion,
  signal: AbortSignal,
): Promise<string> {
  const question = { text: sql, format: 'PrettyCompact', database: 'default', signal };
  const timed = async () => {
    const began = systemClock.monotonic();
    const answer = await textOf(await connection.execute(question));
    return { answer, tookMs: systemClock.monotonic() - began };
  };
  const first = await timed();
  const again = await timed();
  const times = `in ${durationText(first.tookMs)}, asked again in ${durationText(again.tookMs)}`;
  return `${asks}\n\n${indented(sql)}\n\n${indented(first.answer.trimEnd())}\n  ${times}\n`;
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
