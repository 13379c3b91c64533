/** What the official clients for Go and Python say about sessions and transactions, byte for byte in CBOR, without them. */
import { decode, encode, type TagDecoder, Token, Type } from 'cborg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningServer } from '../../../src/server/server.js';
import { ROOT, startTestServer } from '../../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** A UUID as its 16 bytes, under the tag 37. */
class Bytes {
  constructor(readonly hex: string) {}
  get text(): string {
    return this.hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}

const TAGS: { [tag: number]: TagDecoder } = {
  6: (content) => {
    content();
    return null;
  },
  8: (content) => content(),
  37: (content) => new Bytes(Buffer.from(content() as Uint8Array).toString('hex')),
};
const OPTIONS = {
  typeEncoders: {
    Object: (value: unknown) =>
      value instanceof Bytes
        ? [new Token(Type.tag, 37), new Token(Type.bytes, Uint8Array.from(Buffer.from(value.hex, 'hex')))]
        : null,
  },
};

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

class Client {
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  #last = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      const answer = decode(data as Buffer, { tags: TAGS }) as Answer & { id: string };
      this.#waiting.get(answer.id)?.(answer);
    });
  }

  static async connect(): Promise<Client> {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/rpc`, 'cbor');
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Client(socket);
  }

  call(request: Record<string, unknown>): Promise<Answer> {
    const id = `request ${++this.#last}`;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.socket.send(encode({ id, ...request }, OPTIONS));
    return answered;
  }

  /** The result of one statement. */
  async query(text: string, more: Record<string, unknown> = {}): Promise<unknown> {
    const { result, error } = await this.call({ method: 'query', params: [text, {}], ...more });
    return error?.message ?? (result as { result: unknown }[])[0]?.result;
  }
}

/** How each client writes UUIDs, and what it says to end a transaction that a session began. */
const CLIENTS = {
  Go: {
    uuid: (bytes: Bytes): unknown => bytes,
    // No session, whichever has begun it.
    end: (method: string, txn: Bytes, _session: Bytes) => ({ method, params: [txn] }),
  },
  Python: {
    uuid: (bytes: Bytes): unknown => bytes.text,
    end: (method: string, txn: Bytes, session: Bytes) => ({ method, params: [txn], session: session.text }),
  },
} as const;

describe.each(Object.entries(CLIENTS))('the client for %s', (name, { uuid, end }) => {
  const id = new Bytes('4f1c5b0e6a3d4d0c9d9c0b8f2b1f7a11');
  const session = uuid(id);
  const table = `held_${name.toLowerCase()}`;
  const signIn = { method: 'signin', params: [{ user: ROOT.username, pass: ROOT.password }] };
  const use = { method: 'use', params: ['test', 'wire'] };

  async function connect(): Promise<Client> {
    const client = await Client.connect();
    await client.call({ method: 'attach', session });
    for (const request of [signIn, use]) await client.call({ ...request, session });
    await client.query(`DEFINE TABLE IF NOT EXISTS ${table}`, { session });
    return client;
  }

  it('commits and cancels what an attached session began', async () => {
    const client = await connect();
    for (const [method, expected] of [
      ['cancel', 0],
      ['commit', 1],
    ] as const) {
      const { result: txn } = (await client.call({ method: 'begin', session })) as { result: Bytes };
      expect(txn).toBeInstanceOf(Bytes);
      const within = { session, txn: uuid(txn) };
      expect(await client.query(`UPSERT ${table}:1`, within)).toHaveLength(1);
      expect(await client.query(`SELECT * FROM ${table}`, { session })).toEqual([]);
      expect(await client.call(end(method, txn, id))).toMatchObject({ result: null });
      expect(await client.query(`SELECT * FROM ${table}`, { session })).toHaveLength(expected);
      expect(await client.call(end(method, txn, id))).toMatchObject({ error: { message: 'Transaction not found' } });
    }
    client.socket.close();
  });

  it('doesn’t reach those of another connection', async () => {
    const [client, other] = [await connect(), await connect()];
    const { result: txn } = (await client.call({ method: 'begin', session })) as { result: Bytes };
    for (const method of ['commit', 'cancel']) {
      expect(await other.call(end(method, txn, id))).toMatchObject({ error: { message: 'Transaction not found' } });
    }
    expect(await other.query('RETURN 1', { session, txn: uuid(txn) })).toBe('Transaction not found');
    expect(await client.query('RETURN 1', { session, txn: uuid(txn) })).toBe(1);
    client.socket.close();
    other.socket.close();
  });

  it('commits nothing once the session is signed out or detached', async () => {
    for (const method of ['invalidate', 'detach']) {
      const client = await connect();
      const before = await client.query(`SELECT * FROM ${table}`, { session });
      const { result: txn } = (await client.call({ method: 'begin', session })) as { result: Bytes };
      await client.query(`CREATE ${table}`, { session, txn: uuid(txn) });
      await client.call({ method, session });
      expect(await client.call({ method: 'commit', params: [txn] })).toMatchObject({
        error: { message: 'Transaction not found' },
      });
      await client.call(signIn);
      await client.call(use);
      expect(await client.query(`SELECT * FROM ${table}`)).toEqual(before);
      client.socket.close();
    }
  });
});
