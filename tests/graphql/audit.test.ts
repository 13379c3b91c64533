/** The audit suite of GraphQL over HTTP, against the real server. */
import { auditServer } from 'graphql-http';
import { expect, test } from 'vitest';
import { ROOT, startTestServer } from '../support/server.js';

const headers = {
  'svc-ns': 'test',
  'svc-db': 'test',
  authorization: `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`,
};

/** What isn't as the audit wants it. */
async function audit(environment: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const server = await startTestServer({ SVC_EXPERIMENTAL_GRAPHQL: 'true', ...environment });
  const sql = 'DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE person; DEFINE FIELD name ON person TYPE string';
  const { ok } = await fetch(`${server.url}/sql`, { method: 'POST', headers, body: sql });
  expect(ok).toBe(true);
  const results = await auditServer({
    url: `${server.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => fetch(url, { ...init, headers: { ...init.headers, ...headers } }),
  });
  await server.close();
  expect(results.length).toBeGreaterThan(50);
  return Object.fromEntries(results.filter(({ status }) => status !== 'ok').map(({ id, name }) => [id, name]));
}

test('GraphQL over HTTP as the audit wants it', async () => {
  expect(await audit({ SVC_GRAPHQL_JSON: 'standard' })).toEqual({});
});

test('and by default, but for application/json alone', async () => {
  // Asked for results, the server says with 400 that nothing was run, since there is no `errors` in them that would say so.
  expect(await audit({})).toEqual({
    '572B': 'SHOULD use 200 status code on document parsing failure when accepting application/json',
    FDE2: 'SHOULD use 200 status code on document validation failure when accepting application/json',
    '7B9B': 'SHOULD use a status code of 200 on variable coercion failure when accepting application/json',
  });
});
