/** Live queries through the official client, and as bare messages. */
import { decode, encode } from 'cborg';
import { eq, type LiveMessage, RecordId, Surreal, Table, Uuid } from 'surrealdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningServer } from '../../src/server/server.js';
import { encodeCbor } from '../../src/value/codecs/cbor-encode.js';
import { objectFrom } from '../../src/value/value.js';
import { newClient } from '../support/official-client.js';
import { ROOT, startTestServer } from '../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Hands messages on one by one, with time in between. */
class Paced extends WebSocket {
  #last = Promise.resolve();

  override emit(event: string, ...rest: unknown[]): boolean {
    if (event !== 'message') return super.emit(event, ...rest);
    this.#last = this.#last.then(async () => {
      super.emit(event, ...rest);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    });
    return true;
  }
}

const url = (scheme: string) => `${server.url.replace('http', scheme)}/rpc`;

describe('the official client', () => {
  let db: Surreal;
  beforeEach(async () => {
    db = newClient();
    await db.connect(url('ws'), { reconnect: false });
    await db.signin(ROOT);
    await db.use({ namespace: 'test', database: 'client' });
    await db.query('REMOVE TABLE IF EXISTS person; DEFINE TABLE person');
  });
  afterEach(() => db.close());

  it('receives what is created, changed and deleted', async () => {
    const live = await db.live(new Table('person'));
    const messages: LiveMessage[] = [];
    const heard = new Promise<void>((resolve) => {
      live.subscribe((message) => {
        messages.push(message);
        if (message.action === 'DELETE') resolve();
      });
    });
    const id = new RecordId('person', 1);
    await db.create(id).content({ name: 'Ann' });
    await db.update(id).merge({ name: 'Bob' });
    await db.delete(id);
    await heard;
    const queryId = live.id;
    expect(messages).toEqual([
      { queryId, action: 'CREATE', recordId: id, value: { id, name: 'Ann' } },
      { queryId, action: 'UPDATE', recordId: id, value: { id, name: 'Bob' } },
      { queryId, action: 'DELETE', recordId: id, value: { id, name: 'Bob' } },
    ]);
    await live.kill();
    expect(live.isAlive).toBe(false);
    expect(await db.query('RETURN (INFO FOR TABLE person).lives')).toEqual([{}]);
  });

  // It loses messages that come in one go, and those that come before it listens.
  it('comes back, and receives what it has missed', async () => {
    await db.close();
    const returning = new Surreal({ websocketImpl: Paced as unknown as typeof globalThis.WebSocket });
    const hear = async (since: unknown, count: number) => {
      await returning.connect(url('ws'), { reconnect: false });
      await returning.signin(ROOT);
      await returning.use({ namespace: 'test', database: 'client' });
      const text = 'LIVE SELECT name, $versionstamp FROM person SINCE $since';
      const [id] = await returning.query<[Uuid]>(text, { since });
      const live = await returning.liveOf(id);
      const told: Record<string, unknown>[] = [];
      await new Promise<void>((resolve) => {
        live.subscribe(({ value }) => {
          if (told.push(value ?? {}) === count) resolve();
        });
      });
      await returning.close();
      return told;
    };
    const other = newClient();
    await other.connect(url('ws'), { reconnect: false });
    await other.signin(ROOT);
    await other.use({ namespace: 'test', database: 'client' });
    await other.query('REMOVE TABLE person; DEFINE TABLE person CHANGEFEED 1d INCLUDE ORIGINAL');
    await other.query("CREATE person:1 SET name = 'Ann'; UPDATE person:1 SET name = 'Bob'; DELETE person:1");
    const told = await hear(0, 3);
    expect(told.map(({ name }) => name)).toEqual(['Ann', 'Bob', 'Bob']);
    await other.query("CREATE person:2 SET name = 'Cid'");
    const missed = await hear(told[1]?.['versionstamp'], 2);
    expect(missed.map(({ name }) => name)).toEqual(['Bob', 'Cid']);
    await other.close();
  });

  it('asks for conditions, fields and differences', async () => {
    const adults = await db.live(new Table('person')).fields('name').where(eq('adult', true));
    const patches = await db.live(new Table('person')).diff();
    const [adult, patch] = [adults[Symbol.asyncIterator](), patches[Symbol.asyncIterator]()];
    const [first, second] = [adult.next(), patch.next()];
    await db.create(new RecordId('person', 1)).content({ name: 'Kid', adult: false });
    await db.create(new RecordId('person', 2)).content({ name: 'Ann', adult: true });
    expect((await first).value).toMatchObject({ action: 'CREATE', value: { name: 'Ann' } });
    const value = { id: new RecordId('person', 1), name: 'Kid', adult: false };
    expect((await second).value).toMatchObject({ value: [{ op: 'replace', path: '', value }] });
  });

  it('listens to a query that was begun by a statement', async () => {
    const [id] = await db.query<[Uuid]>('LIVE SELECT name FROM person WHERE name != $not', { not: 'Eve' });
    expect(id).toBeInstanceOf(Uuid);
    const live = await db.liveOf(id);
    const next = live[Symbol.asyncIterator]().next();
    await db.query('CREATE person SET name = "Eve"; CREATE person:5 SET name = "Ann"');
    expect((await next).value).toMatchObject({ action: 'CREATE', recordId: new RecordId('person', 5) });
    await live.kill();
  });

  it('keeps a result right', async () => {
    await db.query('CREATE person:1 SET age = 10; CREATE person:2 SET age = 20; CREATE person:3 SET age = 30');
    const [{ id, result }] = await db.query<[{ id: Uuid; result: { id: RecordId }[] }]>(
      'LIVE QUERY SELECT id, age FROM person ORDER BY age DESC LIMIT $most',
      { most: 2 },
    );
    expect(result.map((row) => String(row.id))).toEqual(['person:3', 'person:2']);
    const live = await db.liveOf(id);
    const received: string[] = [];
    live.subscribe(({ action, recordId, value }) => {
      received.push(`${action} ${recordId} ${JSON.stringify(value)}`);
    });
    await db.query('UPDATE person:1 SET age = 40');
    await expect
      .poll(() => received)
      .toEqual(['DELETE person:2 {"id":"person:2"}', 'CREATE person:1 {"age":40,"id":"person:1"}']);
    await db.query('UPDATE person:3 SET age = 50');
    await expect.poll(() => received.slice(2)).toEqual(['UPDATE person:3 {"age":50,"id":"person:3"}']);
    await live.kill();
  });

  it('keeps a result right that has no rows', async () => {
    const [{ id }] = await db.query<[{ id: Uuid }]>('LIVE QUERY [count(SELECT id FROM person)]');
    const live = await db.liveOf(id);
    const next = live[Symbol.asyncIterator]().next();
    await db.query('CREATE person:4');
    expect((await next).value).toMatchObject({ action: 'UPDATE', value: [1] });
    await live.kill();
  });

  it('receives what matches a search, with its words marked', async () => {
    await db.query(
      `DEFINE ANALYZER simple TOKENIZERS class FILTERS lowercase, ascii;
       DEFINE INDEX about ON person FIELDS about FULLTEXT ANALYZER simple HIGHLIGHTS`,
    );
    const [id] = await db.query<[Uuid]>(
      `LIVE SELECT search::highlight('<', '>', 1) AS found FROM person WHERE about @1@ $words`,
      { words: 'green tea' },
    );
    const live = await db.liveOf(id);
    const received: string[] = [];
    const ended = new Promise<void>((resolve) => {
      live.subscribe(({ action, value }) => {
        received.push(`${action} ${value?.['found']}`);
        if (action === 'DELETE') resolve();
      });
    });
    for (const change of [
      `CREATE person:1 SET about = 'Green tea'`,
      `CREATE person:2 SET about = 'Black tea'`,
      `UPDATE person:2 SET about = 'Tea, gréen'`,
      `UPDATE person:1 SET about = 'coffee'`,
      'DELETE person:1, person:2',
    ]) {
      await db.query(change);
    }
    await ended;
    expect(received).toEqual(['CREATE <Green> <tea>', 'UPDATE <Tea>, <gréen>', 'DELETE <Tea>, <gréen>']);
    await live.kill();
  });

  it('receives changes of others, and each attached session its own', async () => {
    const session = await db.newSession();
    await session.signin(ROOT);
    await session.use({ namespace: 'test', database: 'client' });
    const live = await session.live(new Table('person'));
    const next = live[Symbol.asyncIterator]().next();
    const other = newClient();
    await other.connect(url('http'));
    await other.signin(ROOT);
    await other.use({ namespace: 'test', database: 'client' });
    await other.create(new RecordId('person', 9));
    expect((await next).value).toMatchObject({ action: 'CREATE', recordId: new RecordId('person', 9) });
    await session.closeSession();
    expect(await db.query('RETURN (INFO FOR TABLE person).lives')).toEqual([{}]);
    await expect(other.query('LIVE SELECT * FROM person')).rejects.toThrow('Unable to perform the realtime query');
    await other.close();
  });
});

