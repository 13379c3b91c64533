/** Transactions belong to the connection: every session of it may use them, each with its own rights, as long as those last. */
import { beforeEach, describe, expect, test } from 'vitest';
import { RpcConnection } from '../../src/rpc/connection.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { CBOR } from '../../src/value/codecs/formats.js';
import { toText } from '../../src/value/text/text.js';
import { isArray, isObject, objectFrom, Uuid, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, run, World } from '../support/world.js';

const KIB = 2 ** 10;
const MISSING = '! Transaction not found';
const EXPIRED = '! The session has expired';
const [FIRST, SECOND] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const ANN = { user: 'ann', pass: 'a password' };
const VERA = { user: 'vera', pass: 'a password' };

let world: World;
let environment: StubbedEnvironment;
let engine: MemoryEngine;

/** Calls `then` when the next transaction that writes has committed, before anyone is notified. */
function afterNextCommit(then: () => void): void {
  const begin = engine.begin.bind(engine);
  engine.begin = (options) => {
    const transaction = begin(options);
    if (!options.writable) return transaction;
    engine.begin = begin;
    const commit = transaction.commit.bind(transaction);
    transaction.commit = () => {
      const done = commit();
      then();
      return done;
    };
    return transaction;
  };
}

async function open(options: DatabaseOptions = {}): Promise<void> {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  engine = new MemoryEngine(environment);
  world = await World.open({ environment, guests: false, ...options }, engine);
  await run(
    world.owner,
    `DEFINE TABLE t; DEFINE TABLE note PERMISSIONS FOR select, create WHERE owner = $auth;
     CREATE note:root SET text = 'hidden';
     DEFINE USER ann ON ROOT PASSWORD 'a password' ROLES OWNER DURATION FOR SESSION 1h;
     DEFINE USER vera ON ROOT PASSWORD 'a password' ROLES VIEWER`,
  );
}

/** A connection as its client sees it. */
class Client {
  readonly rpc = new RpcConnection(world.database, { ip: '192.0.2.1' });

  constructor() {
    this.rpc.notify(() => undefined);
  }

  /** The result of a call as text, or `!` and its error. */
  async call(method: string, params: readonly Value[] = [], envelope: Record<string, Value> = {}): Promise<string> {
    const { result, error } = await this.rpc.handle(objectFrom({ id: 1, method, params, ...envelope }), CBOR);
    return isObject(error) ? `! ${String(error.message)}` : toText(result);
  }

  /** The result of the last statement. */
  async query(text: string, { session, txn }: { session?: string; txn?: Value } = {}): Promise<string> {
    const request = objectFrom({ id: 1, method: 'query', params: [text], session, txn });
    const { result, error } = await this.rpc.handle(request, CBOR);
    if (isObject(error)) return `! ${String(error.message)}`;
    const last = isArray(result) ? result.at(-1) : undefined;
    if (!isObject(last)) return 'nothing';
    return last.status === 'OK' ? toText(last.result) : `! ${String(last.result)}`;
  }

  async attach(session: string, credentials?: Record<string, string>): Promise<string> {
    await this.call('attach', [], { session });
    if (credentials !== undefined) await this.call('signin', [objectFrom(credentials)], { session });
    await this.call('use', ['test', 'test'], { session });
    return session;
  }

  async begin(session?: string): Promise<Uuid> {
    const { result } = await this.rpc.handle(objectFrom({ id: 1, method: 'begin', params: [], session }), CBOR);
    if (!(result instanceof Uuid)) throw new Error(`it hasn’t begun: ${toText(result)}`);
    return result;
  }
}

/** What others see in the table. */
const stored = () => answer(world.owner, 'SELECT VALUE id FROM t');

/** A new record user, attached to a connection. */
async function attachPerson(client: Client, session: string, name: string): Promise<void> {
  const { access } = await (async () => {
    const signedUp = world.guest();
    const tokens = await signedUp.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name }));
    signedUp.close();
    return tokens;
  })();
  await client.call('attach', [], { session });
  expect(await client.call('authenticate', [access], { session })).toBe('NONE');
}

let client: Client;
beforeEach(async () => {
  await open();
  client = new Client();
});

