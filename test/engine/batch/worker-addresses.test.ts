import { expect, test } from 'vitest';
import { WorkerAddresses } from '../../../engine/batch/worker-addresses.ts';
import { JumpingClock } from './invoker-contract.ts';

test('addresses are origins, each once', async () => {
  const clock = new JumpingClock();
  const given = ['http://a:1', 'https://b:2/', 'http://[::1]:3'];
  const addresses = new WorkerAddresses(given, { clock });
  expect(await addresses.current()).toEqual(['http://a:1', 'https://b:2', 'http://[::1]:3']);
  expect(addresses.known.length).toBe(3);
});

test('names are looked up again after a while; what is known serves meanwhile', async () => {
  const clock = new JumpingClock();
  let answer: () => Promise<readonly string[]> = async () => ['10.0.0.1', 'fd00::1'];
  let lookUps = 0;
  const resolve = async () => {
    lookUps++;
    return await answer();
  };
  const addresses = new WorkerAddresses(['dns:workers:8124', 'http://10.0.0.1:8124'], {
    clock,
    resolve,
  });
  const first = ['http://10.0.0.1:8124', 'http://[fd00::1]:8124'];
  expect(await addresses.current()).toEqual(first);
  expect(await addresses.current()).toEqual(first);
  expect(lookUps).toBe(1);

  answer = async () => ['10.0.0.2'];
  clock.jump(6000);
  expect(await addresses.current()).toEqual(first);
  await Promise.resolve();
  expect(lookUps).toBe(2);

  answer = async () => await Promise.reject(new Error('no name server'));
  clock.jump(6000);
  await addresses.current();
  await new Promise((done) => void setImmediate(done));
  expect(await addresses.current()).toEqual(['http://10.0.0.1:8124', 'http://10.0.0.2:8124']);
});

test('a name that never had an address is an error', async () => {
  const resolve = async () => await Promise.reject(new Error('ENOTFOUND'));
  const addresses = new WorkerAddresses(['dns:workers:8124'], {
    clock: new JumpingClock(),
    resolve,
  });
  await expect(addresses.current()).rejects.toThrow('ENOTFOUND');
  expect(addresses.known).toEqual([]);
});
