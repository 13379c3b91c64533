// Clients that cost little, so that the server is what gets measured: bytes made once, written to a socket, and of each answer no more
// is read than where it ends.
import { once } from 'node:events';
import { connect } from 'node:net';

/** `POST` with a body, as bytes. */
export function postBytes(path, headers, body) {
  const lines = Object.entries({ host: '127.0.0.1', ...headers, 'content-length': Buffer.byteLength(body) });
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

/** A message in one frame, masked with zeros: RFC 6455 §5.2. @param {string | Uint8Array} message */
export function frame(message) {
  const payload = Buffer.from(message);
  const short = payload.length < 126;
  const head = Buffer.alloc(short ? 6 : 8);
  head[0] = typeof message === 'string' ? 0x81 : 0x82;
  head[1] = 0x80 | (short ? payload.length : 126);
  if (!short) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** A request of RPC in JSON, in an attached session if one is named. */
export const rpc = (method, params, { id = 1, session } = {}) => frame(JSON.stringify({ id, method, params, session }));

export async function httpConnection(port) {
  return new Connection(await connected(port), httpLength);
}

export async function webSocketConnection(port, path, protocol) {
  return new Connection(await upgraded(port, path, protocol), frameLength, isPing);
}

/** What a server sends by itself; connections don't last until a missing answer to it matters. */
const isPing = (bytes) => bytes[0] === 0x89;

/** A socket that has become a WebSocket. */
export async function upgraded(port, path, protocol = 'json') {
  const socket = await connected(port);
  const offer = [
    'upgrade: websocket',
    'connection: upgrade',
    'sec-websocket-version: 13',
    `sec-websocket-protocol: ${protocol}`,
  ];
  const key = `sec-websocket-key: ${Buffer.alloc(16, 1).toString('base64')}`;
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${[...offer, key].join('\r\n')}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  if (!String(answer).startsWith('HTTP/1.1 101')) throw new Error(String(answer));
  return socket;
}

export async function connected(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  // One that is reset closes, too.
  socket.on('error', () => undefined);
  return socket;
}

class Connection {
  #socket;
  #lengthOf;
  #isIgnored;
  #read = Buffer.alloc(0);
  #awaited = 0;
  #answered;

  constructor(socket, lengthOf, isIgnored = () => false) {
    this.#socket = socket;
    this.#lengthOf = lengthOf;
    this.#isIgnored = isIgnored;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('close', () => this.#answered?.(undefined));
  }

  /** Sends one request, or several at once, and calls back with the bytes of the last answer; with `undefined` when the server hangs up. */
  request(bytes, answered, awaited = 1) {
    this.#awaited = awaited;
    this.#answered = answered;
    this.#socket.write(bytes);
  }

  ask(bytes) {
    return new Promise((resolve) => this.request(bytes, resolve));
  }

  close() {
    this.#socket.destroy();
  }

  #take(chunk) {
    this.#read = this.#read.length === 0 ? chunk : Buffer.concat([this.#read, chunk]);
    for (;;) {
      const length = this.#lengthOf(this.#read);
      if (length === undefined || this.#read.length < length) return;
      const answer = this.#read.subarray(0, length);
      this.#read = this.#read.subarray(length);
      if (this.#isIgnored(answer)) continue;
      if (--this.#awaited === 0) return this.#answered(answer);
    }
  }
}

/** Calls with what each frame carries that a WebSocket receives: answers, and what the server sends by itself. */
export function onFrames(socket, take) {
  let read = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    read = read.length === 0 ? chunk : Buffer.concat([read, chunk]);
    for (let length = frameLength(read); length <= read.length; length = frameLength(read)) {
      take(payloadOf(read.subarray(0, length)));
      read = read.subarray(length);
    }
  });
}

/** What an HTTP answer carries that tells its length. */
export const bodyOf = (answer) => answer.subarray(answer.indexOf('\r\n\r\n') + 4);

/** What an HTTP answer carries, also one in chunks. */
export function textOf(answer) {
  const start = answer.indexOf('\r\n\r\n') + 4;
  if (!CHUNKED.test(answer.latin1Slice(0, start))) return answer.toString('utf8', start);
  return Buffer.concat([...chunksOf(answer, start)].map(({ from, to }) => answer.subarray(from, to))).toString();
}
const CHUNKED = /^transfer-encoding: chunked/im;

/** Where each chunk's content is, the empty one at the end included; fewer if not all have come. RFC 9112 §7.1, without trailers. */
function* chunksOf(bytes, start) {
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return;
    const size = Number.parseInt(bytes.latin1Slice(at, line), 16);
    const from = line + 2;
    at = from + size + 2;
    if (at > bytes.length) return;
    yield { from, to: from + size };
    if (size === 0) return;
  }
}

/** What a frame carries. */
export const payloadOf = (answer) => answer.subarray(answer[1] < 126 ? 2 : answer[1] === 126 ? 4 : 10);

/** The length of the answer that begins with these bytes, as soon as it is known. */
export function httpLength(bytes) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.latin1Slice(0, end);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined || !CHUNKED.test(head)) return end + 4 + Number(length ?? 0);
  const last = [...chunksOf(bytes, end + 4)].at(-1);
  return last !== undefined && last.from === last.to ? last.to + 2 : undefined;
}

/** The same of a frame. */
export function frameLength(bytes) {
  if (bytes.length < 2) return undefined;
  if (bytes[1] < 126) return 2 + bytes[1];
  if (bytes.length < 10) return undefined;
  return bytes[1] === 126 ? 4 + bytes.readUInt16BE(2) : 10 + Number(bytes.readBigUInt64BE(2));
}

/**
 * Sends the same bytes on every connection again and again for a while.
 * @param {readonly Connection[]} connections
 * @param {Uint8Array} bytes
 * @param {number} atOnce  requests in them
 * @returns {Promise<{answered: number, seconds: number}>}
 */
export async function flood(connections, bytes, atOnce, milliseconds) {
  const began = performance.now();
  const end = began + milliseconds;
  let answered = 0;
  // A client that sleeps between two answers has to be woken by the server's write, which costs a slow server more than a fast one.
  let awake = setImmediate(function stayAwake() {
    awake = setImmediate(stayAwake);
  });
  const chain = (connection) =>
    new Promise((resolve, reject) => {
      const next = (answer) => {
        if (answer === undefined) return reject(new Error('the server hung up'));
        answered += atOnce;
        if (performance.now() < end) connection.request(bytes, next, atOnce);
        else resolve();
      };
      connection.request(bytes, next, atOnce);
    });
  await Promise.all(connections.map(chain));
  clearImmediate(awake);
  return { answered, seconds: (performance.now() - began) / 1_000 };
}
