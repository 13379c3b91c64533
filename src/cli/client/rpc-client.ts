/** A small client of our own protocol, over WebSocket or HTTP, in CBOR. */
import { WebSocket } from 'ws';
import { decodeCbor } from '../../value/codecs/cbor-decode.js';
import { encodeCbor } from '../../value/codecs/cbor-encode.js';
import { DEFAULT_DECODE_LIMITS } from '../../value/nesting.js';
import { isObject, newObject, type ObjectValue, type Value } from '../../value/value.js';
import { ServerError } from './server-error.js';
import { unreachableServer } from './unreachable-server.js';

export interface RpcClient {
  /** Whether it can be asked. */
  readonly isOpen: boolean;
  /** @throws ServerError */
  call(method: string, ...params: Value[]): Promise<Value>;
  /** Runs a text, as part of a transaction where one is given. @throws ServerError */
  query(text: string, transaction?: Value): Promise<Value>;
  close(): void;
}

/** Takes what live queries see, which comes unasked. */
export type Listener = (notification: ObjectValue) => void;

/** Where a server is: `ws://`, `wss://`, `http://` or `https://`, with or without `/rpc`. */
export function connect(endpoint: string, listener: Listener = () => {}): Promise<RpcClient> {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  switch (url?.protocol) {
    case 'ws:':
    case 'wss:':
      return connectWebSocket(atRpc(url), listener);
    case 'http:':
    case 'https:':
      return Promise.resolve(new HttpClient(atRpc(url)));
    default:
      throw new ServerError(`"${endpoint}" must begin with ws://, wss://, http:// or https://`);
  }
}

function atRpc(url: URL): URL {
  if (!url.pathname.endsWith('/rpc')) url.pathname = `${url.pathname.replace(/\/$/, '')}/rpc`;
  return url;
}

function connectWebSocket(url: URL, listener: Listener): Promise<RpcClient> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, 'cbor');
    const fail = (error: Error) => reject(unreachableServer(url, error));
    socket.once('error', fail);
    socket.once('open', () => {
      socket.removeListener('error', fail);
      resolve(new WebSocketClient(socket, listener));
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
  readonly #listener: Listener;
  #next = 0;

  constructor(socket: WebSocket, listener: Listener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.on('message', (data) => this.#receive(decodeCbor(data as Buffer, DEFAULT_DECODE_LIMITS)));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', (code, reason) =>
      this.#fail(new ServerError(`The server closed the connection (${code}) ${reason}`.trimEnd())),
    );
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  call(method: string, ...params: Value[]): Promise<Value> {
    return this.#send(method, params);
  }

  query(text: string, transaction?: Value): Promise<Value> {
    return this.#send('query', [text], transaction);
  }

  /** Pending requests fail. */
  close(): void {
    this.#socket.close();
    this.#fail(new ServerError('The connection has been closed'));
  }

  #send(method: string, params: readonly Value[], transaction?: Value): Promise<Value> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(encodeCbor(envelope(id, method, params, transaction)));
    });
  }

  #receive(answer: Value): void {
    if (!isObject(answer)) return;
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (waiting === undefined) {
      if (isObject(answer.result)) this.#listener(answer.result);
      return;
    }
    try {
      waiting.resolve(unwrapResult(answer));
    } catch (error) {
      waiting.reject(error as Error);
    }
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** HTTP keeps nothing between two requests: token and selection go along with each. */
class HttpClient implements RpcClient {
  readonly isOpen = true;
  readonly #url: URL;
  readonly #headers: Record<string, string> = { 'content-type': 'application/cbor', accept: 'application/cbor' };

  constructor(url: URL) {
    this.#url = url;
  }

  call(method: string, ...params: Value[]): Promise<Value> {
    return this.#send(method, params);
  }

  query(text: string, transaction?: Value): Promise<Value> {
    return this.#send('query', [text], transaction);
  }

  close(): void {}

  async #send(method: string, params: readonly Value[], transaction?: Value): Promise<Value> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: Uint8Array.from(encodeCbor(envelope(0, method, params, transaction))),
    }).catch((error: unknown) => {
      throw unreachableServer(this.#url, error);
    });
    const body = new Uint8Array(await response.arrayBuffer());
    if (!response.ok) throw new ServerError(`${response.status} ${Buffer.from(body).toString('utf8')}`);
    const result = unwrapResult(decodeCbor(body, DEFAULT_DECODE_LIMITS));
    this.#remember(method, params, result);
    return result;
  }

  #remember(method: string, [first, second]: readonly Value[], result: Value): void {
    if (method === 'use') {
      if (typeof first === 'string') this.#headers['svc-ns'] = encodeHeader(first);
      if (typeof second === 'string') this.#headers['svc-db'] = encodeHeader(second);
    }
    const token = method === 'authenticate' ? first : method === 'signin' ? accessToken(result) : undefined;
    if (typeof token === 'string') this.#headers['authorization'] = `Bearer ${token}`;
  }
}

/** A request. */
export function envelope(id: number, method: string, params: readonly Value[], transaction: Value): ObjectValue {
  const request = newObject();
  request.id = id;
  request.method = method;
  request.params = params;
  if (transaction !== undefined) request.txn = transaction;
  return request;
}

/** The result that an answer holds. @throws ServerError where it is an error */
export function unwrapResult(answer: Value): Value {
  if (!isObject(answer)) throw new Error('The server did not answer as expected');
  const { error, result } = answer;
  if (isObject(error)) throw new ServerError(String(error.message), { reason: reasonOf(error) });
  return result;
}

/** The most specific name that an error has; `undefined` for one without. */
export function reasonOf({ kind, details }: ObjectValue): string | undefined {
  const inner = isObject(details) ? details.kind : undefined;
  return [inner, kind].find((name) => typeof name === 'string');
}

/** Headers carry bytes, one a character: a name goes as its UTF-8. */
function encodeHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function accessToken(result: Value): Value {
  return isObject(result) ? result.access : result;
}
