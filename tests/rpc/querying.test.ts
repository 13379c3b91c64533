/** What `--deny-arbitrary-query` refuses: each method of RPC and each route says whether it takes queries. */
import { expect, it } from 'vitest';
import { ROUTES } from '../../src/http/routes/routes.js';
import { METHODS } from '../../src/rpc/methods/table.js';

it('is what each method and route says of itself', () => {
  const asking = (rows: Iterable<readonly [string, unknown]>) =>
    [...new Set([...rows].flatMap(([name, querying]) => (querying === false ? [] : [name])))].sort().join(' ');
  expect(asking([...METHODS.values()].map(({ name, querying }) => [name, querying] as const))).toBe(
    'create delete graphql insert insert_relation live merge patch query relate run select update upsert use',
  );
  expect(asking(ROUTES.map(({ path, querying }) => [path, querying] as const))).toBe(
    '/export /graphql /graphql/schema.graphql /import /key/:table /key/:table/:id /sql',
  );
});
