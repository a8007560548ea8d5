import { expect, test } from 'vitest';
import {
  checkLiteralHost,
  isPublicAddress,
  publicLookup,
} from '../../../engine/files/public-addresses.ts';

test.each([
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  'fe80::1',
  'fd00:ec2::254',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'localhost',
  '',
])('%s is refused', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111'])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test('a host in numbers is judged before anything is sent, a name when it is looked up', async () => {
  for (const host of ['127.0.0.1', '[::1]', '169.254.169.254']) {
    expect(() => checkLiteralHost(host)).toThrow(/private network/);
  }
  expect(() => checkLiteralHost('example.com')).not.toThrow();
  const error = await new Promise<Error | null>((resolve) => {
    publicLookup('localhost', {}, (cause) => resolve(cause));
  });
  expect(error?.cause).toMatchObject({ errorName: 'PATH_ACCESS_DENIED' });
});
