// What callers are told on the store's bad days: each sentence from a real request to a real server.

import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { objectKey } from '../../object-store/object-key.ts';
import { openStore } from '../../object-store/open-store.ts';
import { storeError } from '../../object-store/s3-advice.ts';
import { s3FailureOf } from '../../object-store/s3-failure.ts';
import { S3Store, type S3StoreOptions } from '../../object-store/s3-store.ts';
import {
  FaultServer,
  faultServerBucket,
  faultServerCredentials,
  readOnlyCredentials,
} from './fault-server.ts';
import type { Habits } from './s3-model.ts';

let server: FaultServer;
const key = objectKey('some/object');
const body = Buffer.alloc(1000, 'advice');
const minute = 60_000;

afterEach(() => server.close());

async function start(habits: Habits = {}): Promise<void> {
  server = await FaultServer.start(habits);
  server.model.put(key, body, undefined);
}

function newStore(options: Partial<S3StoreOptions> = {}): S3Store {
  return server.store({
    retry: { budgetMs: 400, throttledBudgetMs: 800, firstDelayMs: 5, delayMsMax: 50 },
    ...options,
  });
}

/** For what must come right, however busy this machine is. */
const patient = {
  retry: { budgetMs: 20_000, throttledBudgetMs: 20_000, firstDelayMs: 5, delayMsMax: 50 },
  requestTimeoutMs: 8_000,
};

async function expectRefusals(store: S3Store, sentence: string | RegExp): Promise<void> {
  const create = store.create(objectKey('heads/1'), body);
  const calls = [
    store.read(key),
    store.read(key, { start: 1, end: 5 }),
    store.list({ prefix: '', max: 5 }),
    store.put(objectKey('new'), body),
    create.then((outcome) => {
      if (outcome.outcome === 'unknown') throw outcome.cause;
    }),
  ];
  const settled = await Promise.allSettled(calls);
  for (const call of settled) {
    expect(call).toMatchObject({ status: 'rejected', reason: { name: 'MusterError' } });
    if (call.status === 'rejected') expect(String(call.reason)).toMatch(sentence);
  }
  expect([...server.model.objects.keys()]).toEqual([key]);
}

describe('the wrong place', () => {
  it('a bucket that is not there', async () => {
    await start();
    const store = newStore({ bucket: 'no-such-bucket' });
    const sentence = 'there is no bucket no-such-bucket at http://127.0.0.1';
    await expectRefusals(store, sentence);
  });

  it('another region, by name where the store tells it', async () => {
    await start({ region: 'eu-central-1' });
    const sentence =
      'the bucket fault-bucket is in region eu-central-1, not us-east-1: set AWS_REGION=eu-central-1';
    await expectRefusals(newStore(), sentence);
    await newStore({ ...patient, region: 'eu-central-1' }).put(objectKey('new'), body);
  });

  it('a redirect, with and without the region', async () => {
    await start();
    const redirect = { do: 'status', status: 301, code: 'PermanentRedirect' } as const;
    server.inject({ when: () => true, times: 10, action: { ...redirect, region: 'eu-west-3' } });
    await expectRefusals(newStore(), 'is in region eu-west-3, not us-east-1');
    server.reset();
    server.inject({ when: () => true, times: 10, action: redirect });
    await expectRefusals(newStore(), "is not in region us-east-1: set AWS_REGION to the bucket's");
  });

  it('nothing listens there', async () => {
    await start();
    const { endpoint } = server;
    await server.close();
    await expectRefusals(newStore({ endpoint }), 'nothing listens at http://127.0.0.1');
    const open = openStore('s3://fault-bucket/x', {
      clock: systemClock,
      endpoint,
      credentials: faultServerCredentials,
      inspect: async (store) => void (await store.list({ prefix: '', max: 1 })),
    });
    await expect(open).rejects.toMatchObject({ errorName: 'NETWORK_ERROR' });
  });

  it('a name that does not exist', async () => {
    await start();
    const endpoint = 'http://store.does-not-exist.invalid';
    // A resolver may take longer to say no than a request may.
    const sentence = new RegExp(`(the name of )?${endpoint} (is not known|does not answer): check`);
    await expectRefusals(newStore({ endpoint, requestTimeoutMs: 300 }), sentence);
    const notFound = Object.assign(new Error('getaddrinfo ENOTFOUND x'), { code: 'ENOTFOUND' });
    const failure = s3FailureOf(notFound, 'GET s3://b/k');
    const place = { bucket: 'b', region: 'us-east-1', endpoint, clock: systemClock };
    expect(String(storeError(failure, place))).toContain(`the name of ${endpoint} is not known`);
  });

  it('a machine that takes connections and says nothing', async () => {
    await start();
    const silent = await listening();
    const endpoint = `http://127.0.0.1:${portOf(silent)}`;
    const store = newStore({ endpoint, requestTimeoutMs: 300 });
    await expectRefusals(store, 'does not answer: check the endpoint');
    await store.close();
    silent.close();
  });
});

