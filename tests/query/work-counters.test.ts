/** What the plans that matter ask of the storage, so that one that is lost fails here. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { andThen } from '../../src/base/promise-or-value.js';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import type {
  BeginOptions,
  Cursor,
  Engine,
  Key,
  KeyRange,
  ScanOptions,
  Transaction,
} from '../../src/storage/contract.js';
import { openEngine } from '../../src/storage/open/open.js';
import { objectFrom } from '../../src/value/value.js';
import { run } from '../support/world.js';
import { wrapped } from './wrapped.js';

/** What was asked of a store: records read by their keys, keys walked over, scans begun, and ranges counted. */
interface Work {
  read: number;
  walked: number;
  scans: number;
  counts: number;
}

const NONE: Work = { read: 0, walked: 0, scans: 0, counts: 0 };

/** Records and what leads to them; not the catalog, which is read once. */
const AREAS: ReadonlySet<string> = new Set(['r', 'x', 'e']);
const AREA_AT = 5;
const isCounted = (key: Key): boolean => key.startsWith('D') && AREAS.has(key.charAt(AREA_AT));

function measuring(engine: Engine, work: Work): Engine {
  const watched = (cursor: Cursor): Cursor => {
    const note = <T>(batch: readonly T[] | undefined): readonly T[] | undefined => {
      work.walked += batch?.length ?? 0;
      return batch;
    };
    return {
      next: () => andThen(cursor.next(), note),
      nextValues: () => andThen(cursor.nextValues(), note),
      skip: (count) => cursor.skip(count),
      close: () => cursor.close(),
    };
  };
  return wrapped(engine, (name) => {
    if (name !== 'begin') return undefined;
    return (options: BeginOptions) =>
      andThen(engine.begin(options), (transaction) => {
        const methods: Partial<Transaction> = {
          get: (key) => {
            work.read += Number(isCounted(key));
            return transaction.get(key);
          },
          getMany: (keys) => {
            work.read += keys.filter(isCounted).length;
            return transaction.getMany(keys);
          },
          scan: (range: KeyRange, options?: ScanOptions) => {
            const cursor = transaction.scan(range, options);
            if (!isCounted(range.from)) return cursor;
            work.scans++;
            return watched(cursor);
          },
          count: (range) => {
            work.counts += Number(isCounted(range.from));
            return transaction.count(range);
          },
        };
        return wrapped(transaction, (method) => methods[method as keyof Transaction]);
      });
  });
}

const PEOPLE = 1_000;

