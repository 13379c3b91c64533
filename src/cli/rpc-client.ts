/** A small client of our own protocol, over WebSocket or HTTP, in CBOR. */
import { WebSocket } from 'ws';
import { decodeCbor } from '../value/cbor-decode.js';
import { encodeCbor } from '../value/cbor-encode.js';
import { DEFAULT_LIMITS } from '../value/nesting.js';
import { isObject, newObject, type ObjectValue, type Value } from '../value/value.js';

/** What a server said no with, in its own words. */
export class ServerError extends Error {}

export interface RpcClient {
  /** @throws ServerError */
  call(method: string, ...params: Value[]): Promise<Value>;
  close(): void;
}

/** Where a server is: `ws://`, `wss://`, `http://` or `https://`, with or without `/rpc`. */
export function connect(endpoint: string): Promise<RpcClient> {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith('/rpc')) url.pathname = `${url.pathname.replace(/\/$/, '')}/rpc`;
  switch (url.protocol) {
    case 'ws:':
    case 'wss:':
      return connectWebSocket(url);
    case 'http:':
    case 'https:':
      return Promise.resolve(new HttpClient(url));
    default:
      throw new Error(`"${endpoint}" must begin with ws://, wss://, http:// or https://`);
  }
}

function connectWebSocket(url: URL): Promise<RpcClient> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, 'cbor');
    socket.once('error', reject);
    socket.once('open', () => {
      socket.removeListener('error', reject);
      resolve(new WebSocketClient(socket));
    });
  });
}

interface Waiting {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

class WebSocketClient implements RpcClient {
  readonly #waiting = new Map<Value, Waiting>();
  readonly #socket: WebSocket;
  #next = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(decodeCbor(data as Buffer, DEFAULT_LIMITS)));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', (code, reason) => this.#fail(new Error(`The server closed the connection (${code}) ${reason}`)));
  }

  call(method: string, ...params: Value[]): Promise<Value> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(encodeCbor(envelope(id, method, params)));
    });
  }

  close(): void {
    this.#socket.close();
  }

  #receive(answer: Value): void {
    if (!isObject(answer)) return;
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    try {
      waiting?.resolve(resultOf(answer));
    } catch (error) {
      waiting?.reject(error as Error);
    }
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** HTTP keeps nothing between two requests: token and selection go along with each. */
class HttpClient implements RpcClient {
  readonly #url: URL;
  readonly #headers: Record<string, string> = { 'content-type': 'application/cbor', accept: 'application/cbor' };

  constructor(url: URL) {
    this.#url = url;
  }

  async call(method: string, ...params: Value[]): Promise<Value> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: Uint8Array.from(encodeCbor(envelope(0, method, params))),
    });
    const body = new Uint8Array(await response.arrayBuffer());
    if (!response.ok) throw new ServerError(`${response.status} ${Buffer.from(body).toString('utf8')}`);
    const result = resultOf(decodeCbor(body, DEFAULT_LIMITS));
    this.#remember(method, params, result);
    return result;
  }

  close(): void {}

  #remember(method: string, [first, second]: readonly Value[], result: Value): void {
    if (method === 'use') {
      if (typeof first === 'string') this.#headers['svc-ns'] = encodeHeader(first);
      if (typeof second === 'string') this.#headers['svc-db'] = encodeHeader(second);
    }
    const token = method === 'authenticate' ? first : method === 'signin' ? accessToken(result) : undefined;
    if (typeof token === 'string') this.#headers['authorization'] = `Bearer ${token}`;
  }
}

function envelope(id: number, method: string, params: readonly Value[]): ObjectValue {
  const request = newObject();
  request.id = id;
  request.method = method;
  request.params = params;
  return request;
}

function resultOf(answer: Value): Value {
  if (!isObject(answer)) throw new Error('The server did not answer as expected');
  if (isObject(answer.error)) throw new ServerError(String(answer.error.message));
  return answer.result;
}

/** Headers carry bytes, one a character: a name goes as its UTF-8. */
function encodeHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function accessToken(result: Value): Value {
  return isObject(result) ? result.access : result;
}
