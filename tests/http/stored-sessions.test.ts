/** Sessions that are attached over HTTP: settings under a name, bound to the credential that attached them. */
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from '../../src/http/base/options.js';
import { createHttpServer, type HttpServerParts } from '../../src/http/server.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import { objectFrom } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { run, World } from '../support/world.js';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const basic = (user: string) => `Basic ${Buffer.from(`${user}:a password`).toString('base64')}`;
const [ANN, BOB] = [basic('ann'), basic('bob')];
/** The result of a name that is no variable: it is looked up in the database, and none is selected. */
const UNSET = 'Specify a namespace to use';
const missing = { code: -32000, kind: 'NotFound', message: `Session not found: ${ID}` };

let world: World;
let environment: StubbedEnvironment;
let app: FastifyInstance;

async function open(limits: Partial<HttpLimits> = {}, options: DatabaseOptions = {}, idle = 60_000): Promise<void> {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  world = await World.open({ environment, ...options });
  await run(
    world.owner,
    `DEFINE USER ann ON ROOT PASSWORD 'a password' ROLES OWNER; DEFINE USER bob ON ROOT PASSWORD 'a password' ROLES OWNER; DEFINE USER cat ON ROOT PASSWORD 'a password' ROLES OWNER;
     DEFINE TABLE t; CREATE t:1`,
  );
  const parts: HttpServerParts = {
    database: world.database,
    environment,
    options: { limits: { ...DEFAULT_HTTP_LIMITS, ...limits }, storedSessionIdle: idle },
  };
  app = createHttpServer(parts);
}
beforeEach(() => open());
afterEach(async () => {
  await app.close();
  await world.close();
});

type Answer = { readonly status: number; readonly result?: unknown; readonly error?: Record<string, unknown> };

async function call(
  authorization: string | undefined,
  method: string,
  params: readonly unknown[] = [],
  session: string | undefined = ID,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const reply = await app.inject({
    method: 'POST',
    url: '/rpc',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...headers,
      ...(authorization !== undefined && { authorization }),
    },
    payload: JSON.stringify({ id: 1, method, params, session }),
  });
  return { status: reply.statusCode, ...JSON.parse(reply.body) };
}

/** The result of a statement. */
async function query(authorization: string, text: string, session?: string): Promise<unknown> {
  const { result, error } = await call(authorization, 'query', [text], session);
  return error ?? (result as { result: unknown }[])[0]?.result;
}

async function tokenOf(user: string): Promise<string> {
  const session = world.guest();
  const { access } = await session.signIn(objectFrom({ user, pass: 'a password' }));
  session.close();
  return `Bearer ${access}`;
}

