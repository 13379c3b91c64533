/**
 * PERMISSIONS against the plainest account of them: what a record user gets is what the owner of a database gets in which nothing
 * hidden was ever stored. Errors count as answers. Since that database doesn't depend on what is hidden, neither do the answers.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Session } from '../../../src/session/contract.js';
import type { Engine } from '../../../src/storage/contract.js';
import { equals } from '../../../src/value/order.js';
import { toText } from '../../../src/value/text/text.js';
import { type ObjectValue, objectFrom, RecordId, type Value } from '../../../src/value/value.js';
import { answer, answers, RECORD_ACCESS, run, World } from '../../support/world.js';
import { compareAnswers, FileSite, fileRules, fileStatements, storedFiles } from './files.js';
import {
  type Data,
  MY_LEVEL,
  MY_RECORDS,
  numbered,
  type Path,
  type Rule,
  type Schema,
  Stored,
  TABLES,
  type TableName,
  withField,
} from './model.js';
import { allSchemas, definitionsOf, FULL, rowsOfAll, schemas } from './schemas.js';
import {
  ELSEWHERE,
  explained,
  LIVE_QUERIES,
  type RandomStatement,
  statements,
  unordered,
  writesAround,
} from './statements.js';

/** A table of which the order of notifications is checked. */
const BELL = 'bell';

let world: World;
let me: Session;
/** Two from whom nothing is hidden in the other database. An owner is also shown the ids of nodes that aren't there. */
let plain: Session;
let unhindered: Session;
async function fill(session: Session, data: Data): Promise<void> {
  for (const name of TABLES) {
    const rows = objectFrom({ rows: data[name] });
    await run(session, `INSERT ${name === 'e' ? 'RELATION ' : ''}INTO ${name} $rows RETURN NONE`, rows);
  }
}

async function prepare(schema: Schema, data: Data, changes: (row: Rule) => Rule): Promise<void> {
  await run(world.owner, definitionsOf(schema, changes));
  await fill(world.owner, data);
}

const EMPTY = TABLES.map(
  (name) =>
    `REMOVE TABLE IF EXISTS ${name}; DEFINE TABLE ${name} ${name === 'e' ? 'TYPE RELATION' : ''} PERMISSIONS FULL;`,
).join('');

/** What is changed is changed in the order in which a path finds it, and the paths differ with the rules. */
function withoutOrder(text: string): string {
  return /^(UPDATE|DELETE) \w+ /.test(`${text} `) ? `RETURN array::sort((${text}))` : text;
}

function hasLooseEnds({ a, b, e }: Data): boolean {
  const nodes = new Set([...a, ...b].map(({ id }) => toText(id)));
  return e.some((edge) => !nodes.has(toText(edge['in'])) || !nodes.has(toText(edge['out'])));
}

/** Whether a statement does the same where hidden records aren't there at all: it writes nothing that a rule reads or guards. */
function isFair(schema: Schema, { changes, creates, removes, around = false }: RandomStatement): boolean {
  // Hidden edges may be removed, along with their nodes.
  if (removes === 'e' && schema.e.row !== FULL) return false;
  if (removes !== undefined && (schema.e.guards.in || schema.e.guards.out)) return false;
  return TABLES.every((name) => {
    const { row, guards, fixed, computed } = schema[name];
    if (creates && (row !== FULL || computed !== undefined)) return false;
    const rules = [row, ...Object.values(guards)];
    // A record that becomes visible where a rule reads a hidden field reveals that, as the rule says.
    if (around && changes.some((each) => isOpaque(schema[name], each))) return false;
    const within = around ? [] : [...Object.keys(guards), ...fixed];
    const read = [...rules.flatMap(({ reads }) => reads), ...(computed?.reads ?? []), ...within];
    return changes.every((changed) => read.every((path) => path.split('.')[0] !== changed));
  });
}

/**
 * Whether a rule on a field or within it reads what may be hidden, or shows the field by what `+=` makes of a hidden
 * value.
 */
function isOpaque({ guards }: Schema[TableName], field: string): boolean {
  const guarded = new Set([...TABLES, ...Object.keys(guards).map((path) => path.split('.')[0])]);
  return Object.entries(guards).some(
    ([path, { reads, text }]) =>
      (path.split('.')[0] === field && reads.some((each) => guarded.has(each))) ||
      (path === field && text.includes('$value')),
  );
}

export interface OracleOptions {
  /** How many schemas are tried for each property. */
  readonly runs: number;
  readonly seed: number;
  /** Milliseconds that one may take at most, on a busy machine. */
  readonly patience: number;
  /** The store of the database, which is empty. */
  readonly open: () => Promise<Engine>;
}

