// Which addresses url() may connect to. Whoever can send SQL could otherwise have the server fetch
// what only the server can reach: its own ports, its neighbours, a cloud's metadata service.
//
// A name is judged by the very address that is connected to, as it is looked up for the connection:
// a name that is public when asked first and private the second time gains nothing.

import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { MusterError } from '../../base/errors.ts';

const refused = new BlockList();
const networks4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
for (const [network, bits] of networks4) refused.addSubnet(network, bits, 'ipv4');
const allowed6 = new BlockList();
// Global unicast; whatever else IPv6 has is for neighbours, tests or tunnels to IPv4.
allowed6.addSubnet('2000::', 3, 'ipv6');
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  refused.addSubnet(network, bits, 'ipv6');
}

/** Of an address in numbers. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !refused.check(address, 'ipv4');
  if (family !== 6) return false;
  return allowed6.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

/** Throws for a host that is an address of its own: those are never looked up. */
export function checkLiteralHost(host: string): void {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && !isPublicAddress(bare)) throw privateAddress(host);
}

/** For connections: fails where any of a name's addresses is private. */
export const publicLookup: LookupFunction = (host, options, done) => {
  lookUp(host, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) {
      done(error ?? new Error(`no address of ${host}`), '', 0);
      return;
    }
    if (!addresses.every(({ address }) => isPublicAddress(address))) {
      done(new Error('refused', { cause: privateAddress(host) }), '', 0);
      return;
    }
    if (options.all === true) done(null, addresses);
    else done(null, first.address, first.family);
  });
};

function privateAddress(host: string): MusterError {
  return new MusterError(
    'PATH_ACCESS_DENIED',
    `'${host}' is an address of this machine or of a private network, which url() may not ask: start the server with --private-urls to allow it`,
  );
}
