/** Every way to talk to the server, with one face: statements in, their results out as plain data. */
import { decode, encode } from 'cborg';
import { WebSocket } from 'ws';
import { newClient } from '../support/official-client.js';

/** Where statements run. */
export const SHOP = { namespace: 'shop', database: 'music' } as const;
export const SHOP_HEADERS = { 'svc-ns': SHOP.namespace, 'svc-db': SHOP.database } as const;

export interface Client {
  /** The results of a text of statements. Record ids, decimals and times are texts; what is NONE or NULL is left out of objects. */
  query(text: string): Promise<unknown[]>;
  close(): unknown;
}

export interface Envelope {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly kind?: string };
}

/** A result of one statement, as `/sql` and RPC `query` give it. */
export interface Entry {
  readonly status: 'OK' | 'ERR';
  readonly result: unknown;
}

interface Format {
  readonly contentType: string;
  readonly subprotocol: string;
  encode(value: unknown): string | Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

const JSON_FORMAT: Format = {
  contentType: 'application/json',
  subprotocol: 'json',
  encode: (value) => JSON.stringify(value),
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')),
};

/** An independent CBOR codec, which knows of the protocol's tags only what texts to make of them. */
const CBOR_FORMAT: Format = {
  contentType: 'application/cbor',
  subprotocol: 'cbor',
  encode: (value) => encode(value),
  decode: (bytes) =>
    decode(bytes, {
      tags: {
        6: (nothing) => nothing(),
        7: (table) => table(),
        8: (parts) => (parts() as unknown[]).join(':'),
        10: (text) => text(),
        12: (parts) => {
          const [seconds, nanoseconds] = parts() as [number, number];
          return new Date(seconds * 1000 + nanoseconds / 1e6).toISOString().replace('.000Z', 'Z');
        },
        14: (parts) => parts(),
        37: (bytes_) => Buffer.from(bytes_() as Uint8Array).toString('hex'),
      },
    }),
};

export const FORMATS = { JSON: JSON_FORMAT, CBOR: CBOR_FORMAT } as const;

/** A raw request, with the answer's status and its body. */
export async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<{ status: number; headers: Headers; text: string; bytes: Uint8Array }> {
  const response = await fetch(url, { method: 'POST', headers, body });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: Buffer.from(bytes).toString('utf8') };
}