/** The tests of a suite for one store. */
export function permissionOracle({ runs, seed, patience, open }: OracleOptions): void {
  const timeout = 120_000 + runs * patience;
  beforeAll(async () => {
    const engine = await open();
    world = await World.open({}, engine);
    me = await world.person('me');
    await run(
      world.owner,
      'UPDATE user:me SET level = $level, may = $may',
      objectFrom({ level: MY_LEVEL, may: [...MY_RECORDS] }),
    );
    await run(world.owner, 'DEFINE TABLE OVERWRITE user');
    await run(world.owner, `DEFINE TABLE ${BELL} PERMISSIONS FULL`);
    plain = world.database.ownerSession();
    await plain.use('test', 'plain');
    await run(plain, RECORD_ACCESS);
    unhindered = world.guest();
    await unhindered.signUp(objectFrom({ NS: 'test', DB: 'plain', AC: 'people', name: 'me' }));
    await run(plain, 'DEFINE TABLE OVERWRITE user');
  }, timeout);
  afterAll(() => world.close());

  it('answer as if nothing hidden had ever been stored', { timeout }, async () => {
    let cases = 0;
    const property = fc.asyncProperty(
      schemas,
      rowsOfAll,
      fc.array(statements, { minLength: 20, maxLength: 40, size: 'max' }),
      async (schema, rows, asked) => {
        const stored = new Stored(schema, dataOf(rows));
        // Only what can be seen can be changed, as in the other database there is nothing else.
        await prepare(schema, stored.data, (row) => row);
        await run(plain, EMPTY);
        const seen = stored.allVisible();
        await fill(plain, seen);
        const other = hasLooseEnds(seen) || asked.some(({ text }) => text.startsWith('RELATE')) ? unhindered : plain;
        for (const statement of asked) {
          if (!isFair(schema, statement)) continue;
          const text = withoutOrder(statement.text);
          const [told, expected] = [await answers(me, text), await answers(other, text)];
          const about =
            told === expected
              ? text
              : [text, definitionsOf(schema, (row) => row), toText(TABLES.map((name) => stored.data[name]))];
          expect([about, told]).toEqual([about, expected]);
          cases++;
        }
      },
    );
    await fc.assert(property, { numRuns: runs, seed });
    console.log(`${cases} cases, seed ${seed}`);
  });

  it.each([
    ['what is hidden', false],
    ['what is hidden, and whether anything is', true],
  ])('answer the same whatever changes in %s', { timeout }, async (_, vanishes) => {
    let cases = 0;
    const asked = fc.oneof(
      { weight: 5, arbitrary: statements },
      { weight: 4, arbitrary: unordered.map((text): RandomStatement => ({ text, changes: [] })) },
      { weight: 2, arbitrary: explained.map((text): RandomStatement => ({ text, changes: [] })) },
      { weight: 3, arbitrary: writesAround },
    );
    const property = fc.asyncProperty(
      allSchemas,
      rowsOfAll,
      rowsOfAll,
      fc.array(asked, { minLength: 15, maxLength: 30, size: 'max' }),
      async (schema, rows, others, texts) => {
        const one = dataOf(rows);
        const worlds = [one, elsewhere(schema, one, dataOf(others), vanishes)];
        // A user who may change hidden data knows that it exists.
        const changes = (row: Rule) => (vanishes ? row : FULL);
        const told: string[][] = [];
        for (const data of worlds) {
          await prepare(schema, data, changes);
          const each: string[] = [];
          const acts = ELSEWHERE.filter((act) => isFair(schema, act));
          each.push(...(await heardOf(acts.map(({ text }) => text))));
          await prepare(schema, data, changes);
          for (const statement of texts) {
            const { text, creates = false } = statement;
            if ((creates && vanishes) || !isFair(schema, { ...statement, creates: false })) continue;
            each.push(`${text}\n${timeless(await answers(me, text))}`);
          }
          told.push(each);
        }
        cases += told[0]?.length ?? 0;
        const same = toText(told[0]) === toText(told[1]);
        const about = same
          ? ''
          : [definitionsOf(schema, changes), ...worlds.map((data) => toText(TABLES.map((name) => data[name])))];
        expect([about, told[1]]).toEqual([about, told[0]]);
      },
    );
    await fc.assert(property, { numRuns: runs, seed });
    console.log(`${cases} cases, seed ${seed}`);
  });

  it('of buckets answer as if hidden files had never been put', { timeout }, async () => {
    const sites = [await FileSite.open(world, 'files'), await FileSite.open(world, 'seen_files')] as const;
    let cases = 0;
    const property = fc.asyncProperty(
      fileRules,
      storedFiles,
      fc.array(fileStatements, { minLength: 15, maxLength: 30, size: 'max' }),
      async (rules, files, asked) => {
        cases += await compareAnswers(sites, rules, files, asked);
      },
    );
    await fc.assert(property, { numRuns: runs, seed });
    console.log(`${cases} cases, seed ${seed}`);
  });

  it('leave what is hidden or fixed in lists and objects, whatever is written around it', {
    timeout,
  }, async () => {
    let cases = 0;
    const property = fc.asyncProperty(
      schemas,
      rowsOfAll,
      fc.array(writesAround, { minLength: 5, maxLength: 15, size: 'max' }),
      async (schema, rows, writes) => {
        const data = dataOf(rows);
        await prepare(schema, data, () => FULL);
        for (const { text, changes } of writes) {
          const fair = TABLES.every((name) => {
            const { row, guards, computed } = schema[name];
            const read = [row, ...Object.values(guards)].flatMap(({ reads }) => reads);
            return changes.every((each) => !read.includes(each) && computed?.reads.includes(each) !== true);
          });
          if (!fair) continue;
          const before = new Stored(schema, await stored());
          await answers(me, text);
          const after = new Stored(schema, await stored());
          for (const name of TABLES) {
            const told = before.data[name].map((record) => before.untouchable(name, record));
            const left = after.data[name].map((record) => after.untouchable(name, record));
            const about = [
              text,
              definitionsOf(schema, () => FULL),
              toText(before.data[name]),
              toText(after.data[name]),
            ];
            for (const [at, kept] of told.entries()) {
              for (const [path, values] of Object.entries(kept)) {
                expect([about, path, isKept(values, left[at]?.[path] ?? [])]).toEqual([about, path, true]);
                cases += values.length;
              }
            }
          }
        }
      },
    );
    await fc.assert(property, { numRuns: runs, seed });
    console.log(`${cases} values, seed ${seed}`);
  });
}