describe('a plan asks the storage for no more than it needs', () => {
  const work: Work = { ...NONE };
  let owner: Session;
  let ann: Session;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const database = await openDatabase(measuring(await openEngine('memory'), work), { guests: true });
    close = () => database.close();
    owner = database.ownerSession();
    await owner.use('test', 'test');
    await run(
      owner,
      `DEFINE TABLE person PERMISSIONS FOR select FULL;
       DEFINE TABLE note PERMISSIONS FOR select WHERE owner = $auth;
       DEFINE TABLE user; DEFINE TABLE knows TYPE RELATION PERMISSIONS FULL;
       DEFINE INDEX city ON person FIELDS city; DEFINE INDEX age ON person FIELDS age;
       DEFINE INDEX city_name ON person FIELDS city, name; DEFINE INDEX tags ON person FIELDS tags;
       DEFINE INDEX owner ON note FIELDS owner;
       DEFINE ACCESS user ON DATABASE TYPE RECORD SIGNUP (CREATE ONLY user:ann) SIGNIN (SELECT * FROM user:ann);
       FOR $i IN 0..${PEOPLE} {
         CREATE type::record('person', $i) SET name = <string> $i, age = $i % 100, city = 'city ' + <string> ($i % 50),
           tags = ['a', 'b'], friend = type::record('person', ($i + 1) % ${PEOPLE});
         CREATE note SET owner = IF $i % 100 = 0 { user:ann } ELSE { user:bob };
       };
       FOR $i IN 0..3 { RELATE person:0->knows->(type::record('person', $i + 1)); RELATE person:1->knows->(type::record('person', $i + 10)) }`,
    );
    ann = database.session({});
    await ann.use('test', 'test');
    await ann.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'user' }));
  });
  afterAll(() => close());

  const CASES: readonly [what: string, text: string, work: Partial<Work>][] = [
    ['a point read', 'SELECT * FROM person:7', { read: 1 }],
    ['an id in the condition', 'SELECT * FROM person WHERE id = person:7', { read: 1 }],
    ['ids in a list', 'SELECT * FROM person WHERE id IN [person:7, person:3, person:7]', { read: 2 }],
    ['equality by an index', "SELECT * FROM person WHERE city = 'city 7'", { read: 20, walked: 20, scans: 2 }],
    ['a range of an index', 'SELECT * FROM person WHERE age > 97', { read: 20, walked: 20, scans: 2 }],
    ['a count of a table', 'SELECT count() FROM person GROUP ALL', { counts: 1 }],
    ['a count by an index', "SELECT count() FROM person WHERE city = 'city 7' GROUP ALL", { counts: 3 }],
    ['a count of a range', 'SELECT count() FROM person WHERE age > 97 AND age <= 99 GROUP ALL', { counts: 3 }],
    [
      'a count by two fields',
      "SELECT count() FROM person WHERE city = 'city 7' AND name = '7' GROUP ALL",
      { counts: 4 },
    ],
    [
      'a count that an index answers in part',
      "SELECT count() FROM person WHERE city = 'city 7' AND friend != NONE GROUP ALL",
      { read: 20, walked: 20, scans: 2 },
    ],
    // Each record is listed by its array and by both elements.
    [
      'a count among arrays',
      "SELECT count() FROM person WHERE tags = 'a' GROUP ALL",
      { read: 1_000, walked: 1_000, scans: 2, counts: 2 },
    ],
    ['a filtered count', 'SELECT count() FROM person WHERE name > "5" GROUP ALL', { walked: 1_000, scans: 1 }],
    ['groups', 'SELECT name, count() FROM person GROUP BY name', { walked: 1_000, scans: 1 }],
    ['the first rows by a field', 'SELECT * FROM person ORDER BY name LIMIT 10', { walked: 1_000, scans: 1 }],
    [
      'the first rows in the order of an index',
      'SELECT * FROM person ORDER BY age LIMIT 5',
      { read: 21, walked: 21, scans: 1, counts: 1 },
    ],
    [
      'the first rows in the order behind a fixed field',
      "SELECT * FROM person WHERE city = 'city 7' ORDER BY city, name LIMIT 2",
      { read: 18, walked: 18, scans: 1, counts: 1 },
    ],
    [
      'the same with the fixed field in the other direction',
      "SELECT * FROM person WHERE city = 'city 7' ORDER BY city DESC, name LIMIT 2",
      { read: 18, walked: 18, scans: 1, counts: 1 },
    ],
    ['the first rows of a table', 'SELECT * FROM person LIMIT 10', { walked: 10, scans: 1 }],
    ['rows behind many others', 'SELECT * FROM person LIMIT 10 START 900', { walked: 10, scans: 1 }],
    ['the same from the end', 'SELECT * FROM person ORDER BY id DESC LIMIT 10 START 900', { walked: 10, scans: 1 }],
    ['one hop', 'SELECT ->knows AS k FROM person:0', { read: 1, walked: 3, scans: 1 }],
    ['two hops', 'SELECT ->knows->person AS k FROM person:0', { read: 1, walked: 3, scans: 1 }],
    // Two of the three people have no edges, and are asked whether they are some themselves.
    ['four hops', 'SELECT ->knows->person->knows->person AS k FROM person:0', { read: 3, walked: 6, scans: 4 }],
    ['links of two records', 'SELECT friend.name FROM person:7, person:8', { read: 4 }],
    ['fetched links', 'SELECT friend FROM person:7, person:8 FETCH friend', { read: 4 }],
  ];

  test.each(CASES)('%s', async (_, text, expected) => {
    Object.assign(work, NONE);
    await run(owner, text);
    expect(work).toEqual({ ...NONE, ...expected });
  });

  test('a rule chooses an index, and the records behind it are judged before they are counted', async () => {
    Object.assign(work, NONE);
    expect(await run(ann, 'SELECT VALUE count() FROM note GROUP ALL')).toEqual([[10]]);
    expect(work).toMatchObject({ read: 10, walked: 10 });
    Object.assign(work, NONE);
    expect(await run(ann, 'SELECT VALUE count() FROM note WHERE owner = user:bob GROUP ALL')).toEqual([[0]]);
    expect(work.counts).toBe(0);
  });
});
