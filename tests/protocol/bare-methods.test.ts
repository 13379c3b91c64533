/** Every method of the protocol as bare messages, in all formats over both transports. */
import { decode, encode } from 'cborg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { objectFromJavaScript } from '../../src/embedded/from-javascript.js';
import { METHODS } from '../../src/rpc/methods/table.js';
import type { RunningServer } from '../../src/server/server.js';
import { FLATBUFFERS } from '../../src/value/codecs/formats.js';
import { ROOT, startTestServer } from '../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

type Answer = { readonly id: unknown; readonly result?: unknown; readonly error?: { code: number; kind: string } };
type Caller = (request: object) => Promise<Answer>;

/** Tags as `{tag, content}`, since what is in them isn't the point here. */
const tags = Object.fromEntries(
  [6, 7, 8, 10, 12, 14, 37].map((tag) => [tag, (content: () => unknown) => ({ tag, content: content() })]),
);

const FORMATS = {
  json: { type: 'application/json', write: JSON.stringify, read: (data: Buffer) => JSON.parse(data.toString()) },
  cbor: { type: 'application/cbor', write: encode, read: (data: Buffer) => decode(data, { tags }) },
  flatbuffers: {
    type: FLATBUFFERS.contentType,
    write: (request: object) => FLATBUFFERS.encode(objectFromJavaScript({ ...request })),
    read: (data: Buffer) => FLATBUFFERS.decode(data),
  },
} as const;
type FormatName = keyof typeof FORMATS;

