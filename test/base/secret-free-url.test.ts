import { expect, test } from 'vitest';
import { secretFreeUrl } from '../../base/secret-free-url.ts';

test.each([
  ['https://host:9000/a@b', 'https://host:9000/a@b'],
  ['http://AKIDEXAMPLE:hunter2@127.0.0.1:1', 'http://[HIDDEN]@127.0.0.1:1'],
  ['s3://key:hun@ter2@bucket/prefix', 's3://[HIDDEN]@bucket/prefix'],
  ['./a directory', './a directory'],
])('%s', (text, shown) => {
  expect(secretFreeUrl(text)).toBe(shown);
});
