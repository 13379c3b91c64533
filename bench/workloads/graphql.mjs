// GraphQL in process, beside the same SELECT, and what its schema costs, which is made once for each state of the definitions.
import { LIBRARY } from '../data/graph.mjs';
import { SCHEMA } from '../data/schema.mjs';
import { tessera } from '../harness/build.mjs';

/** @type {import('../harness/contract.mjs').Workload[]} */
export const GRAPHQL = [
  {
    name: 'list of 100 with their links',
    data: LIBRARY,
    only: ['tessera:memory', 'tessera:graphql', 'plain'],
    graphql: '{ book(limit: 100) { title pages author { name } } }',
    surrealql: 'SELECT title, pages, author.{name} FROM book LIMIT 100',
    plain: ({ tables: { book, author } }) => {
      const first = [...book.values()].slice(0, 100);
      return () =>
        first.map(({ title, pages, author: id }) => ({ title, pages, author: { name: author.get(id).name } }));
    },
  },
  {
    name: 'schema of 200 tables',
    data: SCHEMA,
    graphql: ({ session }) => {
      const made = schemaOf(session);
      return async () => {
        const { schema } = (await made)();
        return JSON.stringify(Object.keys(schema.getTypeMap()).length);
      };
    },
  },
];

async function schemaOf(session) {
  const { buildSchema, exposedBy } = await tessera('graphql/api');
  // In earlier revisions `catalog`, which are compared with.
  const snapshot = await session.catalogSnapshot?.();
  const catalog = snapshot === undefined ? await session.catalog() : snapshot.catalog;
  snapshot?.release();
  const exposed = exposedBy(catalog, catalog.configs.get('graphql').config);
  return () => buildSchema(exposed, { guardedByDefault: false, hidesDenied: false });
}
