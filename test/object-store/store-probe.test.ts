import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { openStore } from '../../object-store/open-store.ts';
import { probeStore } from '../../object-store/store-probe.ts';
import { FaultServer, faultServerBucket, faultServerCredentials } from './fault-server.ts';
import type { Habits } from './s3-model.ts';

let server: FaultServer | undefined;
afterEach(() => server?.close());

async function openWith(habits: Habits) {
  server = await FaultServer.start(habits);
  return await openStore(`s3://${faultServerBucket}/root`, {
    clock: systemClock,
    endpoint: server.endpoint,
    credentials: faultServerCredentials,
  });
}

describe('the start-up probe', () => {
  it('accepts S3 and cleans up after itself', async () => {
    await openWith({});
    expect([...(server?.model.objects.keys() ?? [])]).toEqual([]);
    expect(server?.seen.length).toBeLessThan(40);
  });

  const refusals: readonly (readonly [Habits, string])[] = [
    [{ ignoresConditions: true }, 'let 16 of 16 racing creates of one name win'],
    [{ winners: 3 }, 'let 3 of 16 racing creates of one name win'],
    [{ keepsVersions: true }, 'keeps old versions'],
    [{ listsUnsorted: true }, 'order'],
    [{ listedDateSkewMs: 6 * 60_000 }, 'over 5 minutes off'],
    [{ listedDateSkewMs: -6 * 60_000 }, 'over 5 minutes off'],
    [{ keepsRemoved: true }, 'still shows what was removed'],
  ];
  for (const [habits, sentence] of refusals) {
    it(`refuses ${JSON.stringify(habits)}`, async () => {
      await expect(openWith(habits)).rejects.toThrow(sentence);
    });
  }

  it('accepts listing dates that are off by less', async () => {
    await openWith({ listedDateSkewMs: 4 * 60_000 });
  });

  it('lets a full disk be read', async () => {
    class FullStore extends MemoryStore {
      override async put(): Promise<never> {
        throw new MusterError('NOT_ENOUGH_SPACE', 'the disk is full');
      }
    }
    expect(await probeStore(new FullStore(), { clock: systemClock })).toBe('read-only');
  });

  it('refuses a store without dates, or with wrong ranges', async () => {
    server = await FaultServer.start();
    const open = () =>
      openStore(`s3://${faultServerBucket}`, {
        clock: systemClock,
        endpoint: server?.endpoint,
        credentials: faultServerCredentials,
      });
    const fault = {
      when: () => true,
      times: 1_000,
      action: { do: 'date', date: undefined },
    } as const;
    server.inject(fault);
    await expect(open()).rejects.toThrow('no Date');
    server.reset();
    const ranged = {
      when: ({ headers }: { headers: { range?: string | undefined } }) =>
        headers.range !== undefined,
    };
    server.inject({ ...ranged, times: 9, action: { do: 'ignore-range' } });
    await expect(open()).rejects.toThrow('the range was ignored');
  });
});
