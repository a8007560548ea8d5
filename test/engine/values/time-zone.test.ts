import { describe, expect, it } from 'vitest';
import { timeZone } from '../../../engine/values/time-zone.ts';

const local = (text: string) => Date.parse(`${text}Z`) / 1000;

describe('time zones', () => {
  it('knows offsets on both sides of a change', () => {
    const berlin = timeZone('Europe/Berlin');
    expect(berlin.offsetAt(1_585_443_599)).toBe(3600);
    expect(berlin.offsetAt(1_585_443_600)).toBe(7200);
    expect(timeZone('Asia/Shanghai').offsetAt(1_700_000_000)).toBe(28_800);
    expect(timeZone('Asia/Kolkata').offsetAt(0)).toBe(19_800);
    expect(timeZone('UTC').offsetAt(12_345)).toBe(0);
  });

  it('reads a local time that was skipped before the change, one that repeats as its first', () => {
    const berlin = timeZone('Europe/Berlin');
    expect(berlin.toEpoch(local('2020-03-29T02:30:00'))).toBe(1_585_441_800);
    expect(berlin.toEpoch(local('2020-10-25T02:30:00'))).toBe(1_603_585_800);
    expect(berlin.toEpoch(local('2020-10-25T03:30:00'))).toBe(1_603_593_000);
  });

  it('agrees with the runtime hour by hour over two years', () => {
    for (const name of ['America/New_York', 'Europe/Berlin', 'Africa/Casablanca', 'Asia/Tehran']) {
      const zone = timeZone(name);
      const format = new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        timeZoneName: 'longOffset',
      });
      for (let t = 1_577_836_800; t < 1_577_836_800 + 730 * 86_400; t += 17 * 3600) {
        const offset = zone.offsetAt(t);
        const hours = Math.floor(Math.abs(offset) / 3600);
        const text = `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}`;
        const expected = format.format(new Date(t * 1000));
        expect(offset === 0 ? true : expected.includes(`GMT${text}`), `${name} ${t}`).toBe(true);
      }
    }
  });

  it('refuses a name that nobody knows', () => {
    expect(() => timeZone('Mars/Olympus')).toThrow('Cannot load time zone Mars/Olympus');
  });
});
