// Messages over a byte stream, as the child-process invoker and its workers speak:
//
//   0  body bytes (u32, little end first)   4  number (u32)   8  body
//
// A reply bears its request's number. A frame without body, to a worker, cancels that number. Each
// body arrives in a buffer of its own, so that typed arrays can be views of it.

export interface Frame {
  readonly number: number;
  readonly body: Uint8Array;
}

const headBytes = 8;

export function frameHead(number: number, bodyBytes: number): Uint8Array {
  const head = new Uint8Array(headBytes);
  const view = new DataView(head.buffer);
  view.setUint32(0, bodyBytes, true);
  view.setUint32(4, number, true);
  return head;
}

/** Takes a stream's chunks, however they are cut, and gives back whole frames. */
export class FrameReader {
  #head = new Uint8Array(headBytes);
  #headFilled = 0;
  #body: Uint8Array | undefined;
  #bodyFilled = 0;

  *push(chunk: Uint8Array): Generator<Frame> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#body === undefined) at += this.#fillHead(chunk.subarray(at));
      else at += this.#fillBody(this.#body, chunk.subarray(at));
      if (this.#body === undefined || this.#bodyFilled < this.#body.length) continue;
      const frame = { number: this.#word(4), body: this.#body };
      this.#body = undefined;
      this.#headFilled = 0;
      yield frame;
    }
  }

  #fillHead(chunk: Uint8Array): number {
    const taken = Math.min(chunk.length, headBytes - this.#headFilled);
    this.#head.set(chunk.subarray(0, taken), this.#headFilled);
    this.#headFilled += taken;
    if (this.#headFilled === headBytes) {
      this.#body = new Uint8Array(this.#word(0));
      this.#bodyFilled = 0;
    }
    return taken;
  }

  #fillBody(body: Uint8Array, chunk: Uint8Array): number {
    const taken = Math.min(chunk.length, body.length - this.#bodyFilled);
    body.set(chunk.subarray(0, taken), this.#bodyFilled);
    this.#bodyFilled += taken;
    return taken;
  }

  #word(at: number): number {
    return new DataView(this.#head.buffer).getUint32(at, true);
  }
}
