import { describe, expect, it } from 'vitest';
import { readCredentials } from '../../../functions/http/credentials.ts';

const read = (url: string, headers: Record<string, string> = {}) => {
  const { user, password } = readCredentials({ url, headers });
  return [user, Buffer.from(password).toString('utf8')];
};
const basic = (text: string) => ({
  authorization: `Basic ${Buffer.from(text, 'utf8').toString('base64')}`,
});
/** As Node hands the bytes of a header on. */
const raw = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

describe('credentials', () => {
  it('three ways, and none', () => {
    expect(read('/')).toEqual(['', '']);
    expect(read('/?user=%C3%A4&password=p%26w')).toEqual(['ä', 'p&w']);
    expect(read('/?password=p')).toEqual(['', 'p']);
    expect(read('/', basic('ä:p:w'))).toEqual(['ä', 'p:w']);
    expect(read('/', basic('ada'))).toEqual(['ada', '']);
    const headers = { 'x-clickhouse-user': raw('ä'), 'x-clickhouse-key': raw('é') };
    expect(read('/?query=1', headers)).toEqual(['ä', 'é']);
    expect(read('/', { 'x-clickhouse-key': 'k' })).toEqual(['', 'k']);
  });

  it('two ways at once are refused, equal or not', () => {
    const named = { 'x-clickhouse-user': 'ada' };
    for (const [url, headers] of [
      ['/', { ...basic('ada:x'), ...named }],
      ['/?user=ada', named],
      ['/?password=', basic('ada:x')],
      ['/?user=ada', { ...basic('ada:x'), ...named }],
    ] as const) {
      expect(() => read(url, headers)).toThrow(/^Invalid authentication: .*simultaneously$/);
    }
  });

  it('other schemes are refused without their secret', () => {
    expect(() => read('/', { authorization: 'Bearer eyJhbGciOi' })).toThrow(
      /^Invalid authentication: 'Bearer' HTTP Authorization scheme is not supported$/,
    );
    // Without a scheme, the secret stands where it would.
    expect(() => read('/', { authorization: 'eyJhbGciOi' })).toThrow(
      /^Invalid authentication: This HTTP Authorization scheme is not supported$/,
    );
  });
});
