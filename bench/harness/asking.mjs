// Connections that ask and wait for the answer, of which they keep the beginning alone: answers may have many megabytes.
import { once } from 'node:events';
import { connect } from 'node:net';

const KEPT = 4_096;
const UPGRADE = [
  'GET /rpc HTTP/1.1',
  'host: localhost',
  'upgrade: websocket',
  'connection: upgrade',
  'sec-websocket-version: 13',
  'sec-websocket-protocol: json',
  `sec-websocket-key: ${Buffer.alloc(16, 1).toString('base64')}`,
];

/** A request of HTTP as bytes. */
export function post(path, headers, body) {
  const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': Buffer.byteLength(body) });
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

/** A request of the protocol as one frame, masked with zeros (RFC 6455 §5.2). */
export function call(method, ...params) {
  const payload = Buffer.from(JSON.stringify({ id: 1, method, params }));
  const isShort = payload.length < 126;
  const head = Buffer.alloc(isShort ? 6 : 8);
  head[0] = 0x81;
  head[1] = 0x80 | (isShort ? payload.length : 126);
  if (!isShort) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

export const http = (port) => open(port, httpLength);

export async function webSocket(port, ...first) {
  const asking = await open(port, frameLength);
  await asking.upgrade(`${UPGRADE.join('\r\n')}\r\n\r\n`);
  for (const request of first) await asking.ask(request);
  return asking;
}

async function open(port, lengthOf) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return new Asking(socket, lengthOf);
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

  async upgrade(request) {
    const lengthOf = this.#lengthOf;
    this.#lengthOf = (bytes) => {
      const end = bytes.indexOf('\r\n\r\n');
      return end === -1 ? undefined : end + 4;
    };
    await this.ask(request);
    this.#lengthOf = lengthOf;
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

function httpLength(bytes) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  return end + 4 + Number(/content-length: (\d+)/i.exec(bytes.latin1Slice(0, end))?.[1] ?? 0);
}

function frameLength(bytes) {
  if (bytes.length < 10) return bytes.length < 2 || bytes[1] >= 126 ? undefined : 2 + bytes[1];
  if (bytes[1] < 126) return 2 + bytes[1];
  return bytes[1] === 126 ? 4 + bytes.readUInt16BE(2) : 10 + Number(bytes.readBigUInt64BE(2));
}