describe('a session over HTTP', () => {
  it('keeps its selection and its variables from one request to the next', async () => {
    expect(await call(ANN, 'attach')).toMatchObject({ result: null });
    expect(await call(ANN, 'attach')).toMatchObject({ error: { kind: 'AlreadyExists' } });
    expect(await call(ANN, 'use', ['test', 'test'])).toMatchObject({ result: { namespace: 'test', database: 'test' } });
    expect(await call(ANN, 'let', ['a', { b: 1 }])).toMatchObject({ result: null });
    expect(await call(ANN, 'let', ['c', 2])).toMatchObject({ result: null });
    expect(await query(ANN, 'RETURN [session::ns(), session::db(), $a, $c, (SELECT VALUE id FROM t)]')).toEqual([
      'test',
      'test',
      { b: 1 },
      2,
      ['t:1'],
    ]);
    await call(ANN, 'unset', ['a']);
    expect(await query(ANN, 'RETURN [$a, $c]')).toEqual([null, 2]);
    await call(ANN, 'use', [null, null]);
    expect(await query(ANN, 'RETURN [session::ns(), $c]')).toEqual([null, 2]);
    await call(ANN, 'use', ['test', 'test']);
    await call(ANN, 'reset');
    expect(await query(ANN, 'RETURN session::ns()')).toBe(null);
    expect(await query(ANN, 'RETURN $c')).toBe(UNSET);
    expect(await call(ANN, 'sessions')).toMatchObject({ result: [ID] });
    expect(await call(ANN, 'detach')).toMatchObject({ result: null });
    expect(await call(ANN, 'sessions')).toMatchObject({ result: [] });
    expect(await call(ANN, 'query', ['RETURN 1'])).toMatchObject({ status: 200, error: missing });
  });

  it('is one of several, beside requests that name none', async () => {
    for (const id of [ID, OTHER]) {
      await call(ANN, 'attach', [], id);
      await call(ANN, 'let', ['x', id], id);
    }
    expect(await query(ANN, 'RETURN $x')).toBe(ID);
    expect(await query(ANN, 'RETURN $x', OTHER)).toBe(OTHER);
    const plain = await app.inject({
      method: 'POST',
      url: '/rpc',
      headers: { 'content-type': 'application/json', accept: 'application/json', authorization: ANN },
      payload: JSON.stringify({ id: 1, method: 'query', params: ['RETURN $x'] }),
    });
    expect(JSON.parse(plain.body).result[0].result).toBe(UNSET);
  });

  it('takes what the headers select until it has selected something itself', async () => {
    await call(ANN, 'attach');
    const headers = { 'svc-ns': 'test', 'svc-db': 'test' };
    const where = async () => {
      const { result } = await call(ANN, 'query', ['RETURN [session::ns(), session::db()]'], ID, headers);
      return (result as { result: unknown }[])[0]?.result;
    };
    expect(await where()).toEqual(['test', 'test']);
    expect(await query(ANN, 'RETURN session::ns()')).toBe(null);
    await call(ANN, 'use', ['a', 'b']);
    expect(await where()).toEqual(['a', 'b']);
  });

  it('isn’t changed by what a text selects or sets, nor by what fails', async () => {
    await call(ANN, 'attach');
    await call(ANN, 'let', ['x', 1]);
    await query(ANN, 'USE NS test DB test; LET $x = 2');
    expect(await call(ANN, 'let', ['auth', 1])).toMatchObject({ error: { kind: expect.any(String) } });
    expect(await query(ANN, 'RETURN [session::ns(), $x]')).toEqual([null, 1]);
  });

  it('loses nothing of what two requests set at once', async () => {
    await call(ANN, 'attach');
    await Promise.all(Array.from({ length: 20 }, (_, at) => call(ANN, 'let', [`v${at}`, at])));
    const names = Array.from({ length: 20 }, (_, at) => `$v${at}`).join(', ');
    expect(await query(ANN, `RETURN [${names}]`)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });
});

describe('it belongs to the credential that attached it', () => {
  it('another user, another token of the same user, and a guest don’t find it', async () => {
    const [token, other] = [await tokenOf('ann'), await tokenOf('ann')];
    await call(token, 'attach');
    await call(token, 'let', ['secret', 1]);
    for (const credential of [ANN, BOB, other, undefined]) {
      expect(await call(credential, 'query', ['RETURN $secret'])).toMatchObject({ error: missing });
      expect(await call(credential, 'let', ['secret', 2])).toMatchObject({ error: missing });
      expect(await call(credential, 'sessions')).toMatchObject({ result: [] });
      expect(await call(credential, 'detach')).toMatchObject({ result: null });
    }
    expect(await query(token, 'RETURN $secret')).toBe(1);
    // The same id is free for others, who can't tell that it is taken.
    expect(await call(BOB, 'attach')).toMatchObject({ result: null });
    expect(await query(BOB, 'RETURN $secret')).toBe(UNSET);
  });

  it('holds no rights: each request shows its own', async () => {
    await call(ANN, 'attach');
    await call(ANN, 'use', ['test', 'test']);
    const signedIn = await call(ANN, 'signin', [{ user: 'bob', pass: 'a password' }]);
    expect(signedIn.result).toMatch(/^ey/);
    expect(await query(ANN, 'RETURN $token.ID')).not.toBe('bob');
    expect((await call('Bearer x.y.z', 'query', ['RETURN 1'])).status).toBe(401);
    await run(world.owner, 'REMOVE USER ann ON ROOT');
    expect((await call(ANN, 'query', ['RETURN 1'])).status).toBe(401);
  });

  it('signing in ignores its name, and learns nothing of it', async () => {
    await call(ANN, 'attach');
    for (const id of [ID, OTHER]) {
      expect(await call(undefined, 'signin', [{ user: 'bob', pass: 'a password' }], id)).toMatchObject({ status: 200 });
    }
  });

  it('a user who was defined again with the same password has none', async () => {
    await call(ANN, 'attach');
    await run(world.owner, "REMOVE USER ann ON ROOT; DEFINE USER ann ON ROOT PASSWORD 'a password' ROLES OWNER");
    expect(await call(ANN, 'query', ['RETURN 1'])).toMatchObject({ error: missing });
    expect(await call(ANN, 'sessions')).toMatchObject({ result: [] });
  });

  it('a record that was made again has none', async () => {
    const person = await world.person('rec');
    const token = `Bearer ${world.tokenOf(person)}`;
    expect(await call(token, 'attach')).toMatchObject({ result: null });
    await run(world.owner, "DELETE user:rec; CREATE user:rec SET name = 'rec'");
    const again = world.guest();
    const { access } = await again.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'rec' }));
    expect((await call(token, 'sessions')).status).toBe(401);
    expect(await call(`Bearer ${access}`, 'query', ['RETURN 1'])).toMatchObject({ error: missing });
  });

  it('is found by the next token of its client, too', async () => {
    const first = await tokenOf('ann');
    await call(first, 'attach');
    await call(first, 'let', ['kept', 1]);
    const again = await call(first, 'signin', [{ user: 'ann', pass: 'a password' }]);
    const second = `Bearer ${again.result}`;
    // Clones of a client sign in, and go on with the token of the original.
    for (const token of [first, second]) expect(await query(token, 'RETURN $kept')).toBe(1);
    // As another user, too: who signs in has had both credentials.
    const other = `Bearer ${(await call(second, 'signin', [{ user: 'bob', pass: 'a password' }])).result}`;
    expect(await query(other, 'RETURN $kept')).toBe(1);
    // Neither a name alone nor a sign-in that fails takes one along.
    const stranger = `Bearer ${(await call(undefined, 'signin', [{ user: 'cat', pass: 'a password' }])).result}`;
    expect(await call(stranger, 'query', ['RETURN $kept'])).toMatchObject({ error: missing });
    expect((await call(first, 'signin', [{ user: 'cat', pass: 'wrong' }])).error).toBeDefined();
    expect(await call(stranger, 'query', ['RETURN $kept'])).toMatchObject({ error: missing });
    // The last four credentials find it.
    for (let time = 0; time < 3; time++) await call(second, 'signin', [{ user: 'ann', pass: 'a password' }]);
    expect(await call(first, 'query', ['RETURN $kept'])).toMatchObject({ error: missing });
    expect(await query(other, 'RETURN $kept')).toBe(1);
  });

  it('is open again, and holds nothing, after signing out', async () => {
    const token = await tokenOf('ann');
    await call(token, 'attach');
    await call(token, 'let', ['kept', 1]);
    await call(token, 'invalidate');
    expect((await call(undefined, 'query', ['RETURN 1'])).error).toBeUndefined();
    expect(await query(BOB, 'RETURN $kept')).toBe(UNSET);
    // A client without its credential doesn't sign it out.
    await call(undefined, 'invalidate');
    await call(ANN, 'invalidate');
    expect(await query(BOB, 'RETURN 1')).toBe(1);
  });

  it('a transaction that is begun in it ends with the request', async () => {
    await call(ANN, 'attach');
    const { result } = await call(ANN, 'begin');
    expect(await call(ANN, 'commit', [result])).toMatchObject({ error: { message: 'Transaction not found' } });
    expect(world.database.resourceUsage.transactions).toBe(0);
  });
});