describe('any session of the connection', () => {
  test.each(['commit', 'cancel'])('may %s one, even as a guest, as the Go client does', async (method) => {
    const session = await client.attach(FIRST, ANN);
    const txn = await client.begin(session);
    expect(await client.query('CREATE t:1', { session, txn })).toBe('[{ id: t:1 }]');
    expect(await client.call(method, [txn])).toBe('NONE');
    expect(await stored()).toBe(method === 'commit' ? '[t:1]' : '[]');
    expect(await client.call(method, [txn])).toBe(MISSING);
    expect(await client.query('RETURN 1', { session, txn })).toBe(MISSING);
    expect(world.database.resourceUsage.transactions).toBe(0);
  });

  test('may name it in the envelope, too, as the Python client does', async () => {
    const session = await client.attach(FIRST, ANN);
    const txn = await client.begin(session);
    await client.query('CREATE t:1', { session, txn });
    expect(await client.call('commit', [txn], { txn, session: await client.attach(SECOND) })).toBe('NONE');
    expect(await stored()).toBe('[t:1]');
  });

  test('may write in it, and sees what others have', async () => {
    const [first, second] = [await client.attach(FIRST, ANN), await client.attach(SECOND, ANN)];
    const txn = await client.begin(first);
    await client.query('CREATE t:1', { session: first, txn });
    expect(await client.query('SELECT VALUE id FROM t', { session: second, txn })).toBe('[t:1]');
    expect(await client.query('SELECT VALUE id FROM t', { session: second })).toBe('[]');
    await client.query('CREATE t:2', { session: second, txn });
    expect(await client.query('SELECT VALUE id FROM t', { session: first, txn })).toBe('[t:1, t:2]');
    await client.call('commit', [txn], { session: second });
    expect(await stored()).toBe('[t:1, t:2]');
  });

  test('has its own selection and its own variables in it', async () => {
    const [first, second] = [await client.attach(FIRST, ANN), await client.attach(SECOND, ANN)];
    await run(world.owner, 'DEFINE NAMESPACE IF NOT EXISTS other; USE NS other; DEFINE DATABASE other');
    await client.call('use', ['other', 'other'], { session: second });
    await client.call('let', ['x', 1], { session: first });
    await client.call('let', ['x', 2], { session: second });
    const txn = await client.begin(first);
    const text = 'RETURN [session::db(), $x]';
    expect(await client.query(text, { session: first, txn })).toBe("['test', 1]");
    expect(await client.query(text, { session: second, txn })).toBe("['other', 2]");
  });

  test('waits for the statements of others in it', async () => {
    const [first, second] = [await client.attach(FIRST, ANN), await client.attach(SECOND, ANN)];
    const txn = await client.begin(first);
    const slow = client.query('CREATE t:1; SLEEP 1s; UPDATE t:1 SET n = 1', { session: first, txn });
    const read = client.query('SELECT VALUE n FROM ONLY t:1', { session: second, txn });
    for (let nap = 0; nap < 20; nap++) {
      environment.advance(100);
      await new Promise(setImmediate);
    }
    await slow;
    expect(await read).toBe('1');
  });
});

