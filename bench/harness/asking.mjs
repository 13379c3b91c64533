// Connections that ask and wait for the answer, of which they keep the beginning alone: answers may have many megabytes.
import { connected, frame, frameLength, httpLength, upgraded } from './raw-client.mjs';

const KEPT = 4_096;

/** A request of the protocol. */
export const call = (method, ...params) => frame(JSON.stringify({ id: 1, method, params }));

export const http = async (port) => new Asking(await connected(port), httpLength);

/** A WebSocket on which some requests were answered. */
export async function webSocket(port, ...first) {
  const asking = new Asking(await upgraded(port, '/rpc'), frameLength);
  for (const request of first) await asking.ask(request);
  return asking;
}

class Asking {
  #socket;
  #lengthOf;
  #head = Buffer.alloc(0);
  /** How much of the answer is still to come, once its length is known. */
  #left;
  #answered;

  constructor(socket, lengthOf) {
    this.#socket = socket;
    this.#lengthOf = lengthOf;
    socket.on('data', (data) => this.#take(data));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#answered?.(undefined));
  }

  /** The beginning of the answer, as text; `undefined` when the server hangs up. */
  ask(request) {
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(request);
    });
  }

  close() {
    this.#socket.destroy();
  }

  #take(data) {
    if (this.#left === undefined) {
      this.#head = this.#head.length === 0 ? data : Buffer.concat([this.#head, data]);
      const length = this.#lengthOf(this.#head);
      if (length === undefined) return;
      this.#left = length - this.#head.length;
    } else {
      this.#left -= data.length;
    }
    if (this.#left > 0) return;
    const text = String(this.#head.subarray(0, KEPT));
    this.#head = Buffer.alloc(0);
    this.#left = undefined;
    this.#answered?.(text);
  }
}
