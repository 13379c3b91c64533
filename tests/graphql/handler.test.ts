import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphqlService } from '../../src/graphql/service.js';
import { answerForm, createGraphqlHandler, type GraphqlHandler } from '../../src/graphql/transports/handler.js';
import { createGraphqlMethod } from '../../src/graphql/transports/method.js';
import type { RunningServer } from '../../src/server/server.js';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { ROOT, startTestServer } from '../support/server.js';
import { openStack, type Stack } from './stack.js';

const SETUP = `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE person SCHEMAFULL;
  DEFINE FIELD name ON person TYPE string; DEFINE FIELD age ON person TYPE int;
  CREATE person:1 SET name = 'Ann', age = 17; CREATE person:2 SET name = 'Bob', age = 20;`;
const QUERY = '{ person(filter: {age: {age_gt: 18}}) { id name age } }';

const JSON_ONLY = 'application/json';
const RESPONSE = 'application/graphql-response+json';

describe('the form of the answer', () => {
  it.each([
    [JSON_ONLY, 'results', JSON_ONLY],
    ['application/json; charset=utf-8', 'results', JSON_ONLY],
    [' APPLICATION/JSON ', 'results', JSON_ONLY],
    [RESPONSE, 'standard', RESPONSE],
    [`${RESPONSE}, application/json;q=0.9`, 'standard', RESPONSE],
    [`application/json, ${RESPONSE}`, 'standard', RESPONSE],
    [`application/json, ${RESPONSE};q=0.5`, 'standard', JSON_ONLY],
    ['application/json, text/plain', 'standard', JSON_ONLY],
    ['*/*', 'standard', JSON_ONLY],
    ['application/*', 'standard', JSON_ONLY],
    ['text/html, */*;q=0.1', 'standard', JSON_ONLY],
  ])('for %s is %s', (accept, kind, type) => {
    const form = answerForm(accept, 'results');
    expect(form.kind).toBe(kind);
    expect(form.contentType.split(';')[0]).toBe(type);
    expect(answerForm(accept, 'standard').kind).toBe('standard');
  });

  it.each([
    [undefined, 'graphql_accept_missing'],
    ['', 'graphql_accept_missing'],
    ['text/html', 'not_acceptable'],
    ['application/json;q=0', 'not_acceptable'],
    ['image/*', 'not_acceptable'],
  ])('for %s there is none', (accept, code) => {
    expect(() => answerForm(accept, 'results')).toThrow(expect.objectContaining({ code }));
  });
});