describe('no one gains rights by naming it', () => {
  test('a viewer may read there, no more', async () => {
    const [first, viewer] = [await client.attach(FIRST, ANN), await client.attach(SECOND, VERA)];
    const txn = await client.begin(first);
    await client.query('CREATE t:1', { session: first, txn });
    expect(await client.query('SELECT VALUE id FROM t', { session: viewer, txn })).toBe('[t:1]');
    expect(await client.query('CREATE t:2', { session: viewer, txn })).toBe('[]');
    expect(await client.query('DELETE t', { session: viewer, txn })).toBe('[]');
    expect(await client.query('DEFINE TABLE u', { session: viewer, txn })).toMatch(/^! .*Not enough permissions/);
    await client.call('commit', [txn]);
    expect(await stored()).toBe('[t:1]');
  });

  test('a record user is under PERMISSIONS there, and the owner beside it isn’t', async () => {
    const first = await client.attach(FIRST, ANN);
    await attachPerson(client, SECOND, 'rec');
    const txn = await client.begin(first);
    expect(await client.query('SELECT VALUE id FROM note', { session: first, txn })).toBe('[note:root]');
    expect(await client.query('SELECT VALUE id FROM note', { session: SECOND, txn })).toBe('[]');
    expect(await client.query('CREATE note:a SET owner = user:other', { session: SECOND, txn })).toBe('[]');
    expect(await client.query('CREATE note:b SET owner = $auth RETURN VALUE id', { session: SECOND, txn })).toBe(
      '[note:b]',
    );
    expect(await client.query('SELECT VALUE id FROM note', { session: SECOND, txn })).toBe('[note:b]');
    expect(await client.query('SELECT VALUE id FROM note', { session: first, txn })).toBe('[note:b, note:root]');
  });

  test('who began it as a record user lends an owner no more than the owner has, nor gets more', async () => {
    await attachPerson(client, FIRST, 'rec');
    const owner = await client.attach(SECOND, ANN);
    const txn = await client.begin(FIRST);
    expect(await client.query('DEFINE TABLE u PERMISSIONS NONE; CREATE u:1', { session: owner, txn })).toBe(
      '[{ id: u:1 }]',
    );
    expect(await client.query('SELECT * FROM u', { session: FIRST, txn })).toBe('[]');
  });

  test('a guest may run nothing there', async () => {
    const first = await client.attach(FIRST, ANN);
    const txn = await client.begin(first);
    expect(await client.query('RETURN 1', { txn })).toMatch(/^! /);
    expect(await client.query('RETURN 1', { session: await client.attach(SECOND), txn })).toMatch(/^! /);
    expect(await client.query('RETURN 1', { session: first, txn })).toBe('1');
  });

  test('other connections don’t find it, and can’t learn that it exists', async () => {
    const session = await client.attach(FIRST, ANN);
    const txn = await client.begin(session);
    await client.query('CREATE t:1', { session, txn });
    const other = new Client();
    await other.attach(FIRST, ANN);
    const unknown = new Uuid('018f8a12-0000-7000-8000-000000000000');
    for (const id of [txn, unknown]) {
      for (const named of [{}, { session: FIRST }]) {
        expect(await other.query('SELECT * FROM t', { ...named, txn: id })).toBe(MISSING);
        expect(await other.call('commit', [id], named)).toBe(MISSING);
        expect(await other.call('cancel', [id], named)).toBe(MISSING);
      }
    }
    expect(await stored()).toBe('[]');
    expect(await client.call('commit', [txn])).toBe('NONE');
  });

  test('its id holds more than 64 bits that cannot be guessed', async () => {
    const session = await client.attach(FIRST, ANN);
    const ids = [await client.begin(session), await client.begin(session)].map(({ text }) => text);
    // Version 7: 48 bits of the time, then 74 random ones.
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids[0]?.slice(-12)).not.toBe(ids[1]?.slice(-12));
  });
});

