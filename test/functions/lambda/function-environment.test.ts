import { describe, expect, it } from 'vitest';
import {
  cacheBytesOf,
  functionSizeOf,
  identityOf,
} from '../../../functions/lambda/function-environment.ts';

const lambda = {
  AWS_LAMBDA_FUNCTION_NAME: 'muster-worker',
  AWS_LAMBDA_LOG_STREAM_NAME: '2026/12/01/[7]0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1769',
};

describe('the environment of a function', () => {
  it('is named by its log stream: process ids are the same in all of them', () => {
    expect(identityOf(lambda, 8)).toEqual({
      name: 'muster-worker/a4b5c6d7e8f9/8',
      memoryMb: 1769,
    });
    expect(identityOf({}, 8)).toEqual({ name: '8', memoryMb: 128 });
  });

  it('is charged by its memory and its processor', () => {
    expect(functionSizeOf(lambda, 'arm64')).toEqual({ memoryMb: 1769, architecture: 'arm64' });
    expect(functionSizeOf({}, 'x64')).toEqual({ memoryMb: 128, architecture: 'x86_64' });
  });

  it('keeps two fifths of its memory for caches', () => {
    expect(cacheBytesOf(lambda)).toBe(Math.floor(1769 * 1024 * 1024 * 0.4));
    expect(cacheBytesOf({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: 'much' })).toBe(
      Math.floor(128 * 1024 * 1024 * 0.4),
    );
  });
});
