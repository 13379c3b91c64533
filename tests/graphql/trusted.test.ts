import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTrustedManifest } from '../../src/graphql/document/manifest.js';
import type { TrustedOptions } from '../../src/graphql/document/trusted.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import { readConfiguration } from '../../src/server/configuration.js';
import { readDocuments } from '../../src/server/graphql.js';
import { objectFrom } from '../../src/value/value.js';
import { ROOT, startTestServer } from '../support/server.js';
import { type Answer, openStack } from './stack.js';

const SETUP = (config = 'AUTO') => `DEFINE CONFIG GRAPHQL ${config};
  DEFINE TABLE t; DEFINE FIELD n ON t TYPE int; CREATE t:1 SET n = 1;`;
const QUERY = '{ t { n } }';
const HASH = createHash('sha256').update(QUERY).digest('hex');
const TWO = 'query a { t { n } } query b { t { id } }';
const MANIFEST = {
  [HASH]: QUERY,
  two: TWO,
  schema: '{ __schema { types { name } } }',
  slow: `{ t { ${'n '.repeat(9)}} }`,
};

async function open(trusted: TrustedOptions, config?: string) {
  const { service, owner } = await openStack(SETUP(config), { trusted });
  const handle = createGraphqlHandler(service, 'standard');
  return async (request: object): Promise<Answer> => {
    const { body } = await handle({
      session: owner,
      accept: 'application/graphql-response+json',
      contentType: 'application/json',
      body: JSON.stringify(request),
    });
    return JSON.parse(body) as Answer;
  };
}

const apollo = (hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });
const documents = readTrustedManifest(JSON.stringify(MANIFEST));
const ROWS = { data: { t: [{ n: 1 }] } };

describe('documents that are known', () => {
  it('are named by an id', async () => {
    const send = await open({ documents });
    expect(await send({ documentId: HASH })).toEqual(ROWS);
    expect(await send({ documentId: `sha256:${HASH}` })).toEqual(ROWS);
    expect(await send({ query: null, ...apollo(HASH) })).toEqual(ROWS);
    expect(await send({ documentId: 'two', operationName: 'b' })).toEqual({ data: { t: [{ id: 't:1' }] } });
    expect(await send({ query: '{ t { id } }' })).toEqual({ data: { t: [{ id: 't:1' }] } });
  });

  it.each([
    [{ documents }, { documentId: 'x' }, 'There is no document with this `documentId`'],
    [{ documents }, { documentId: '__proto__' }, 'There is no document with this `documentId`'],
    [{ documents }, { documentId: '' }, 'There is no document with this `documentId`'],
    [{ documents }, apollo('x'), 'PersistedQueryNotFound'],
    [{}, apollo(HASH), 'PersistedQueryNotSupported'],
    [{}, { documentId: HASH }, 'No documents are known by id (--graphql-documents)'],
  ])('are told from those that are not (%#)', async (trusted, request, message) => {
    const send = await open(trusted);
    expect(await send(request)).toEqual({ errors: [{ message, extensions: { code: 'graphql_document_unknown' } }] });
  });

  it('are the only ones where no others are trusted', async () => {
    const send = await open({ documents, only: true });
    expect(await send({ documentId: HASH })).toEqual(ROWS);
    expect(await send({ query: QUERY })).toEqual(ROWS);
    expect(await send({ query: QUERY, ...apollo(HASH) })).toEqual(ROWS);
    for (const query of [`${QUERY} `, '{ t { id } }', '{ __typename }', '']) {
      for (const hash of [{}, apollo(HASH)]) {
        expect((await send({ query, ...hash })).errors).toMatchObject([
          { extensions: { code: 'graphql_document_untrusted' } },
        ]);
      }
    }
  });

  it('can be asked for by GET', async () => {
    const { service, owner } = await openStack(SETUP(), { trusted: { documents, only: true } });
    const handle = createGraphqlHandler(service, 'standard');
    const get = async (parameters: Readonly<Record<string, string>>) =>
      JSON.parse((await handle({ session: owner, accept: '*/*', parameters: objectFrom(parameters) })).body);
    expect(await get({ documentId: HASH, query: '' })).toEqual(ROWS);
    expect(await get({ extensions: JSON.stringify(apollo(HASH).extensions) })).toEqual(ROWS);
    // The whole schema would reveal more than they do.
    await expect(service.sdl(owner)).rejects.toMatchObject({ code: 'graphql_document_untrusted', httpStatus: 403 });
  });

  it('are held to the rules that hold for all', async () => {
    const send = await open({ documents, only: true }, 'AUTO COMPLEXITY 5 INTROSPECTION NONE');
    expect((await send({ documentId: 'schema' })).errors?.[0]?.extensions.code).toBe('graphql_introspection_disabled');
    expect((await send({ documentId: 'slow' })).errors?.[0]?.extensions.code).toBe('graphql_limit');
  });

  it.each([
    [{ query: QUERY, documentId: HASH }, 'say either `query` or `documentId`'],
    [{ documentId: 1 }, '`documentId` must be a string'],
    [{ extensions: { persistedQuery: { sha256Hash: 1 } } }, '`query` must be a string'],
    [{ extensions: { persistedQuery: 1 } }, '`query` must be a string'],
    [{}, '`query` must be a string'],
  ])('are asked for in one way (%#)', async (request, reason) => {
    const send = await open({ documents });
    expect((await send(request)).errors).toEqual([
      { message: `Not a GraphQL request: ${reason}`, extensions: { code: 'graphql_request' } },
    ]);
  });
});