describe('it is cancelled with the rights of any participant', () => {
  /** What ends the rights of a session, by its client or another user. */
  const ENDS: Readonly<Record<string, (session: string) => Promise<unknown>>> = {
    invalidate: (session) => client.call('invalidate', [], { session }),
    reset: (session) => client.call('reset', [], { session }),
    detach: (session) => client.call('detach', [], { session }),
    'signing in as somebody else': (session) => client.call('signin', [objectFrom(VERA)], { session }),
    'REMOVE USER': () => run(world.owner, 'REMOVE USER bob ON ROOT'),
    'another password': () => run(world.owner, "DEFINE USER OVERWRITE bob ON ROOT PASSWORD 'another one' ROLES OWNER"),
    'the end of its time': async () => environment.advance(30_000),
  };
  const BOB = { user: 'bob', pass: 'a password' };

  beforeEach(() =>
    run(world.owner, "DEFINE USER bob ON ROOT PASSWORD 'a password' ROLES OWNER DURATION FOR SESSION 30s"),
  );

  describe.each(Object.entries(ENDS))('by %s', (_, end) => {
    test('when it has begun it', async () => {
      const session = await client.attach(FIRST, BOB);
      const txn = await client.begin(session);
      await client.query('CREATE t:1', { session, txn });
      await end(session);
      expect(await client.call('commit', [txn])).toBe(MISSING);
      expect(await client.call('commit', [txn], { session })).toMatch(/^! /);
      expect(await stored()).toBe('[]');
      expect(world.database.resourceUsage).toMatchObject({ transactions: 0, memory: 0 });
    });

    test('when it has only written in it', async () => {
      const [first, second] = [await client.attach(FIRST, ANN), await client.attach(SECOND, BOB)];
      const txn = await client.begin(first);
      await client.query('CREATE t:1', { session: first, txn });
      await client.query('CREATE t:2', { session: second, txn });
      await end(second);
      expect(await client.call('commit', [txn], { session: first })).toBe(MISSING);
      expect(await stored()).toBe('[]');
      expect(world.database.resourceUsage).toMatchObject({ transactions: 0, memory: 0 });
      // The other session goes on.
      expect(await client.query('CREATE t:3', { session: first })).toBe('[{ id: t:3 }]');
    });

    test('and goes on when it hasn’t', async () => {
      const [first, second] = [await client.attach(FIRST, ANN), await client.attach(SECOND, BOB)];
      const txn = await client.begin(first);
      await client.query('CREATE t:1', { session: first, txn });
      await end(second);
      expect(await client.call('commit', [txn], { session: first })).toBe('NONE');
      expect(await stored()).toBe('[t:1]');
    });
  });

  test('even if the commit comes before that was noticed', async () => {
    const [first, second] = [await client.attach(FIRST, ANN), await client.attach(SECOND, BOB)];
    const txn = await client.begin(first);
    await client.query('CREATE t:1', { session: second, txn });
    let committed: Promise<string> | undefined;
    afterNextCommit(() => {
      expect(world.database.resourceUsage).toMatchObject({ transactions: 1 });
      committed = client.call('commit', [txn], { session: first });
    });
    await run(world.owner, 'REMOVE USER bob ON ROOT');
    expect(await committed).toBe(MISSING);
    expect(await stored()).toBe('[]');
  });

  test('even if the record that it is was deleted just now', async () => {
    await run(world.owner, 'DEFINE TABLE OVERWRITE t PERMISSIONS FULL');
    const first = await client.attach(FIRST, ANN);
    await attachPerson(client, SECOND, 'rec');
    const txn = await client.begin(first);
    expect(await client.query('CREATE t:1', { session: SECOND, txn })).toBe('[{ id: t:1 }]');
    const deleted = run(world.owner, 'DELETE user:rec');
    const committed = client.call('commit', [txn], { session: first });
    await deleted;
    expect(await committed).toMatch(/^! /);
    expect(await stored()).toBe('[]');
  });

  test('a session that may not go on commits nothing of others, and takes nothing from them', async () => {
    const [first, second] = [await client.attach(FIRST, ANN), await client.attach(SECOND, BOB)];
    const txn = await client.begin(first);
    await client.query('CREATE t:1', { session: first, txn });
    environment.advance(30_000);
    expect(await client.call('commit', [txn], { session: second })).toBe(EXPIRED);
    expect(await client.query('CREATE t:2', { session: second, txn })).toBe(EXPIRED);
    expect(await client.call('cancel', [txn], { session: second })).toBe(EXPIRED);
    expect(await client.call('commit', [txn])).toBe('NONE');
    expect(await stored()).toBe('[t:1]');
  });

  test('a statement that waits for its turn in it runs without rights once they have ended', async () => {
    const [first, second] = [await client.attach(FIRST, ANN), await client.attach(SECOND, BOB)];
    const txn = await client.begin(first);
    const slow = client.query('CREATE t:1; SLEEP 1s', { session: first, txn });
    const waiting = client.query('CREATE t:2', { session: second, txn });
    await run(world.owner, 'REMOVE USER bob ON ROOT');
    for (let nap = 0; nap < 20; nap++) {
      environment.advance(100);
      await new Promise(setImmediate);
    }
    await slow;
    expect(await waiting).toBe(EXPIRED);
    await client.call('commit', [txn], { session: first });
    expect(await stored()).toBe('[t:1]');
  });
});

test('a record that was deleted and made again doesn’t write in it by its old sign-in', async () => {
  // A session that gets no notice of changes finds that out in the transaction, though another one has used that before.
  const owner = world.database.ownerSession();
  await owner.use('test', 'test');
  await run(owner, 'DEFINE TABLE OVERWRITE t PERMISSIONS FULL');
  const person = world.database.session({}, owner.connection);
  await person.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'rec' }));
  await run(owner, 'DELETE user:rec; CREATE user:rec SET name = "rec"');
  const held = await owner.begin();
  await run(held, 'CREATE t:1');
  const shared = person.transaction(held.id);
  expect(await answer(shared, 'CREATE t:2')).toMatch(/^session_expired/);
  expect(await answer(shared, 'CREATE t:2')).toMatch(/^session_expired/);
  expect(await answer(held, 'SELECT VALUE id FROM t')).toBe('[t:1]');
});

