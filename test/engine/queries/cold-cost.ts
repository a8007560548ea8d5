// What a question costs a process that knows nothing yet, counted after the head: answers, requests, bytes.

import { CountingStore } from '../../../object-store/counting-store.ts';
import type { ObjectStore } from '../../../object-store/port.ts';
import { Session } from './session.ts';

interface ColdCost {
  readonly text: string;
  readonly requests: number;
  readonly bytes: number;
}

export async function coldCost(store: ObjectStore, sql: string): Promise<ColdCost> {
  const counting = new CountingStore(store);
  const session = await Session.open({ store: counting });
  await session.run('SELECT 1');
  counting.reset();
  const { text } = await session.ask(sql);
  const calls = counting.calls.filter(({ key }) => !key.includes('/heads'));
  const bytes = calls.reduce((sum, call) => sum + call.bytes, 0);
  return { text, requests: calls.length, bytes };
}