describe('the handler', () => {
  let stack: Stack;
  let handle: GraphqlHandler;
  const send = (query: string, accept: string = JSON_ONLY, rest: object = {}) =>
    handle({ session: stack.owner, accept, contentType: JSON_ONLY, body: JSON.stringify({ query, ...rest }) });

  beforeAll(async () => {
    stack = await openStack(SETUP);
    handle = createGraphqlHandler(stack.service, 'results');
  });

  it('answers JSON alone with a result for each root field', async () => {
    const { status, contentType, body } = await send(
      `{ person(filter: {age: {age_gt: 18}}) { id name age } all: person { id } __typename }`,
    );
    expect([status, contentType]).toEqual([200, JSON_ONLY]);
    expect(JSON.parse(body)).toEqual([
      {
        time: expect.stringMatching(/^[\d.]+(ns|µs|ms|s)$/),
        status: 'OK',
        result: [{ id: 'person:2', name: 'Bob', age: 20 }],
      },
      { time: expect.any(String), status: 'OK', result: [{ id: 'person:1' }, { id: 'person:2' }] },
      { time: '0ns', status: 'OK', result: 'Query' },
    ]);
  });

  it('reports errors of single root fields beside the results of others', async () => {
    const { status, body } = await send('{ bad: person(limit: -1) { id } person(limit: 1) { id } }');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject([
      { status: 'ERR', result: 'limit must be a whole number from 0, got -1' },
      { status: 'OK', result: [{ id: 'person:1' }] },
    ]);
  });

  it.each([
    ['{ person { hair } }', 'Cannot query field "hair" on type "person".'],
    ['{ person { name }', 'Syntax Error: Expected Name, found <EOF>.'],
    ['query ($a: Int!) { person(limit: $a) { id } }', 'Variable "$a" of required type "Int!" was not provided.'],
  ])('answers %s with 400 in both forms', async (query, message) => {
    const results = await send(query);
    expect(results.status).toBe(400);
    expect(JSON.parse(results.body)).toMatchObject([{ status: 'ERR', result: message, time: '0ns' }]);
    const standard = await send(query, RESPONSE);
    expect(standard.status).toBe(400);
    expect(JSON.parse(standard.body)).toMatchObject({
      errors: [{ message, extensions: { code: expect.stringMatching(/^graphql_/) } }],
    });
    expect(JSON.parse(standard.body)).not.toHaveProperty('data');
    // As plain JSON, the standard says 200 for every well-formed request.
    expect((await send(query, '*/*')).status).toBe(200);
  });

  it('answers in the standard form as the standard has it', async () => {
    const { status, contentType, body } = await send(QUERY, RESPONSE);
    expect([status, contentType]).toEqual([200, `${RESPONSE}; charset=utf-8`]);
    expect(body).toBe('{"data":{"person":[{"id":"person:2","name":"Bob","age":20}]}}');
  });

  it.each<[body: string, contentType: string | undefined, status: number, code: string]>([
    ['{', JSON_ONLY, 400, 'json_invalid'],
    ['[]', JSON_ONLY, 400, 'graphql_request'],
    ['[', JSON_ONLY, 400, 'json_invalid'],
    [`[${'{},'.repeat(10)}{}]`, JSON_ONLY, 400, 'graphql_limit'],
    ['"{a}"', JSON_ONLY, 400, 'graphql_request'],
    ['{}', JSON_ONLY, 400, 'graphql_request'],
    ['{"query": 1}', JSON_ONLY, 400, 'graphql_request'],
    ['{"query": "{a}", "variables": []}', JSON_ONLY, 400, 'graphql_request'],
    ['{"query": "{a}", "operationName": 1}', JSON_ONLY, 400, 'graphql_request'],
    ['{"query": "{a}", "extensions": "x"}', JSON_ONLY, 400, 'graphql_request'],
    [`{"query": "{a}", "variables": ${'['.repeat(300)}${']'.repeat(300)}}`, JSON_ONLY, 400, 'nesting_too_deep'],
    ['{"query": "{a}"}', 'application/json; charset=latin1', 415, 'unsupported_media_type'],
  ])('refuses %s as %s', async (body, contentType, status, code) => {
    const request = { session: stack.owner, contentType, body };
    await expect(handle({ ...request, accept: JSON_ONLY })).rejects.toMatchObject({ code, httpStatus: status });
    const answer = await handle({ ...request, accept: RESPONSE });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ extensions: { code } }] });
  });

  it.each([['text/plain'], ['application/x-www-form-urlencoded'], [undefined]])(
    'takes %s for JSON only where the service’s own form is asked for',
    async (contentType) => {
      const request = { session: stack.owner, contentType, body: JSON.stringify({ query: QUERY }) };
      expect((await handle({ ...request, accept: JSON_ONLY })).status).toBe(200);
      expect((await handle({ ...request, accept: RESPONSE })).status).toBe(415);
      expect((await handle({ ...request, accept: '*/*' })).status).toBe(415);
    },
  );

  it('says how GraphQL is configured where it isn’t', async () => {
    for (const setup of ['DEFINE TABLE t', 'DEFINE CONFIG GRAPHQL NONE; DEFINE TABLE t']) {
      const { owner, service } = await openStack(setup);
      const request = { session: owner, contentType: JSON_ONLY, body: '{"query": "{ t { id } }"}' };
      await expect(createGraphqlHandler(service, 'results')({ ...request, accept: JSON_ONLY })).rejects.toMatchObject({
        code: 'graphql_not_configured',
        httpStatus: 400,
        message: expect.stringContaining('DEFINE CONFIG GRAPHQL AUTO'),
      });
    }
    const { ask } = await openStack('DEFINE CONFIG GRAPHQL AUTO');
    expect((await ask('{ t { id } }')).errors?.[0]?.message).toContain('No tables found in database');
  });

  it('keeps what isn’t for clients to itself', async () => {
    const reported: unknown[] = [];
    const service = new GraphqlService({ report: ({ cause }) => reported.push(cause) });
    const execute = () => Promise.reject(new TypeError('secret of the process'));
    const session: Session = Object.create(stack.owner, {
      isAdmitted: { value: true },
      catalogSnapshot: { value: async () => ({ ...(await stack.owner.catalogSnapshot()), execute }) },
      deadline: { value: () => undefined },
      identity: { value: stack.owner.identity },
    });
    const request = { session, accept: RESPONSE, contentType: JSON_ONLY, body: JSON.stringify({ query: QUERY }) };
    const { body } = await createGraphqlHandler(service, 'results')(request);
    expect(body).not.toContain('secret');
    expect(JSON.parse(body)).toMatchObject({ data: { person: null }, errors: [{ extensions: { code: 'internal' } }] });
    expect(reported).toEqual([new TypeError('secret of the process')]);
  });

  it('serves RPC with the standard answer as a value', async () => {
    const run = createGraphqlMethod(stack.service);
    const answer = await run(
      stack.owner,
      objectFrom({ query: 'query ($n: Int) { person(limit: $n) { id } }', variables: objectFrom({ n: 1 }) }),
    );
    expect(answer).toEqual(objectFrom({ data: objectFrom({ person: [objectFrom({ id: 'person:1' })] }) }));
    expect(await run(stack.owner, objectFrom({ query: '{ x }' }))).toMatchObject({
      errors: [{ locations: [{ line: 1, column: 3 }] }],
    });
  });
});