describe('one that is attached before signing in', () => {
  it('holds nothing, and belongs to the first credential that names it', async () => {
    expect(await call(undefined, 'attach')).toMatchObject({ result: null, session: ID });
    expect(await call(undefined, 'attach')).toMatchObject({ error: { kind: 'AlreadyExists' } });
    expect(await call(undefined, 'let', ['secret', 1])).toMatchObject({ result: null });
    expect(await call(undefined, 'version')).toMatchObject({ result: expect.stringContaining('surrealdb-') });
    expect(await call(undefined, 'sessions')).toMatchObject({ result: [] });
    const { result } = await call(undefined, 'signin', [{ user: 'ann', pass: 'a password' }]);
    const token = `Bearer ${result}`;
    expect(await query(token, 'RETURN $secret')).toBe(UNSET);
    await call(token, 'let', ['secret', 2]);
    expect(await query(token, 'RETURN $secret')).toBe(2);
    // Its id alone is worth nothing (a stolen one), nor does the one who knew it before keep it (fixation).
    for (const credential of [undefined, BOB, await tokenOf('ann')])
      expect(await call(credential, 'query', ['RETURN $secret'])).toMatchObject({ error: missing });
  });

  it('is the one’s who is first, of many at once', async () => {
    await call(undefined, 'attach');
    const answers = await Promise.all([ANN, BOB].map((credential) => call(credential, 'query', ['RETURN 1'])));
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(1);
  });

  it('ends when no request names it for a minute', async () => {
    await call(undefined, 'attach');
    environment.advance(40_000);
    expect(await call(undefined, 'version')).toMatchObject({ result: expect.anything() });
    expect(await call(undefined, 'let', ['x', 1])).toMatchObject({ result: null });
    environment.advance(40_000);
    expect(await call(undefined, 'let', ['x', 1])).toMatchObject({ result: null });
    environment.advance(60_001);
    expect(await call(undefined, 'let', ['x', 1])).toMatchObject({ error: missing });
    expect(await call(ANN, 'query', ['RETURN 1'])).toMatchObject({ error: missing });
  });

  it('is bounded by its source, which gets its room back', async () => {
    const id = (at: number) => `11111111-1111-4111-8111-${String(at).padStart(12, '0')}`;
    for (let at = 0; at < 64; at++) expect((await call(undefined, 'attach', [], id(at))).error).toBeUndefined();
    expect(await call(undefined, 'attach', [], id(64))).toMatchObject({ error: { kind: 'NotAllowed' } });
    await call(undefined, 'detach', [], id(0));
    expect((await call(undefined, 'attach', [], id(64))).error).toBeUndefined();
    environment.advance(60_001);
    expect((await call(undefined, 'attach', [], id(65))).error).toBeUndefined();
  });
});