async function overSocket(format: FormatName): Promise<{ call: Caller; close: () => void }> {
  const { write, read } = FORMATS[format];
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/rpc`, format);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<unknown, (answer: Answer) => void>();
  socket.on('message', (data) => {
    const answer = read(data as Buffer) as Answer;
    waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  const call: Caller = (request) => {
    const id = ++last;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(write({ id, ...request }));
    return answered;
  };
  await call({ method: 'signin', params: [{ user: ROOT.username, pass: ROOT.password }] });
  await call({ method: 'use', params: ['bare', `socket_${format}`] });
  return { call, close: () => socket.close() };
}

async function overHttp(format: FormatName): Promise<{ call: Caller; close: () => void }> {
  const { type, write, read } = FORMATS[format];
  const authorization = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
  const place = { 'surreal-ns': 'bare', 'surreal-db': `http_${format}` };
  const call: Caller = async (request) => {
    const body = write({ id: 1, ...request }) as string | Uint8Array<ArrayBuffer>;
    const headers = { authorization, 'content-type': type, accept: type, ...place };
    const reply = await fetch(`${server.url}/rpc`, { method: 'POST', headers, body });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, type]);
    return read(Buffer.from(await reply.arrayBuffer())) as Answer;
  };
  return { call, close: () => {} };
}

const SESSION = '4f1c5b0e-6a3d-4d0c-9d9c-0b8f2b1f7a11';
const NOBODY = '4f1c5b0e-6a3d-4d0c-9d9c-0b8f2b1f7a22';
const ITEM = { id: expect.anything(), a: expect.anything() };

interface Sample {
  readonly params?: readonly unknown[];
  readonly session?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly kind: string };
  /** What it is over HTTP, where nothing lasts longer than a request. */
  readonly http?: Pick<Sample, 'error' | 'result'>;
}

const NOTHING = Symbol('NULL or NONE');
const denied = { code: -32002, kind: 'NotAllowed' };
const badParams = { code: -32603, kind: 'Validation' };
const anything = expect.anything();

/** One call of each method, in this order. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  ping: { result: NOTHING },
  version: { result: expect.stringMatching(/^surrealdb-3\./) },
  health: { result: NOTHING },
  use: { params: ['bare', null], result: anything },
  reset: { result: NOTHING },
  signin: { params: [{ user: ROOT.username, pass: ROOT.password }], result: expect.stringMatching(/^ey/) },
  signup: { params: [{ ns: 'bare', db: 'bare', ac: 'none' }], error: denied },
  auth_start: {
    params: [{ ns: 'bare', db: 'bare', ac: 'none', challenge: 'a'.repeat(43), email: 'ann@example.com' }],
    error: denied,
  },
  authenticate: { params: ['garbage'], error: denied },
  refresh: { params: ['access'], error: { code: -32000, kind: 'Validation' } },
  revoke: { params: ['access'], error: { code: -32000, kind: 'Validation' } },
  let: { params: ['x', 1], result: NOTHING },
  set: { params: ['$y', [1]], result: NOTHING },
  unset: { params: ['x'], result: NOTHING },
  query: { params: ['USE NS bare DB bare; RETURN $z', { z: 2 }], result: [anything, { status: 'OK', result: 2 }] },
  create: { params: ['item', { a: 1 }], result: ITEM },
  insert: { params: ['item', [{ a: 1 }]], result: [ITEM] },
  select: { params: ['item'], result: [ITEM, ITEM] },
  update: { params: ['item', { a: 2 }], result: [ITEM, ITEM] },
  upsert: { params: ['item', { a: 3 }], result: [ITEM] },
  merge: { params: ['item', { b: 1 }], result: [ITEM, ITEM, ITEM] },
  patch: { params: ['item', [{ op: 'add', path: '/c', value: 1 }]], result: [ITEM, ITEM, ITEM] },
  insert_relation: { params: ['likes', []], result: [] },
  relate: { params: [[], 'likes', []], result: [] },
  delete: { params: ['item'], result: [ITEM, ITEM, ITEM] },
  run: { params: ['math::max', null, [[1, 2]]], result: 2 },
  graphql: { params: ['{ a }'], error: { code: -32000, kind: 'NotFound' } },
  info: { result: NOTHING },
  live: { params: ['item'], result: anything, http: { error: { code: -32604, kind: 'Configuration' } } },
  kill: { params: [NOBODY], error: { code: -32000, kind: 'Internal' } },
  begin: { result: anything },
  commit: { params: [NOBODY], error: badParams },
  cancel: { params: ['nonsense'], error: badParams },
  attach: { session: SESSION, result: NOTHING },
  sessions: { result: [anything] },
  detach: { session: SESSION, result: NOTHING },
  view_as: { result: NOTHING, http: { error: { code: -32604, kind: 'Configuration' } } },
  invalidate: { result: NOTHING },
};

it('has a sample of every method', () => {
  expect(Object.keys(SAMPLES).sort()).toEqual([...METHODS.keys()].sort());
});

describe.each(['json', 'cbor', 'flatbuffers'] as const)('in %s', (format) => {
  it.each(['ws', 'http'] as const)('every method is answered over %s', async (transport) => {
    const { call, close } = await (transport === 'ws' ? overSocket(format) : overHttp(format));
    for (const [method, { params, session, http, ...sample }] of Object.entries(SAMPLES)) {
      const { result, error } = transport === 'http' && http !== undefined ? http : sample;
      const answer = await call({ method, ...(params && { params }), ...(session && { session }) });
      const nothing = format === 'json' ? [null] : [null, undefined, { tag: 6, content: null }];
      if (error !== undefined) expect.soft(answer, method).toMatchObject({ error });
      else if (result === NOTHING) expect.soft(nothing, method).toContainEqual(answer.result);
      else expect.soft(answer, method).toMatchObject({ result });
      // Most want a namespace, which nothing keeps over HTTP but its headers.
      if (method === 'reset') await call({ method: 'use', params: ['bare', 'bare'] });
    }
    close();
  });

  it.each(['ws', 'http'] as const)(
    'unknown methods and envelopes that are none are errors over %s',
    async (transport) => {
      const { call, close } = await (transport === 'ws' ? overSocket(format) : overHttp(format));
      expect(await call({ method: 'PING' })).toMatchObject({ error: { code: -32601, kind: 'NotFound' } });
      expect(await call({ method: 'ping', params: 5 })).toMatchObject({ error: badParams });
      expect(await call({ method: 'query', session: NOBODY, params: ['RETURN 1'] })).toMatchObject({
        error: { code: -32000, kind: 'NotFound', details: { kind: 'Session' } },
      });
      expect(await call({ method: 'query', txn: NOBODY, params: ['RETURN 1'] })).toMatchObject({ error: badParams });
      expect(await call({ method: 'query', params: ['RETURN 1', 2, 3] })).toMatchObject({ error: badParams });
      close();
    },
  );
});
