/** FlatBuffers over a real server, as the Rust client speaks: before and after sign-in, over WebSockets and HTTP. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { objectFromJavaScript } from '../../src/embedded/from-javascript.js';
import type { RunningServer } from '../../src/server/server.js';
import { FLATBUFFERS } from '../../src/value/codecs/formats.js';
import { toText } from '../../src/value/text/text.js';
import { isObject, type ObjectValue, Uuid, type Value } from '../../src/value/value.js';
import { readByLibrary } from '../support/flatbuffers-by-library.js';
import { FRAMES_OF_OTHERS, VALUES_OF_OTHERS } from '../support/flatbuffers-messages.js';
import { ROOT, startTestServer } from '../support/server.js';

const TYPE = FLATBUFFERS.contentType;
const CREDENTIALS = { user: ROOT.username, pass: ROOT.password };
const SESSION = new Uuid('4f1c5b0e-6a3d-4d0c-9d9c-0b8f2b1f7a11');
const OTHER = new Uuid('4f1c5b0e-6a3d-4d0c-9d9c-0b8f2b1f7a22');

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** A message as bytes, and bytes as another reader of the format sees them. */
const written = (message: Record<string, unknown>) =>
  FLATBUFFERS.encode(objectFromJavaScript(message)) as Uint8Array<ArrayBuffer>;
function read(data: Uint8Array): ObjectValue {
  const answer = readByLibrary(data);
  if (!isObject(answer)) throw new Error(`no message: ${toText(answer)}`);
  return answer;
}

describe('over WebSockets', () => {
  let socket: WebSocket;
  beforeAll(async () => {
    socket = new WebSocket(`${server.url.replace('http', 'ws')}/rpc`, 'flatbuffers');
    await once(socket, 'open');
  });
  afterAll(() => socket.terminate());

  const send = async (data: Uint8Array): Promise<ObjectValue> => {
    const answered = once(socket, 'message');
    socket.send(data);
    const [answer, isBinary] = await answered;
    expect(isBinary).toBe(true);
    return read(answer as Buffer);
  };
  /** All five keys, as the client sends them. */
  const call = (method: string, params?: readonly unknown[], session: Value = undefined, id = 0) =>
    send(written({ id, method, params, session, txn: undefined }));

  it('answers frames of the Rust client before anyone is signed in', async () => {
    expect(socket.protocol).toBe('flatbuffers');
    const frame = (name: string) => Buffer.from(FRAMES_OF_OTHERS.find(([each]) => each === name)?.[2] ?? '', 'hex');
    expect(await send(frame('attach'))).toMatchObject({ id: 0, result: undefined });
    expect(await send(frame('query'))).toMatchObject({ id: 18, error: { kind: 'NotFound' } });
    expect(await call('version')).toMatchObject({ id: 0, result: expect.stringMatching(/^surrealdb-3/) });
    expect(await call('query', ['CREATE a'])).toMatchObject({ id: 0, error: { code: -32002 } });
  });

  it('counts ids per session', async () => {
    await call('attach', undefined, SESSION, 0);
    await call('attach', undefined, OTHER, 0);
    for (const session of [SESSION, OTHER]) {
      expect(await call('signin', [CREDENTIALS], session, 1)).toMatchObject({
        id: 1,
        result: expect.stringMatching(/^ey/),
      });
      expect(await call('use', ['a', 'b'], session, 2)).toMatchObject({
        id: 2,
        result: { namespace: 'a', database: 'b' },
      });
      expect(await call('query', ['RETURN 1'], session, 3)).toMatchObject({ id: 3, result: [{ result: 1 }] });
    }
  });

  it('carries values of all kinds both ways', async () => {
    await call('signin', [CREDENTIALS]);
    await call('use', ['a', 'b']);
    for (const [text, hex] of VALUES_OF_OTHERS) {
      const value = FLATBUFFERS.decode(Buffer.from(hex, 'hex'));
      const answer = await call('query', ['RETURN $value; RETURN type::of($value)', { value }]);
      const [returned, kind] = (answer['result'] as ObjectValue[]).map(({ result }) => result);
      expect([text, toText(returned), kind]).toEqual([text, toText(value), expect.any(String)]);
      expect(await call('query', ['(UPSERT ONLY v:1 SET value = $value).value', { value }])).toMatchObject({
        result: [{ result: value }],
      });
    }
    expect(await call('query', ['RETURN /a.*/; RETURN -0.0'])).toMatchObject({
      result: [{ result: { source: 'a.*' } }, { result: { number: -0 } }],
    });
  });

  it('sends many rows', async () => {
    const answer = await call('query', ['SELECT * FROM (CREATE |row:5000| SET name = "Ann", list = [1, 2.5])']);
    expect(answer).toMatchObject({ result: [{ result: { length: 5_000 }, status: 'OK' }] });
  });

  it('notifies', async () => {
    const { result } = await call('query', ['DEFINE TABLE n; LIVE SELECT * FROM n']);
    const id = (result as ObjectValue[])[1]?.['result'];
    const messages: ObjectValue[] = [];
    const collect = (data: Buffer) => messages.push(read(data));
    socket.on('message', collect);
    socket.send(written({ id: 7, method: 'query', params: ['CREATE n:1 SET a = 1'] }));
    await expect.poll(() => messages.length).toBe(2);
    socket.off('message', collect);
    const notification = messages.find((message) => !Object.hasOwn(message, 'id'));
    expect(notification).toMatchObject({ result: { action: 'CREATE', id, record: { table: 'n', key: 1 } } });
  });

  it('answers what it can not read under its id, and goes on', async () => {
    const deep = Array.from({ length: 200 }).reduce<unknown[]>((inner) => [inner], []);
    expect(await call('query', ['RETURN $a', { a: deep }], undefined, 41)).toMatchObject({
      id: 41,
      error: { message: expect.stringContaining('nested') },
    });
    for (const garbage of [Buffer.alloc(0), Buffer.alloc(100, 0xff), Buffer.from('{"id":1}')])
      expect(await send(garbage)).toMatchObject({ id: null, error: { code: -32700, kind: 'Serialization' } });
    expect(await call('query', ['RETURN 1'], undefined, 42)).toMatchObject({ id: 42, result: [{ result: 1 }] });
  });

  it('is binary only', async () => {
    const closed = once(socket, 'close');
    socket.send('{}');
    expect((await closed)[0]).toBe(1003);
  });
});