describe('it is bounded', () => {
  const id = (at: number) => `11111111-1111-4111-8111-${String(at).padStart(12, '0')}`;

  it('in number, for each user with all credentials, and in all', async () => {
    await app.close();
    await open({ attachedSessions: 2, storedSessions: 3 });
    const token = await tokenOf('ann');
    await call(ANN, 'attach', [], id(1));
    await call(token, 'attach', [], id(2));
    expect(await call(ANN, 'attach', [], id(3))).toMatchObject({
      error: { message: expect.stringMatching(/^A user keeps at most 2 /) },
    });
    await call(BOB, 'attach', [], id(3));
    expect(await call(BOB, 'attach', [], id(4))).toMatchObject({
      error: { message: expect.stringMatching(/^A server keeps at most 3 /) },
    });
    await call(token, 'detach', [], id(2));
    expect(await call(BOB, 'attach', [], id(4))).toMatchObject({ result: null });
  });

  it('with room for a new one of a user, where one of theirs wasn’t used for a minute', async () => {
    await app.close();
    await open({ attachedSessions: 2 }, {}, 600_000);
    await call(ANN, 'attach', [], id(0));
    await call(ANN, 'attach', [], id(1));
    expect(await call(ANN, 'attach', [], id(2))).toMatchObject({ error: { kind: 'NotAllowed' } });
    environment.advance(59_000);
    await call(ANN, 'let', ['used', 1], id(0));
    environment.advance(1_000);
    expect((await call(ANN, 'attach', [], id(2))).error).toBeUndefined();
    expect(await call(ANN, 'sessions')).toMatchObject({ result: [id(0), id(2)] });
  });

  it('in bytes, of which a user takes a quarter; what is unset, detached and closed is given back', async () => {
    await app.close();
    await open({ storedSessionMemory: 400_000 });
    const before = world.database.memory.budget.used;
    const text = 'x'.repeat(30_000);
    await call(ANN, 'attach');
    expect(await call(ANN, 'let', ['a', text])).toMatchObject({ result: null });
    expect(await call(ANN, 'let', ['b', text])).toMatchObject({
      error: { message: expect.stringMatching(/hold at most 100000 bytes together/) },
    });
    expect(await query(ANN, 'RETURN string::len($a)')).toBe(30_000);
    expect(await query(ANN, 'RETURN $b')).toBe(UNSET);
    await call(BOB, 'attach');
    expect(await call(BOB, 'let', ['a', text])).toMatchObject({ result: null });
    await call(ANN, 'let', ['a', 1]);
    expect(await call(ANN, 'let', ['b', text])).toMatchObject({ result: null });
    await call(ANN, 'detach');
    await call(BOB, 'detach');
    expect(world.database.memory.budget.used).toBe(before);
    await call(ANN, 'attach');
    await app.close();
    expect(world.database.memory.budget.used).toBe(before);
  });

  it('in time: one that no request names is forgotten, with what it held', async () => {
    const before = world.database.memory.budget.used;
    await call(ANN, 'attach');
    await call(BOB, 'attach', [], OTHER);
    environment.advance(59_999);
    expect(await query(ANN, 'RETURN 1')).toBe(1);
    environment.advance(1);
    expect(await call(BOB, 'sessions')).toMatchObject({ result: [] });
    expect(await call(BOB, 'query', ['RETURN 1'], OTHER)).toMatchObject({ error: { kind: 'NotFound' } });
    environment.advance(59_998);
    expect(await query(ANN, 'RETURN 1')).toBe(1);
    environment.advance(60_000);
    expect(await call(ANN, 'query', ['RETURN 1'])).toMatchObject({ error: missing });
    expect(world.database.memory.budget.used).toBe(before);
  });
});
