import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { Admission } from '../../../functions/http/admission.ts';

const never = new AbortController().signal;
const turn = () => systemClock.sleep(0);

function door(queriesMax: number, waitingMax?: number): Admission {
  const options = { queriesMax, clock: systemClock };
  return new Admission(waitingMax === undefined ? options : { ...options, waitingMax });
}

describe('admission', () => {
  it('first come, first served; nobody slips in between', async () => {
    const admission = door(2);
    const [one, two] = [await admission.enter(never), await admission.enter(never)];
    const order: string[] = [];
    const waiting = ['a', 'b', 'c'].map(async (name) => {
      const leave = await admission.enter(never);
      order.push(name);
      return leave;
    });
    await turn();
    expect([admission.running, admission.waiting, order]).toEqual([2, 3, []]);
    one();
    one();
    const late = admission.enter(never);
    await turn();
    expect([admission.running, admission.waiting, order]).toEqual([2, 3, ['a']]);
    two();
    (await waiting[0])?.();
    await turn();
    expect(order).toEqual(['a', 'b', 'c']);
    for (const next of waiting) (await next)();
    (await late)();
    expect([admission.running, admission.waiting]).toEqual([0, 0]);
  });

  it('a full line refuses at once, a long wait after its time', async () => {
    const admission = door(1, 1);
    const leave = await admission.enter(never);
    const patient = admission.enter(never, 30);
    const refusal = { errorName: 'TOO_MANY_SIMULTANEOUS_QUERIES', code: 202, http: 429 };
    await expect(admission.enter(never)).rejects.toMatchObject(refusal);
    await expect(patient).rejects.toMatchObject({
      ...refusal,
      message: 'Too many simultaneous queries. Maximum: 1',
    });
    expect([admission.running, admission.waiting]).toEqual([1, 0]);
    leave();
    (await admission.enter(never))();
    expect(admission.running).toBe(0);
  });

  it('who leaves the line takes no place', async () => {
    const admission = door(1);
    const leave = await admission.enter(never);
    const impatient = new AbortController();
    const gone = admission.enter(impatient.signal);
    const stays = admission.enter(never);
    impatient.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    await expect(admission.enter(impatient.signal)).rejects.toThrow('gone');
    leave();
    (await stays)();
    expect([admission.running, admission.waiting]).toEqual([0, 0]);
  });
});