describe('the server', () => {
  let server: RunningServer;
  const authorization = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'svc-ns': 'test', 'svc-db': 'test', ...headers },
      body,
    });

  beforeAll(async () => {
    server = await startTestServer({ SVC_EXPERIMENTAL_GRAPHQL: 'true' });
    const defined = await post(
      '/sql',
      `${SETUP} DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id;
      DEFINE FIELD email ON user TYPE string; DEFINE FIELD pass ON user TYPE string;
      DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $email, pass = crypto::argon2::generate($pass))
        SIGNIN (SELECT * FROM user WHERE email = $email AND crypto::argon2::compare(pass, $pass));`,
      { authorization, accept: JSON_ONLY },
    );
    expect(((await defined.json()) as { status: string }[]).filter(({ status }) => status !== 'OK')).toEqual([]);
  });
  afterAll(() => server.close());

  it('answers as the service describes it', async () => {
    const headers = { authorization, accept: JSON_ONLY, 'content-type': JSON_ONLY };
    const answer = await post('/graphql', JSON.stringify({ query: QUERY }), headers);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual([
      { time: expect.any(String), status: 'OK', result: [{ id: 'person:2', name: 'Bob', age: 20 }] },
    ]);
  });

  it('shows a record user its own record only', async () => {
    for (const email of ['a@b', 'c@d']) {
      const body = JSON.stringify({ ns: 'test', db: 'test', ac: 'account', email, pass: 'a long password' });
      const { token } = (await (
        await post('/signup', body, { accept: JSON_ONLY, 'content-type': JSON_ONLY })
      ).json()) as { token: string };
      const headers = { authorization: `Bearer ${token}`, accept: '*/*', 'content-type': JSON_ONLY };
      const answer = await post('/graphql', JSON.stringify({ query: '{ user { email } person { id } }' }), headers);
      expect(await answer.json()).toEqual({ data: { user: [{ email }], person: [] } });
    }
  });

  it.each<[string, Record<string, string>, number, string]>([
    ['no namespace', { 'svc-ns': '' }, 400, 'namespace_empty'],
    ['an unknown type', { accept: 'text/html' }, 406, 'not_acceptable'],
    ['another content type', { 'content-type': 'text/html' }, 415, 'unsupported_media_type'],
    ['nobody signed in', { authorization: '' }, 403, 'not_allowed'],
  ])('refuses %s', async (_, headers, status, error) => {
    const given = { authorization, accept: JSON_ONLY, 'content-type': JSON_ONLY, ...headers };
    const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
    const answer = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: headers['svc-ns'] === '' ? kept : { 'svc-ns': 'test', 'svc-db': 'test', ...kept },
      body: JSON.stringify({ query: QUERY }),
    });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ code: status, error });
  });
});
