/** Random schemas with their rules, and random records. */
import fc from 'fast-check';
import { equals } from '../../../src/value/order.js';
import { isArray, isObject, RecordId, type Value } from '../../../src/value/value.js';
import {
  type Computed,
  type Guards,
  ME,
  MY_LEVEL,
  MY_RECORDS,
  OTHER,
  PATHS,
  type Path,
  type Rule,
  type Schema,
  TABLES,
  type Table,
} from './model.js';

const isMore = (value: Value, than: number) => typeof value === 'number' && value > than;

export const NONE: Rule = { text: 'NONE', reads: [], holds: () => false };
export const FULL: Rule = { text: 'FULL', reads: [], holds: () => true };

const MINE: Rule = { text: 'WHERE owner = $auth', reads: ['owner'], holds: ({ owner }) => equals(owner, ME) };
const TWO: Rule = { text: 'WHERE n = 2', reads: ['n'], holds: ({ n }) => n === 2 };
const LINKED: Rule = {
  text: 'WHERE link.n = 2',
  reads: ['link', 'n', 'b'],
  holds: ({ link }, _, stored) => stored.find(link)?.['n'] === 2,
};
const QUERIED: Rule = {
  text: 'WHERE n IN (SELECT VALUE n FROM b WHERE owner = $auth)',
  reads: ['n', 'owner', 'b'],
  holds: ({ n }, _, { data }) => data.b.some((each) => equals(each['owner'], ME) && equals(each['n'], n)),
};
const MY_OWN: Rule = {
  text: 'WHERE n >= $auth.level',
  reads: ['n'],
  holds: ({ n }) => isMore(n, MY_LEVEL - 1),
};

const ROW_RULES: readonly Rule[] = [
  FULL,
  FULL,
  FULL,
  NONE,
  MINE,
  TWO,
  LINKED,
  QUERIED,
  MY_OWN,
  {
    text: "WHERE s = 'x' OR owner = $auth",
    reads: ['s', 'owner'],
    holds: ({ s, owner }) => s === 'x' || equals(owner, ME),
  },
  { text: 'WHERE n > 1 AND n <= 3', reads: ['n'], holds: ({ n }) => isMore(n, 1) && !isMore(n, 3) },
  { text: 'WHERE o.x = 1', reads: ['o'], holds: ({ o }) => isObject(o) && o['x'] === 1 },
  { text: 'WHERE t CONTAINS 2', reads: ['t'], holds: ({ t }) => isArray(t) && t.includes(2) },
  { text: 'WHERE c', reads: ['n', 's', 'o', 't', 'link', 'c'], holds: ({ c }) => isTrue(c) },
  { text: 'WHERE <int> s = 1', reads: ['s'], holds: () => false },
  {
    text: 'WHERE id IN $auth.may',
    reads: [],
    holds: ({ id }) => MY_RECORDS.some((each) => equals(each, id)),
  },
  {
    text: 'WHERE ->e->b.n CONTAINS 2',
    reads: ['e', 'n', 'b'],
    holds: (record, _, stored) =>
      stored
        .edgesFrom(record)
        .some(({ out }) => out instanceof RecordId && out.table === 'b' && stored.find(out)?.['n'] === 2),
  },
  {
    text: 'WHERE (SELECT VALUE id FROM e WHERE in = $parent.id AND owner = $auth) != []',
    reads: ['e', 'owner'],
    holds: (record, _, stored) => stored.edgesFrom(record).some(({ owner }) => equals(owner, ME)),
  },
];
const FIELD_RULES: readonly Rule[] = [
  NONE,
  NONE,
  MINE,
  TWO,
  LINKED,
  QUERIED,
  { text: 'WHERE $value = 2', reads: [], holds: (_, value) => value === 2 },
  { text: 'WHERE $value != 2', reads: [], holds: (_, value) => value !== 2 },
  { text: 'WHERE { THROW $value }', reads: [], holds: () => false },
];
const COMPUTED: readonly Computed[] = [
  { text: 'n = 2', reads: ['n'], value: ({ n }) => n === 2 },
  { text: '[n, s]', reads: ['n', 's'], value: ({ n, s }) => [n, s] },
  { text: 'o.x ?? 0', reads: ['o'], value: ({ o }) => (isObject(o) ? o['x'] : undefined) ?? 0 },
  { text: 'array::len(t ?? [])', reads: ['t'], value: ({ t }) => (isArray(t) ? t.length : 0) },
];
/** For tables to which no link leads. */
const COMPUTED_OF_LINKS: readonly Computed[] = [
  ...COMPUTED,
  { text: 'link.n', reads: ['link', 'n', 'b'], value: ({ link }, look) => look(link)?.['n'] },
];

function isTrue(value: Value): boolean {
  return isArray(value) ? value.length > 0 : value !== undefined && value !== false && value !== 0;
}

/** The ends of edges, which no edge can be without. */
const ENDS: readonly Path[] = ['in', 'out'];
const FIELDS = (Object.keys(PATHS) as Path[]).filter((path) => !ENDS.includes(path));

