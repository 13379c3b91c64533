const TABLES = 200;
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

const tableText = (n) =>
  `DEFINE TABLE t${n} SCHEMAFULL; ${Object.entries(FIELDS)
    .map(([name, type]) => `DEFINE FIELD ${name} ON t${n} TYPE ${typeof type === 'string' ? type : type(n)};`)
    .join(' ')}`;

/** 200 empty tables of twelve fields, each with links to others. @type {import('../harness/contract.mjs').Dataset} */
export const SCHEMA = {
  name: 'schema',
  tables: {},
  surrealql: Array.from({ length: TABLES }, (_, n) => tableText(n)).join('\n'),
};
