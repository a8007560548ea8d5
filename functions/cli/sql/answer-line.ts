// The line below an answer: how much it was and how long it took.

import { bytesText, countText, durationText } from '../quantities.ts';
import type { Answer } from '../connection/connection.ts';

export function answerLine(
  statement: string,
  answer: Answer,
  options: { readonly tookMs: number; readonly details: boolean },
): string {
  const { summary } = answer;
  const took = `in ${durationText(options.tookMs)}`;
  const line = `${subject(statement, answer)} ${took}`;
  if (!options.details) return `${line}\n`;
  const details = [
    `${durationText(summary.elapsedMs)} of them in the engine`,
    `${countText(summary.readRows, 'row')} and ${bytesText(summary.readBytes)} read`,
  ];
  return `${line}: ${details.join(', ')}\n`;
}

function subject(statement: string, { summary }: Answer): string {
  if (summary.writtenRows > 0) return `${countText(summary.writtenRows, 'row')} written`;
  const gives = /^[\s(]*(SELECT|WITH|SHOW|DESC|DESCRIBE|EXPLAIN|EXISTS)\b/i.test(statement);
  return gives || summary.resultRows > 0 ? countText(summary.resultRows, 'row') : 'Done';
}