describe('it counts for the user who began it', () => {
  test('in number', async () => {
    await open({ transactions: { perUser: 1 } });
    client = new Client();
    await attachPerson(client, FIRST, 'one');
    await attachPerson(client, SECOND, 'two');
    const txn = await client.begin(FIRST);
    expect(await client.query('RETURN 1', { session: SECOND, txn })).toBe('1');
    expect(await client.call('begin', [], { session: FIRST })).toMatch(/at most 1 transactions/);
    await client.begin(SECOND);
    expect(await client.call('begin', [], { session: SECOND })).toMatch(/at most 1 transactions/);
    // It is given back by whichever session ends it.
    await client.call('cancel', [txn], { session: SECOND });
    await client.begin(FIRST);
  });

  test('in bytes, which another session can’t evade', async () => {
    await open({ transactions: { heldMemory: 400 * KIB, memory: 1_000 * KIB } });
    await run(world.owner, 'DEFINE TABLE OVERWRITE t PERMISSIONS FULL');
    client = new Client();
    await attachPerson(client, FIRST, 'one');
    await attachPerson(client, SECOND, 'two');
    const create = `CREATE t SET text = string::repeat('x', ${40 * KIB}) RETURN NONE`;
    const txn = await client.begin(FIRST);
    expect(await client.query(create, { session: FIRST, txn })).toBe('[]');
    // A quarter of all is what one user may hold.
    expect(await client.query(create, { session: SECOND, txn })).toMatch(/at most 102400 bytes together/);
    const own = await client.begin(SECOND);
    expect(await client.query(create, { session: SECOND, txn: own })).toBe('[]');
    await client.call('cancel', [txn], { session: SECOND });
    expect(await client.query(create, { session: FIRST, txn: await client.begin(FIRST) })).toBe('[]');
    client.rpc.close();
    expect(world.database.resourceUsage).toMatchObject({ transactions: 0, memory: 0 });
  });

  test('and is idle when no session asks anything of it', async () => {
    await open({ transactions: { idle: 60_000 } });
    client = new Client();
    const [first, second] = [await client.attach(FIRST, ANN), await client.attach(SECOND, ANN)];
    const txn = await client.begin(first);
    environment.advance(59_999);
    expect(await client.query('RETURN 1', { session: second, txn })).toBe('1');
    environment.advance(59_999);
    expect(await client.query('RETURN 1', { session: second, txn })).toBe('1');
    environment.advance(60_000);
    for (const named of [{}, { session: first }, { session: second }]) {
      expect(await client.call('commit', [txn], named)).toMatch(/nothing was asked of it for 1m$/);
    }
  });
});

test('a session that waited for its turn in it until it was over keeps nothing of it', async () => {
  await run(world.owner, "DEFINE USER bob ON ROOT PASSWORD 'a password' ROLES OWNER");
  const [first, second] = [await client.attach(FIRST, { ...ANN, user: 'bob' }), await client.attach(SECOND, ANN)];
  const txn = await client.begin(first);
  const slow = client.query('CREATE t:1; SLEEP 1s', { session: first, txn });
  const waiting = client.query('CREATE t:2', { session: second, txn });
  await run(world.owner, 'REMOVE USER bob ON ROOT');
  for (let nap = 0; nap < 20; nap++) {
    environment.advance(100);
    await new Promise(setImmediate);
  }
  await slow;
  expect(await waiting).toMatch(/^! /);
  expect(await stored()).toBe('[]');
  expect(await client.query('CREATE t:3', { session: second })).toBe('[{ id: t:3 }]');
  expect(world.database.resourceUsage).toMatchObject({ transactions: 0, memory: 0 });
});

test('a guest who was refused in it has taken no part', async () => {
  const session = await client.attach(FIRST, ANN);
  const txn = await client.begin(session);
  await client.query('CREATE t:1', { session, txn });
  const guest = await client.attach(SECOND);
  expect(await client.query('RETURN 1', { session: guest, txn })).toMatch(/^! /);
  await client.call('detach', [], { session: guest });
  expect(await client.call('commit', [txn])).toBe('NONE');
  expect(await stored()).toBe('[t:1]');
});

test.each([
  ['commit', 'ok'],
  ['cancel', 'undone'],
])('the audit log is told who did what in it, after the %s', async (method, outcome) => {
  const lines: string[] = [];
  await open({ audit: { sink: { write: (batch) => void lines.push(...batch) } } });
  client = new Client();
  await run(world.owner, "DEFINE USER bob ON ROOT PASSWORD 'a password' ROLES OWNER");
  const [first, second] = [await client.attach(FIRST, ANN), await client.attach(SECOND, { ...ANN, user: 'bob' })];
  const txn = await client.begin(first);
  await client.query('DEFINE TABLE a', { session: first, txn });
  await client.query('DEFINE TABLE b', { session: second, txn });
  await client.call(method, [txn]);
  await world.close();
  const told = lines.map((line) => JSON.parse(line)).filter(({ what }) => ['a', 'b'].includes(what?.name));
  expect(told.map(({ who, what, outcome }) => [who.name, what.name, outcome])).toEqual([
    ['ann', 'a', outcome],
    ['bob', 'b', outcome],
  ]);
});