describe('over HTTP', () => {
  const root = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
  const PLACE = { 'surreal-ns': 'a', 'surreal-db': 'c' };
  async function ask(method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, headers = {}) {
    const given = { accept: TYPE, 'content-type': TYPE, ...PLACE, ...headers };
    const reply = await fetch(`${server.url}${path}`, { method, headers: given, ...(body !== undefined && { body }) });
    const type = reply.headers.get('content-type');
    const bytes = Buffer.from(await reply.arrayBuffer());
    return { status: reply.status, type, value: type === TYPE ? readByLibrary(bytes) : bytes.toString() };
  }
  const signedIn = { authorization: root };
  const good = (value: unknown) => ({ status: 200, type: TYPE, value });

  it('calls methods, before and after sign-in', async () => {
    const call = (method: string, params?: readonly unknown[], headers = {}) =>
      ask('POST', '/rpc', written({ id: undefined, method, params, session: undefined, txn: undefined }), headers);
    expect(await call('version')).toMatchObject(good({ result: expect.stringMatching(/^surrealdb-3/) }));
    expect(await call('query', ['CREATE a'])).toMatchObject(good({ error: { code: -32002 } }));
    expect(await call('signin', [CREDENTIALS])).toMatchObject(good({ result: expect.stringMatching(/^ey/) }));
    expect(await call('query', ['RETURN 1'], signedIn)).toMatchObject(good({ result: [{ result: 1, status: 'OK' }] }));
    expect(await call('nope', [], signedIn)).toMatchObject(good({ error: { code: -32601 } }));
    expect(await call('ping', [], { accept: '*/*' })).toMatchObject(good({ result: undefined }));
    expect(await call('ping', [], { accept: 'application/json' })).toMatchObject({
      type: 'application/json',
      value: '{"result":null}',
    });
    expect(await ask('POST', '/rpc', Buffer.from('nonsense'))).toMatchObject({ status: 400, type: 'application/json' });
  });

  it('answers where an answer is asked for in it', async () => {
    const token = { code: 200, details: expect.any(String), token: expect.stringMatching(/^ey/) };
    expect(await ask('POST', '/signin', written(CREDENTIALS))).toMatchObject(good(token));
    expect(
      await ask('POST', '/signin', JSON.stringify(CREDENTIALS), { 'content-type': 'application/json' }),
    ).toMatchObject(good(token));
    expect(await ask('POST', '/sql', 'RETURN r"p:1"; THROW "x"', signedIn)).toMatchObject(
      good([
        { result: { table: 'p', key: 1 }, status: 'OK', time: expect.any(String) },
        { result: expect.stringContaining('x'), status: 'ERR', kind: 'Thrown' },
      ]),
    );
    expect(await ask('POST', '/key/person/1', written({ name: 'Ann', list: [1, undefined] }), signedIn)).toMatchObject(
      good([{ result: [{ name: 'Ann', list: [1, undefined] }] }]),
    );
    expect(await ask('GET', '/key/person/1', undefined, signedIn)).toMatchObject(good([{ result: [{ name: 'Ann' }] }]));
  });

  it('signs up records', async () => {
    const define = 'DEFINE ACCESS u ON DATABASE TYPE RECORD SIGNUP (CREATE u SET n = $n) WITH REFRESH';
    await ask('POST', '/sql', define, signedIn);
    expect(await ask('POST', '/signup', written({ ns: 'a', db: 'c', ac: 'u', n: 1 }))).toMatchObject(
      good({ token: { access: expect.stringMatching(/^ey/), refresh: expect.any(String) } }),
    );
  });

  it('is accepted where the answer depends on no format', async () => {
    const octets = { ...signedIn, 'content-type': 'application/octet-stream' };
    expect(await ask('POST', '/import', 'CREATE imported:1', octets)).toEqual(good([]));
    expect(await ask('POST', '/sql', 'RETURN count(SELECT * FROM imported)', signedIn)).toMatchObject(
      good([{ result: 1 }]),
    );
    expect(await ask('GET', '/health')).toMatchObject({ status: 200 });
    expect(await ask('GET', '/version')).toMatchObject({ status: 200, value: expect.stringMatching(/^surrealdb-3/) });
    expect(
      await ask('POST', '/export', written({}), { ...signedIn, accept: 'application/octet-stream' }),
    ).toMatchObject({ status: 200 });
  });
});