/** Places in lists and objects. */
const FIXED = ['t.*', 'l.*', 'l.*.k', 'o.x', 'o.z.w'] as const satisfies readonly Path[];

/** Those twice as often of which the most can go wrong. */
const within = (paths: readonly Path[]): readonly Path[] => (paths === FIELDS ? [...FIXED, ...FIXED] : []);

const guardsOn = (paths: readonly Path[]): fc.Arbitrary<Guards> =>
  fc
    .array(fc.tuple(fc.constantFrom(...paths, ...within(paths)), fc.constantFrom(...FIELD_RULES)), { maxLength: 5 })
    .map((chosen) => Object.fromEntries(chosen));

const tableWith = (computed: readonly Computed[], paths: readonly Path[] = FIELDS): fc.Arbitrary<Table> =>
  fc
    .record({
      row: fc.constantFrom(...ROW_RULES),
      guards: guardsOn(paths),
      fixed: fc.oneof(fc.constant([]), fc.subarray([...FIXED]), fc.constant([...FIXED])),
      computed: fc.option(fc.constantFrom(...computed), { nil: undefined }),
      indexes: fc.subarray(['n', 's', 'owner', 'n, s', 'owner, n', 's, owner', 'o.x', 't', 'link']),
    })
    .map(sound);

/** A guard on a computed field needs one. */
function sound({ computed, guards: { c, ...others }, ...rest }: Table): Table {
  return { ...rest, computed, guards: computed === undefined || c === undefined ? others : { ...others, c } };
}

export const schemas: fc.Arbitrary<Schema> = fc.record({
  a: tableWith(COMPUTED_OF_LINKS),
  b: tableWith(COMPUTED),
  e: tableWith(COMPUTED_OF_LINKS),
});
/** Also those in which the ends of edges are hidden. */
export const allSchemas: fc.Arbitrary<Schema> = fc
  .tuple(schemas, tableWith(COMPUTED_OF_LINKS, [...ENDS, 'n', 's']), fc.boolean())
  .map(([schema, e, isOpen]) => (isOpen ? schema : { ...schema, e }));

/** `changes` is the rule of who may update and delete. */
export function definitionsOf(schema: Schema, changes: (row: Rule) => Rule): string {
  return TABLES.map((name) => {
    const { row, guards: guarded, fixed, computed, indexes } = schema[name];
    const paths = new Set([...(Object.keys(guarded) as Path[]), ...fixed]);
    const fields = [...paths]
      .filter((path) => path !== 'c')
      .map((path) => {
        const type = ENDS.includes(path) ? 'TYPE record' : '';
        const update = fixed.includes(path) ? 'NONE' : 'FULL';
        const rules = `FOR select ${guarded[path]?.text ?? 'FULL'} FOR update ${update}`;
        return `DEFINE FIELD OVERWRITE ${path} ON ${name} ${type} PERMISSIONS ${rules};`;
      });
    const field = computed === undefined ? '' : `DEFINE FIELD c ON ${name} COMPUTED ${computed.text}`;
    const rule = guarded.c === undefined ? '' : `PERMISSIONS FOR select ${guarded.c.text}`;
    const listed = indexes.map((each, at) => `DEFINE INDEX i${at} ON ${name} FIELDS ${each};`);
    return `REMOVE TABLE IF EXISTS ${name};
      DEFINE TABLE ${name} ${name === 'e' ? 'TYPE RELATION' : ''} PERMISSIONS FOR select ${row.text}, FOR create FULL,
        FOR update ${changes(row).text}, FOR delete ${name === 'e' ? 'FULL' : changes(row).text};
      ${fields.join('')} ${field} ${rule}; ${listed.join('')}`;
  }).join('');
}

const small = fc.integer({ min: 1, max: 4 });
const members = {
  n: small,
  s: fc.constantFrom('x', 'y', 'z'),
  owner: fc.constantFrom(ME, OTHER),
  link: fc.integer({ min: 1, max: 5 }).map((key) => new RecordId('b', key)),
  o: fc.record(
    { x: fc.integer({ min: 1, max: 2 }), y: fc.integer({ min: 1, max: 2 }), z: fc.record({ w: small, v: small }) },
    { requiredKeys: [] },
  ),
  t: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }),
  l: fc.array(fc.record({ k: fc.integer({ min: 1, max: 3 }), v: small }, { requiredKeys: ['v'] }), { maxLength: 3 }),
};
const node = fc.record(members, { requiredKeys: [] });
const edge = fc.record(
  {
    ...members,
    in: small.map((key) => new RecordId('a', key)),
    out: fc.tuple(fc.constantFrom('a', 'b'), small).map(([name, key]) => new RecordId(name, key)),
  },
  { requiredKeys: ['in', 'out'] },
);
const MOST = 6;
/** Of each table. */
export const rowsOfAll = fc.record({
  a: fc.array(node, { maxLength: MOST }),
  b: fc.array(node, { maxLength: MOST }),
  e: fc.array(edge, { maxLength: MOST }),
});
