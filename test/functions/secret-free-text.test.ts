import { expect, test } from 'vitest';
import { secretFreeText } from '../../functions/secret-free-text.ts';

test.each([
  ['SELECT groupBitmap(id) FROM t', 'SELECT groupBitmap(id) FROM t'],
  [
    "SELECT * FROM s3('https://b/k.csv', 'AKIDEXAMPLE', 'wJal''r\\'XUtnFEMI', 'CSV')",
    "SELECT * FROM s3('https://b/k.csv', '[HIDDEN]', '[HIDDEN]', '[HIDDEN]')",
  ],
  [
    "SELECT s3(concat('a', 'b'), 'c'), 'plain' FROM t WHERE x IN ('y')",
    "SELECT s3(concat('a', '[HIDDEN]'), '[HIDDEN]'), 'plain' FROM t WHERE x IN ('y')",
  ],
  ["SELECT * FROM url('https://u:hunter2@h/x')", "SELECT * FROM url('https://u:[HIDDEN]@h/x')"],
  ["CREATE USER u IDENTIFIED BY 'hunter2'", "CREATE USER u IDENTIFIED BY '[HIDDEN]'"],
  ["IDENTIFIED WITH sha256_password BY 'hunter2'", "IDENTIFIED WITH sha256_password BY '[HIDDEN]'"],
  [
    "SETTINGS aws_secret_access_key = 'hunter2', session_token='t', a = 'b'",
    "SETTINGS aws_secret_access_key = '[HIDDEN]', session_token='[HIDDEN]', a = 'b'",
  ],
  [
    "'https://b/k?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=ab12&a=b'",
    "'https://b/k?X-Amz-Credential=[HIDDEN]&X-Amz-Signature=[HIDDEN]&a=b'",
  ],
  ['AKIAIOSFODNN7EXAMPLE is a key', '[HIDDEN] is a key'],
  // A function that is mistyped.
  ["s4('s3://b/k', 'hunter2')", "s4('s3://b/k', '[HIDDEN]')"],
  ['IDENTIFIED BY "hunter2"', "IDENTIFIED BY '[HIDDEN]'"],
  ["s3('u', /* ' */ 'hunter2')", "s3('u',  '[HIDDEN]')"],
  ["url('http://u:hun@ter2@h/x')", "url('http://u:[HIDDEN]@h/x')"],
  ["url('http://h/?access_token=hunter2&a=b')", "url('http://h/?access_token=[HIDDEN]&a=b')"],
  ["password /* of ann */ = 'hunter2'", "password /* of ann */ = '[HIDDEN]'"],
  ['{"secret_access_key": "hunter2"}', `{"secret_access_key": '[HIDDEN]'}`],
  ['api_key=hunter2 b=c', 'api_key=[HIDDEN] b=c'],
  ['password=$$hunter2$$', "password='[HIDDEN]'"],
  ["headers('x'='Bearer hunter2hunter2')", "headers('x'='Bearer [HIDDEN]')"],
  ["WITH 'hunter2' AS passwd SELECT 1", "WITH '[HIDDEN]' AS passwd SELECT 1"],
  ["decrypt('aes', x, 'hunter2')", "decrypt('aes', x, '[HIDDEN]')"],
  // A literal that never ends.
  ["password = 'hunter2", "password = '[HIDDEN]'"],
])('%s', (text, safe) => {
  expect(secretFreeText(text)).toBe(safe);
});

test('what is long is cut, and a secret that the cut would split is hidden still', () => {
  const long = secretFreeText(`SELECT '${'x'.repeat(1_000_000)}'`);
  expect(long.length).toBeLessThan(1100);
  expect(long).toMatch(/\.\.\. \(1000009 characters\)$/);
  for (const before of [950, 990, 3950, 3990]) {
    const text = `${' '.repeat(before)}password = 'hunter2hunter2hunter2hunter2hunter2hunter2'`;
    expect(secretFreeText(text)).not.toContain('hunt');
  }
});

// A pattern that looks back and forth would never end here.
test('no text takes long', () => {
  for (const piece of [
    "s3('",
    'x://',
    '((',
    'identified with ',
    "'\\",
    'password ',
    'token=',
    '/* ',
    'a',
  ]) {
    expect(secretFreeText(piece.repeat(20_000)).length).toBeLessThan(1100);
  }
});
