// Tessera's GraphQL without a transport: a document in, the JSON of its only field out.
import { plain } from '../harness/answers.mjs';
import { tessera } from '../harness/build.mjs';
import { openSurrealql } from './surrealql.mjs';

async function open(dataset, rows) {
  const [{ openDatabase }, { openEngine }, { GraphqlService }, { RecordId }, { objectFromJavaScript }] =
    await Promise.all(
      [
        'session/database/database',
        'storage/open/open',
        'graphql/service',
        'value/value',
        'embedded/from-javascript',
      ].map(tessera),
    );
  const database = await openDatabase(await openEngine('memory'));
  const session = database.ownerSession();
  await session.use('bench', 'bench');
  const query = async (text, variables = {}) => {
    const results = await session.query(text, objectFromJavaScript(variables));
    return results.map(({ outcome }) => {
      if (outcome.ok) return outcome.value;
      throw outcome.error;
    });
  };
  const service = new GraphqlService();
  const opened = await openSurrealql(
    { query, record: (table, id) => new RecordId(table, id) },
    { ...dataset, surrealql: `DEFINE CONFIG GRAPHQL AUTO; ${dataset.surrealql ?? ''}` },
    rows,
  );
  return {
    ...opened,
    session,
    statement: (text) => async () => {
      const { roots, failures } = await service.answer(session, { query: text });
      if (failures.length > 0) throw failures[0].error;
      return roots[0].json;
    },
    answer: (json) => plain(JSON.parse(json)),
    close: () => database.close(),
  };
}

/** @type {import('../harness/contract.mjs').Target[]} */
export const TESSERA_GRAPHQL = [
  { name: 'tessera:graphql', title: 'Tessera, GraphQL', speaks: 'graphql', keeps: 'nothing', open },
];