/** All that there is. */
async function stored(): Promise<Data> {
  const [a, b, e] = await run(world.owner, TABLES.map((name) => `SELECT * OMIT c FROM ${name} ORDER BY id`).join(';'));
  return { a, b, e } as unknown as Data;
}

/** Whether all values are still there, in their order. */
function isKept(values: readonly Value[], among: readonly Value[]): boolean {
  let from = 0;
  return values.every((value) => {
    const at = among.findIndex((each, index) => index >= from && equals(each, value));
    from = at + 1;
    return at !== -1;
  });
}

const dataOf = ({ a, b, e }: Record<TableName, readonly object[]>): Data => ({
  a: numbered('a', a),
  b: numbered('b', b),
  e: numbered('e', e),
});

/**
 * Each record in turn becomes another one, as a whole or field by field, or vanishes, or comes into being, as long as that changes nothing
 * that can be seen.
 */
function elsewhere(schema: Schema, one: Data, others: Data, vanishes: boolean): Data {
  const seen = (data: Data) => toText(Object.values(new Stored(schema, data).allVisible()));
  const before = seen(one);
  let data = one;
  const attempt = (name: TableName, id: string, replacement: ObjectValue | undefined): boolean => {
    const kept = data[name].filter((record) => toText(record['id']) !== id);
    const rows = replacement === undefined ? kept : [...kept, replacement];
    const candidate = { ...data, [name]: rows.toSorted((x, y) => (toText(x['id']) < toText(y['id']) ? -1 : 1)) };
    if (seen(candidate) !== before) return false;
    data = candidate;
    return true;
  };
  for (const name of TABLES) {
    const ids = new Set([...data[name], ...(vanishes ? others[name] : [])].map(({ id }) => toText(id)));
    for (const id of ids) {
      const find = (rows: readonly ObjectValue[]) => rows.find((record) => toText(record['id']) === id);
      const replacement = find(others[name]);
      if (replacement !== undefined && attempt(name, id, replacement)) continue;
      if (vanishes && attempt(name, id, undefined)) continue;
      for (const path of Object.keys(schema[name].guards) as Path[]) {
        // No edge is without its ends.
        if (path === 'in' || path === 'out') continue;
        const record = find(data[name]);
        if (record !== undefined) attempt(name, id, new Stored(schema, data).without(name, record, path));
      }
      for (const field of Object.keys(replacement ?? {})) {
        const record = find(data[name]);
        if (record !== undefined) attempt(name, id, withField(record, field, replacement?.[field]));
      }
    }
  }
  return data;
}

/** The notifications of live queries for changes by another user, one after the other. */
async function heardOf(acts: readonly string[]): Promise<string[]> {
  const session = world.guest();
  await session.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'me' }));
  const ids: string[] = [];
  const heard: string[] = [];
  let rung = () => {};
  session.listen(({ id, action, record, result }) => {
    if (record instanceof RecordId && record.table === BELL) rung();
    else heard.push(`${LIVE_QUERIES[ids.indexOf(toText(id))]}\n${action} ${toText(record)} ${toText(result)}`);
  });
  for (const text of [...LIVE_QUERIES, `LIVE SELECT * FROM ${BELL}`]) ids.push(await answer(session, text));
  for (const text of acts) {
    await answers(world.owner, text);
    // Notifications show what may be seen by then, and come in the order of commits.
    const isOver = new Promise<void>((resolve) => {
      rung = resolve;
    });
    await run(world.owner, `CREATE ${BELL}`);
    await isOver;
  }
  session.close();
  return heard;
}

/** Without what differs from one time to the next. */
function timeless(text: string): string {
  return text.replaceAll(/\d+(\.\d+)?(ns|µs|ms|s)\b/g, 'TIME');
}