describe('a manifest', () => {
  it('is a map, or the one of Apollo', () => {
    expect([...documents.keys()]).toEqual([HASH, 'two', 'schema', 'slow']);
    const operations = [{ id: 'x', name: 'a', type: 'query', body: 'query a { t { n } }' }];
    const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations };
    expect(readTrustedManifest(JSON.stringify(manifest))).toEqual(new Map([['x', 'query a { t { n } }']]));
  });

  const inApollo = (rest: object) => JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, ...rest });
  it.each([
    ['{', 'a manifest of documents is JSON'],
    ['[]', 'a manifest of documents is a JSON object'],
    ['{"a": 1}', 'the document "a" must be a text'],
    ['{"": "{ t }"}', 'the id of every document must be a text'],
    ['{"a": "{ t"}', 'the document "a": Syntax Error'],
    ['{"format": "x"}', 'of manifests with a "format", only'],
    [inApollo({ version: 2, operations: [] }), 'of "version" 1 is known'],
    [inApollo({}), '"operations" must be a list'],
    [inApollo({ operations: [1] }), 'each of "operations" must be an object'],
    [inApollo({ operations: [{ body: '{ t }' }] }), 'the id of every document must be a text'],
    [inApollo({ operations: [{ id: 'a' }] }), 'the document "a" must be a text'],
    [
      inApollo({
        operations: [
          { id: 'a', body: '{ t }' },
          { id: 'a', body: '{ u }' },
        ],
      }),
      'there are two documents "a"',
    ],
  ])('says what is wrong with it (%#)', (text, message) => {
    expect(() => readTrustedManifest(text)).toThrow(message);
  });

  it('is read when the server starts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
    const path = join(folder, 'documents.json');
    try {
      writeFileSync(path, JSON.stringify({ hello: '{ __typename }' }));
      const server = await startTestServer({
        SVC_EXPERIMENTAL_GRAPHQL: 'true',
        SVC_GRAPHQL_DOCUMENTS: path,
        SVC_GRAPHQL_TRUSTED_ONLY: 'true',
      });
      try {
        const { username, password } = ROOT;
        const headers = {
          authorization: `Basic ${btoa(`${username}:${password}`)}`,
          'svc-ns': 'test',
          'svc-db': 'test',
          'content-type': 'application/json',
          accept: 'application/graphql-response+json',
        };
        await fetch(`${server.url}/sql`, {
          method: 'POST',
          headers: { ...headers, accept: 'application/json' },
          body: SETUP(),
        });
        const send = async (body: object) =>
          (await fetch(`${server.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
        expect(await send({ documentId: 'hello' })).toEqual({ data: { __typename: 'Query' } });
        expect(await send({ query: QUERY })).toMatchObject({
          errors: [{ extensions: { code: 'graphql_document_untrusted' } }],
        });
      } finally {
        await server.close();
      }
      writeFileSync(path, '{');
      expect(() => readDocuments(path)).toThrow(`--graphql-documents ${path}: a manifest of documents is JSON`);
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(() => readDocuments(path)).toThrow(`--graphql-documents ${path}: ENOENT`);
    expect(() => readConfiguration(() => undefined, { SVC_GRAPHQL_TRUSTED_ONLY: 'true' })).toThrow(
      '--graphql-trusted-only needs --graphql-documents',
    );
  });
});
