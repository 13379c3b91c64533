// How long a GraphQL schema takes to be made of the definitions of a database, which is done once for each state of them: 200 tables of
// twelve fields, each with links to others. Medians.
//
//   npm run build && cd bench && npm ci && npm run schema
import { buildSchema } from '../dist/graphql/build-schema.js';
import { exposedBy } from '../dist/graphql/schema/exposed.js';
import { openDatabase } from '../dist/session/database.js';
import { openEngine } from '../dist/storage/engines/open.js';
import { median } from './rates.mjs';

const TABLES = 200;
const ROUNDS = 15;
const FIELDS = {
  name: 'string',
  age: 'option<int>',
  price: 'decimal',
  made: 'datetime',
  tags: 'array<string>',
  active: 'bool',
  kind: "'a' | 'b'",
  next: (n) => `record<t${(n + 1) % TABLES}>`,
  others: (n) => `array<record<t${(n + 2) % TABLES}>>`,
  address: 'object',
  'address.city': 'string',
  'address.code': 'option<string>',
};

const database = await openDatabase(await openEngine('memory'));
const session = database.ownerSession();
await session.use('bench', 'bench');
const tableText = (n) =>
  `DEFINE TABLE t${n} SCHEMAFULL; ${Object.entries(FIELDS)
    .map(([name, type]) => `DEFINE FIELD ${name} ON t${n} TYPE ${typeof type === 'string' ? type : type(n)};`)
    .join(' ')}`;
const setup = ['DEFINE CONFIG GRAPHQL AUTO;', ...Array.from({ length: TABLES }, (_, n) => tableText(n))].join('\n');
for (const { outcome } of await session.query(setup)) if (!outcome.ok) throw outcome.error;

const catalog = await session.catalog();
const exposed = exposedBy(catalog, catalog.configs.get('graphql').config);
const times = [];
let types = 0;
for (let round = 0; round < ROUNDS; round++) {
  const began = performance.now();
  const { schema } = buildSchema(exposed, { guardedByDefault: false, hidesDenied: false });
  times.push(performance.now() - began);
  types = Object.keys(schema.getTypeMap()).length;
}
console.log(
  `the first ${times[0].toFixed(0)} ms, then ${median(times).toFixed(0)} ms for ${TABLES} tables, ${types} types`,
);
await database.close();