function listening(): Promise<Server> {
  return new Promise((resolve) => {
    const silent = createServer().listen(0, '127.0.0.1', () => resolve(silent));
  });
}

function portOf(listener: Server): number {
  const address = listener.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

describe('credentials', () => {
  it('unknown, wrong, missing', async () => {
    await start();
    const stranger = { accessKeyId: 'who', secretAccessKey: 'x' };
    await expectRefusals(newStore({ credentials: stranger }), 'does not know these credentials');
    const wrong = { do: 'status', status: 403, code: 'SignatureDoesNotMatch' } as const;
    server.inject({ when: () => true, times: 10, action: wrong });
    await expectRefusals(newStore(), 'check AWS_SECRET_ACCESS_KEY');
    const none = Object.assign(new Error('nothing found'), { name: 'CredentialsProviderError' });
    const credentials = async () => {
      throw none;
    };
    await expectRefusals(newStore({ credentials }), 'no credentials: set AWS_ACCESS_KEY_ID');
  });

  it('that are not found in time end at the deadline', async () => {
    await start();
    const credentials = async () => {
      await systemClock.sleep(30_000);
      return faultServerCredentials;
    };
    const store = newStore({ credentials, requestTimeoutMs: 300 });
    await expectRefusals(store, 'took longer than its time limit');
  });

  it('expired ones are renewed, for reads and creates, once for all that need it', async () => {
    await start({ expiredTokens: new Set(['old']) });
    let asked = 0;
    const credentials = async () => {
      asked++;
      return { ...faultServerCredentials, sessionToken: asked === 1 ? 'old' : 'new' };
    };
    const store = newStore({ ...patient, credentials });
    const reads = Array.from({ length: 20 }, () => store.read(key));
    for (const reply of await Promise.all(reads)) expect(reply?.bytes.length).toBe(body.length);
    expect(asked).toBeLessThanOrEqual(3);
    asked = 0;
    const creating = newStore({ ...patient, credentials });
    expect((await creating.create(objectKey('heads/1'), body)).outcome).toBe('created');
  });

  it('expired ones that nobody renews', async () => {
    await start({ expiredTokens: new Set(['old']) });
    const credentials = { ...faultServerCredentials, sessionToken: 'old' };
    await expectRefusals(newStore({ credentials }), 'the credentials have expired');
  });

  it('that may only read: questions go on, writes say what is missing', async () => {
    await start();
    let told = 0;
    const store = await openStore(`s3://${faultServerBucket}`, {
      clock: systemClock,
      endpoint: server.endpoint,
      credentials: readOnlyCredentials,
      onReadOnly: () => told++,
    });
    expect(told).toBe(1);
    expect((await store.read(key))?.bytes.length).toBe(body.length);
    expect((await store.list({ prefix: '', max: 5 })).objects).toHaveLength(1);
    const sentence = 'these credentials may not write here, only questions can be answered';
    await expect(store.put(objectKey('new'), body)).rejects.toThrow(sentence);
    await expect(store.create(objectKey('new'), body)).rejects.toThrow(sentence);
    await expect(store.remove([key])).rejects.toThrow('grant s3:DeleteObject');
    expect([...server.model.objects.keys()]).toEqual([key]);
    await store.close();
  });
});

describe('a proxy in between', () => {
  for (const status of [200, 206, 403, 404, 407, 412, 502, 503]) {
    it(`a web page with ${status} is never taken for data or for done`, async () => {
      await start();
      server.inject({ when: () => true, times: 10_000, action: { do: 'page', status } });
      const store = newStore();
      await expectRefusals(store, 'a proxy seems to answer for http://127.0.0.1');
      await expect(store.remove([key])).rejects.toThrow(`${status} ForeignReply: a web page`);
      await expect(store.keepsVersions()).rejects.toThrow('from squid/6.6');
      const writer = await store.writer(objectKey('large'));
      const upload = writer.write(new Uint8Array(17 << 20)).then(() => writer.finish());
      await expect(upload).rejects.toThrow('a proxy seems to answer');
    });
  }

  it('plain text with 200 neither', async () => {
    await start();
    const action = { do: 'page', status: 200, type: 'text/plain' } as const;
    server.inject({ when: () => true, times: 10_000, action });
    await expectRefusals(newStore(), 'fault-bucket');
    await expect(newStore().remove([key])).rejects.toThrow('DELETE');
    await expect(newStore().keepsVersions()).rejects.toThrow('VERSIONING');
  });

  for (const status of [403, 404, 412, 502, 503]) {
    it(`plain text with ${status} neither`, async () => {
      await start();
      const action = { do: 'page', status, type: 'text/plain' } as const;
      server.inject({ when: () => true, times: 10_000, action });
      const store = newStore();
      await expectRefusals(store, 'a proxy seems to answer for http://127.0.0.1');
      await expect(store.remove([key])).rejects.toThrow('a proxy seems to answer');
      await expect(store.keepsVersions()).rejects.toThrow('a proxy seems to answer');
    });
  }

  it('a page that comes for a while is waited for', async () => {
    await start();
    server.inject({ when: () => true, times: 3, action: { do: 'page', status: 502 } });
    expect((await newStore(patient).read(key))?.bytes.length).toBe(body.length);
  });
});

describe('clocks', () => {
  for (const ahead of [20 * minute, -20 * minute]) {
    it(`${ahead / minute} minutes off: all of many parallel requests come right`, async () => {
      await start({ clockAheadMs: ahead });
      const store = newStore(patient);
      const reads = Array.from({ length: 16 }, () => store.read(key, { start: 0, end: 10 }));
      const creates = Array.from({ length: 16 }, () => store.create(objectKey('heads/1'), body));
      for (const reply of await Promise.all(reads)) expect(reply?.bytes.length).toBe(10);
      const outcomes = (await Promise.all(creates)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'exists')).toHaveLength(15);
    });

    it(`${ahead / minute} minutes off, and no way to correct it: says by how much`, async () => {
      await start({ clockAheadMs: ahead });
      const skewed = { do: 'status', status: 403, code: 'RequestTimeTooSkewed' } as const;
      server.inject({ when: () => true, times: 10_000, action: skewed });
      const way = ahead > 0 ? 'behind' : 'ahead of';
      const sentence = `this machine's clock is about 20 minutes ${way} the store's: set it by NTP`;
      await expectRefusals(newStore(), sentence);
    });
  }
});

describe('throttling', () => {
  it('that does not end gives an error that says so, within the budget', async () => {
    await start();
    const slowDown = { do: 'status', status: 503, code: 'SlowDown' } as const;
    server.inject({ when: () => true, times: 100_000, action: slowDown });
    await expectRefusals(newStore(), 'the store asks for fewer requests');
  });
});