export function basic(user: string, pass: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}` };
}

/** The token of a sign-in or sign-up over HTTP. */
export async function tokenOf(url: string, path: 'signin' | 'signup', body: object): Promise<string> {
  const { status, text } = await send(`${url}/${path}`, { accept: 'application/json' }, JSON.stringify(body));
  if (status !== 200) throw new Error(text);
  const { token } = JSON.parse(text) as { readonly token: string | { readonly access: string } };
  return typeof token === 'string' ? token : token.access;
}

/** One RPC connection over a WebSocket, without any client library. */
export class RpcSocket {
  readonly #socket: WebSocket;
  readonly #format: Format;
  readonly #waiting = new Map<number, { resolve(answer: Envelope): void; reject(error: Error): void }>();
  /** Answers that belong to no request: those to what can't be read. */
  readonly #strays: Envelope[] = [];
  #nextId = 1;

  private constructor(socket: WebSocket, format: Format) {
    this.#socket = socket;
    this.#format = format;
    socket.on('message', (data: Buffer) => {
      const answer = format.decode(data) as Envelope;
      const waiting = typeof answer.id === 'number' ? this.#waiting.get(answer.id) : undefined;
      if (waiting === undefined) this.#strays.push(answer);
      else waiting.resolve(answer);
      this.#waiting.delete(answer.id as number);
    });
    const end = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The connection is gone'));
      this.#waiting.clear();
    };
    socket.on('close', end);
    socket.on('error', end);
  }

  static open(
    rpcUrl: string,
    format: Format = JSON_FORMAT,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RpcSocket> {
    const socket = new WebSocket(rpcUrl, format.subprotocol, { headers });
    const client = new RpcSocket(socket, format);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(client));
      socket.once('error', reject);
    });
  }

  /** The whole answer, error or not. Fails only when the connection is lost. */
  call(method: string, ...params: unknown[]): Promise<Envelope> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) return reject(new Error('The connection is gone'));
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(this.#format.encode({ id, method, params }));
    });
  }

  /** The result. @throws Error with the message of an error */
  async ask(method: string, ...params: unknown[]): Promise<unknown> {
    return resultOf(await this.call(method, ...params));
  }

  /** The results of statements, all of which must succeed. */
  async query(text: string, variables: object = {}): Promise<unknown[]> {
    return resultsOf((await this.ask('query', text, variables)) as Entry[]);
  }

  /** Sends bytes as they are. */
  sendRaw(data: string | Uint8Array): void {
    this.#socket.send(data);
  }

  /** The oldest answer without a request; polled for. */
  stray(): Envelope | undefined {
    return this.#strays[0];
  }

  close(): void {
    this.#socket.close();
  }
}

export function resultOf({ result, error }: Envelope): unknown {
  if (error !== undefined) throw new Error(error.message);
  return result;
}

export function resultsOf(entries: readonly Entry[]): unknown[] {
  return entries.map(({ status, result }) => {
    if (status !== 'OK') throw new Error(String(result));
    return result;
  });
}

/** As JSON has it, without keys that are NULL or NONE: the formats differ in how they tell those. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, item) => (item === null && key !== '' ? undefined : item));
}

type Connect = (url: string, token: string) => Promise<Client>;

const sql =
  (format: Format): Connect =>
  async (url, token) => ({
    async query(text) {
      const headers = { accept: format.contentType, authorization: `Bearer ${token}`, ...SHOP_HEADERS };
      const { status, bytes, text: body } = await send(`${url}/sql`, headers, text);
      if (status !== 200) throw new Error(body);
      return resultsOf(format.decode(bytes) as Entry[]).map(plain);
    },
    close() {},
  });

const rpcOverHttp =
  (format: Format): Connect =>
  async (url, token) => ({
    async query(text) {
      const { contentType } = format;
      const authorization = `Bearer ${token}`;
      const headers = { 'content-type': contentType, accept: contentType, authorization, ...SHOP_HEADERS };
      const request = format.encode({ id: 1, method: 'query', params: [text] });
      const { bytes } = await send(
        `${url}/rpc`,
        headers,
        typeof request === 'string' ? request : new Uint8Array(request),
      );
      return resultsOf(resultOf(format.decode(bytes) as Envelope) as Entry[]).map(plain);
    },
    close() {},
  });

const rpcOverWebSocket =
  (format: Format): Connect =>
  async (url, token) => {
    const socket = await RpcSocket.open(`${url.replace('http', 'ws')}/rpc`, format);
    await socket.ask('authenticate', token);
    return {
      query: async (text) => (await socket.query(text)).map(plain),
      close: () => socket.close(),
    };
  };

const official =
  (scheme: string): Connect =>
  async (url, token) => {
    const client = newClient();
    await client.connect(`${url.replace('http', scheme)}/rpc`, { reconnect: false, ...SHOP });
    await client.authenticate(token);
    return {
      query: async (text) => (await client.query(text)).map(plain),
      close: () => client.close(),
    };
  };

/** Every way to send statements. */
export const WAYS: Readonly<Record<string, Connect>> = {
  'POST /sql, JSON': sql(JSON_FORMAT),
  'POST /sql, CBOR': sql(CBOR_FORMAT),
  'POST /rpc, JSON': rpcOverHttp(JSON_FORMAT),
  'POST /rpc, CBOR': rpcOverHttp(CBOR_FORMAT),
  'WebSocket, JSON': rpcOverWebSocket(JSON_FORMAT),
  'WebSocket, CBOR': rpcOverWebSocket(CBOR_FORMAT),
  'the official client over HTTP': official('http'),
  'the official client over WebSocket': official('ws'),
};

/** The results of statements that root runs, all of which must succeed. */
export async function asRoot(url: string, text: string, root: { user: string; pass: string }): Promise<unknown[]> {
  const headers = { accept: 'application/json', ...basic(root.user, root.pass), ...SHOP_HEADERS };
  const { status, text: body } = await send(`${url}/sql`, headers, text);
  if (status !== 200) throw new Error(body);
  return resultsOf(JSON.parse(body) as Entry[]);
}