interface Message {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A bare WebSocket: requests by their numbers, and what comes unasked. */
class Bare {
  readonly #answers = new Map<unknown, (message: Message) => void>();
  readonly #unasked: unknown[] = [];
  #arrived = () => {};
  #last = 0;

  constructor(
    readonly socket: WebSocket,
    readonly write: (value: unknown) => string | Uint8Array,
    read: (data: Buffer) => unknown,
  ) {
    socket.on('message', (data) => {
      const message = read(data as Buffer) as Message;
      const answer = this.#answers.get(message.id);
      if (answer !== undefined) return answer(message);
      this.#unasked.push(message);
      this.#arrived();
    });
  }

  async call(method: string, params: unknown[] = [], session?: string): Promise<Message> {
    const id = ++this.#last;
    const answered = new Promise<Message>((resolve) => this.#answers.set(id, resolve));
    this.socket.send(this.write({ id, method, params, ...(session !== undefined && { session }) }));
    return answered;
  }

  async result(method: string, params: unknown[] = [], session?: string): Promise<unknown> {
    const { result, error } = await this.call(method, params, session);
    expect(error).toBeUndefined();
    return result;
  }

  /** How many messages have come unasked so far. */
  get arrived(): number {
    return this.#unasked.length;
  }

  async unasked(count: number): Promise<unknown[]> {
    while (this.#unasked.length < count) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
    return this.#unasked.splice(0, count);
  }
}

async function bare(subprotocol: 'json' | 'cbor'): Promise<Bare> {
  const socket = new WebSocket(url('ws'), subprotocol);
  await new Promise((resolve) => socket.once('open', resolve));
  const tagged = (tag: number) => (content: () => unknown) => ({ tag, content: content() });
  const tags = Object.fromEntries([6, 8, 37].map((tag) => [tag, tagged(tag)]));
  const connection =
    subprotocol === 'json'
      ? new Bare(socket, JSON.stringify, (data) => JSON.parse(data.toString()))
      : new Bare(socket, encode, (data) => decode(data, { tags }));
  await connection.result('signin', [{ user: ROOT.username, pass: ROOT.password }]);
  await connection.result('use', ['test', 'bare']);
  await connection.result('query', ['REMOVE TABLE IF EXISTS a; DEFINE TABLE a']);
  return connection;
}

describe('bare messages', () => {
  it('in JSON', async () => {
    const socket = await bare('json');
    const id = await socket.result('live', ['a']);
    const patches = await socket.result('live', ['a', true]);
    await socket.result('query', ['CREATE a:1 SET x = 1']);
    const record = { id: 'a:1', x: 1 };
    const patch = [{ op: 'replace', path: '', value: record }];
    const unasked = await socket.unasked(2);
    expect(unasked).toHaveLength(2);
    expect(unasked).toEqual(
      expect.arrayContaining([
        { result: { id, action: 'CREATE', record: 'a:1', result: record, session: null } },
        { result: { id: patches, action: 'CREATE', record: 'a:1', result: patch, session: null } },
      ]),
    );
    expect(await socket.result('kill', [id])).toBe(null);
    expect(await socket.unasked(1)).toEqual([
      { result: { id, action: 'KILLED', record: null, result: null, session: null } },
    ]);
    expect(await socket.call('kill', [id])).toMatchObject({
      error: { code: -32000, kind: 'Internal', message: `Cannot execute KILL statement using id: '${id}'` },
    });
    expect(await socket.call('live', ['missing'])).toMatchObject({
      error: { kind: 'NotFound', message: "The table 'missing' does not exist" },
    });
    const [begun] = (await socket.result('query', ['LIVE SELECT * FROM a'])) as [{ type: string; result: string }];
    expect(begun).toMatchObject({ status: 'OK', type: 'live' });
    expect(await socket.result('query', [`KILL u'${begun.result}'`])).toMatchObject([{ status: 'OK', type: 'kill' }]);
    socket.socket.close();
  });

  it('have a versionstamp, as text, if the query goes on behind one', async () => {
    const socket = await bare('json');
    await socket.result('query', [
      'REMOVE TABLE a; DEFINE TABLE a CHANGEFEED 1d INCLUDE ORIGINAL; CREATE a:1; CREATE a:2',
    ]);
    const [begun] = (await socket.result('query', ['LIVE SELECT * FROM a SINCE 0'])) as [{ result: string }];
    const [first, second] = (await socket.unasked(2)) as { result: { versionstamp: string } }[];
    const told = { id: begun.result, action: 'CREATE', session: null, versionstamp: expect.stringMatching(/^\d+$/) };
    expect(first).toEqual({ result: { ...told, record: 'a:1', result: { id: 'a:1' } } });
    expect(second).toEqual({ result: { ...told, record: 'a:2', result: { id: 'a:2' } } });
    await socket.result('kill', [begun.result]);
    await socket.unasked(1);
    const since = first?.result.versionstamp;
    await socket.result('query', ['LIVE SELECT * FROM a SINCE $since', { since }]);
    expect(await socket.unasked(1)).toMatchObject([{ result: { record: 'a:2' } }]);
    expect(await socket.result('query', ['LIVE SELECT * FROM a SINCE 1'])).toMatchObject([
      { status: 'ERR', kind: 'NotFound', result: expect.stringContaining("doesn't reach back so far") },
    ]);
    socket.socket.close();
  });

  it('in CBOR, with the session of the subscriber', async () => {
    const socket = await bare('cbor');
    const session = '4f1c5b0e-6a3d-4d0c-9d9c-0b8f2b1f7a11';
    await socket.result('attach', [], session);
    await socket.result('signin', [{ user: ROOT.username, pass: ROOT.password }], session);
    await socket.result('use', ['test', 'bare'], session);
    const id = await socket.result('live', ['a'], session);
    expect(id).toMatchObject({ tag: 37 });
    await socket.result('query', ['CREATE a:1 SET x = 1; DELETE a:1']);
    const record = { tag: 8, content: ['a', 1] };
    const named = { tag: 37, content: new Uint8Array(Buffer.from(session.replaceAll('-', ''), 'hex')) };
    const told = { id, record, result: { id: record, x: 1 }, session: named };
    // Some clients look for it outside of the result.
    expect(await socket.unasked(2)).toEqual([
      { session: named, result: { ...told, action: 'CREATE' } },
      { session: named, result: { ...told, action: 'DELETE' } },
    ]);
    socket.socket.close();
  });

  it('end by any session of their connection, of which one need not be signed in, and by no other', async () => {
    const [socket, other] = [await bare('json'), await bare('json')];
    const [first, fresh] = ['4f1c5b0e-6a3d-4d0c-9d9c-0b8f2b1f7a12', '4f1c5b0e-6a3d-4d0c-9d9c-0b8f2b1f7a13'];
    await socket.result('attach', [], first);
    await socket.result('signin', [{ user: ROOT.username, pass: ROOT.password }], first);
    await socket.result('use', ['test', 'bare'], first);
    const ids = [await socket.result('live', ['a'], first), await socket.result('live', ['a'])];
    await other.result('attach', [], fresh);
    await socket.result('attach', [], fresh);
    for (const id of ids) {
      expect(await other.call('kill', [id], fresh)).toMatchObject({ error: {} });
      expect(await socket.call('kill', [id], fresh)).toMatchObject({ result: null, session: fresh });
    }
    expect(await socket.unasked(2)).toMatchObject(ids.map((id) => ({ result: { id, action: 'KILLED' } })));
    for (const each of [socket, other]) each.socket.close();
  });

  it('are carried out and not answered, where their id is NONE', async () => {
    const socket = await bare('cbor');
    const none = { id: undefined };
    socket.socket.send(encodeCbor(objectFrom({ ...none, method: 'query', params: ['CREATE a:none'] })));
    socket.socket.send(encodeCbor(objectFrom({ ...none, method: 'nothing' })));
    expect(await socket.result('query', ['SELECT VALUE meta::id(id) FROM a'])).toMatchObject([{ result: ['none'] }]);
    expect(socket.arrived).toBe(0);
    // One without an id is answered, as ever.
    socket.socket.send(encodeCbor(objectFrom({ method: 'nothing' })));
    expect(await socket.unasked(1)).toMatchObject([{ id: null, error: {} }]);
    socket.socket.close();
  });

  it('end with the connection, and with a reset', async () => {
    const [listener, other] = [await bare('json'), await bare('json')];
    await listener.result('live', ['a']);
    const lives = async () =>
      (await other.result('query', ['RETURN (INFO FOR TABLE a).lives'])) as [{ result: object }];
    expect(Object.keys((await lives())[0].result)).toHaveLength(1);
    await listener.result('reset');
    expect((await lives())[0].result).toEqual({});
    await listener.result('signin', [{ user: ROOT.username, pass: ROOT.password }]);
    await listener.result('use', ['test', 'bare']);
    await listener.result('live', ['a']);
    listener.socket.terminate();
    await expect.poll(async () => (await lives())[0].result).toEqual({});
    other.socket.close();
  });
});

it('is refused over HTTP', async () => {
  const authorization = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
  const headers = { authorization, 'svc-ns': 'test', 'svc-db': 'http', accept: 'application/json' };
  const sql = await fetch(`${server.url}/sql`, {
    method: 'POST',
    headers,
    body: 'DEFINE TABLE a; LIVE SELECT * FROM a; CREATE a:1',
  });
  expect(await sql.json()).toMatchObject([
    { status: 'OK' },
    { status: 'ERR', result: 'Unable to perform the realtime query' },
    { status: 'OK' },
  ]);
  const rpc = await fetch(`${server.url}/rpc`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 1, method: 'live', params: ['a'] }),
  });
  expect(await rpc.json()).toEqual({
    error: expect.objectContaining({ code: -32604, message: 'Live Query was made, but is not supported' }),
  });
});
