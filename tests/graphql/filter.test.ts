import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { GraphqlService } from '../../src/graphql/service.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { Duration } from '../../src/value/value.js';
import { openStack, type Stack } from './stack.js';

/** Each with a lesser and a greater value, as arguments and as literals of our language. */
const SCALARS: readonly [name: string, type: string, low: unknown, high: unknown, stored: [string, string]][] = [
  ['int', 'int', -1, 9007199254740991, ['-1', '9007199254740991']],
  ['float', 'float', 0, 1.5, ['0f', '1.5f']],
  ['decimal', 'decimal', '1.50', '2', ['1.5dec', '2dec']],
  ['number', 'number', 1, 2.5, ['1dec', '2.5f']],
  [
    'datetime',
    'datetime',
    '2020-01-01T00:00:00Z',
    '2020-01-01T00:00:00.000000001Z',
    ["d'2020-01-01T00:00:00Z'", "d'2020-01-01T00:00:00.000000001Z'"],
  ],
  ['duration', 'duration', '1m', '1h', ['1m', '1h']],
  [
    'uuid',
    'uuid',
    '018a0000-0000-7000-8000-000000000000',
    '018b0000-0000-7000-8000-000000000000',
    ["u'018a0000-0000-7000-8000-000000000000'", "u'018b0000-0000-7000-8000-000000000000'"],
  ],
  ['string', 'string', 'Abc', 'b', ["'Abc'", "'b'"]],
  ['any', 'any', 1, 'x', ['1', "'x'"]],
  ['bool', 'bool', false, true, ['false', 'true']],
  ['bytes', 'bytes', 'AAE=', 'Ag==', ['<bytes>b"0001"', '<bytes>b"02"']],
  ['mood', "'good' | 'so-so'", 'good', 'so_so', ["'good'", "'so-so'"]],
  ['object', 'object', { a: 1 }, { a: [1, 2] }, ['{ a: 1 }', '{ a: [1, 2] }']],
  [
    'geometry',
    'geometry',
    { type: 'Point', coordinates: [1, 2] },
    { type: 'Point', coordinates: [3, 4] },
    ['(1, 2)', '(3, 4)'],
  ],
];
const UNORDERED = new Set(['bool', 'bytes', 'mood', 'object', 'geometry']);

const VALUES = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE t SCHEMAFULL;
  DEFINE FIELD name ON t TYPE string;
  ${SCALARS.map(
    ([name, type]) => `
  DEFINE FIELD ${name} ON t ${name === 'object' ? 'FLEXIBLE ' : ''}TYPE ${name === 'any' ? 'any' : `option<${type}>`};
  DEFINE FIELD list_${name} ON t TYPE option<array<${type}>>;
  ${name === 'object' ? 'DEFINE FIELD OVERWRITE list_object.* ON t FLEXIBLE TYPE object;' : ''}
  DEFINE FIELD set_${name} ON t TYPE option<set<${type}>>;
  ${name === 'object' ? 'DEFINE FIELD OVERWRITE set_object.* ON t FLEXIBLE TYPE object;' : ''}`,
  ).join('')}
  DEFINE FIELD area ON t TYPE option<geometry<polygon>>;
  DEFINE FIELD grid ON t TYPE option<array<array<int>>>;
  CREATE t:low SET name = 'low', grid = [[1, 2], [3]], ${SCALARS.map(([name, , , , [low]]) => `${name} = ${low}, list_${name} = [${low}], set_${name} = <set>[${low}]`).join()};
  CREATE t:high SET name = 'high', grid = [[]],
    area = { type: 'Polygon', coordinates: [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]] },
    ${SCALARS.map(([name, , , , [low, high]]) => `${name} = ${high}, list_${name} = [${low}, ${high}], set_${name} = <set>[${low}, ${high}]`).join()};
  CREATE t:none SET name = 'none';`;

/** The names of the records of a table that a filter lets through, or the text of the error. */
async function named(stack: Stack, table: string, filter: object, session = stack.owner): Promise<string | undefined> {
  const query = `query ($f: _filter_${table}) { ${table}(filter: $f, order: {asc: name}) { name } }`;
  const { data, errors } = await stack.ask(query, { f: filter }, session);
  if (errors !== undefined) return errors[0]?.message;
  const rows = (data?.[table] ?? []) as { name: string }[];
  return rows.map(({ name }) => name).join(' ');
}

describe('values', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await openStack(VALUES);
  });

  describe.each(SCALARS)('of type %s', (name, _type, low, high) => {
    it.each<[object, string]>([
      [{ eq: low }, 'low'],
      [{ ne: low }, 'high none'],
      [{ in: [low, high] }, 'high low'],
      [{ in: [] }, ''],
      [{ nin: [low] }, 'high none'],
      [{ eq: null }, 'none'],
      [{ ne: null }, 'high low'],
      [{ [`${name}_eq`]: high }, 'high'],
      [{ [`${name}_nin`]: [high] }, 'low none'],
    ])('%j', async (filter, expected) => {
      expect(await named(stack, 't', { [name]: filter })).toBe(expected);
    });

    it.each<[object, string]>([
      [{ gt: low }, 'high'],
      [{ gte: low }, 'high low'],
      [{ lt: high }, 'low'],
      [{ lte: high }, 'high low'],
      [{ lt: low }, ''],
      [{ [`${name}_gt`]: low, [`${name}_lte`]: high }, 'high'],
    ])('%j, where there is an order', async (filter, expected) => {
      const found = await named(stack, 't', { [name]: filter });
      if (UNORDERED.has(name)) expect(found).toContain('is not defined by type');
      else expect(found).toBe(expected);
    });

    it.each<[object, string]>([
      [{ contains: low }, 'high low'],
      [{ contains: high }, 'high'],
      [{ containsAll: [low, high] }, 'high'],
      [{ containsAny: [high] }, 'high'],
      [{ containsNone: [high] }, 'low none'],
      [{ some: { eq: high } }, 'high'],
      [{ some: { ne: low } }, 'high'],
      [{ every: { eq: low } }, 'low none'],
      [{ none: { in: [high] } }, 'low none'],
      [{ some: {} }, 'high low'],
      [{ some: { eq: null } }, ''],
      [{ count: { eq: 2 } }, 'high'],
      [{ count: { lt: 1 } }, 'none'],
      [{ count: { in: [0, 1] } }, 'low none'],
      [{ exists: true }, 'high low'],
      [{ exists: false }, 'none'],
    ])('in lists and sets: %j', async (filter, expected) => {
      expect(await named(stack, 't', { [`list_${name}`]: filter })).toBe(expected);
      expect(await named(stack, 't', { [`set_${name}`]: filter })).toBe(expected);
    });
  });

  const square = (from: number, to: number) => ({
    type: 'Polygon',
    coordinates: [
      [
        [from, from],
        [to, from],
        [to, to],
        [from, to],
        [from, from],
      ],
    ],
  });

  it.each<[object, string]>([
    [{ string: { contains: 'bc' } }, 'low'],
    [{ string: { containsAny: ['x', 'A', 'b'] } }, 'high low'],
    [{ string: { containsAny: [] } }, ''],
    [{ string: { startsWith: 'A' } }, 'low'],
    [{ string: { endsWith: 'c' } }, 'low'],
    [{ string: { regex: '^.$' } }, 'high'],
    [{ string: { ieq: 'ABC' } }, 'low'],
    [{ string: { ieq: 'ab' } }, ''],
    [{ string: { string_iContains: 'B' } }, 'high low'],
    [{ not: { string: { ieq: 'B' } } }, 'low none'],
    [{ any: { gt: 'a' } }, 'high'],
    [{ list_string: { some: { iContains: 'BC' } } }, 'high low'],
    [{ list_string: { list_string_some: { list_string_startsWith: 'b' } } }, 'high'],
    [{ list_string: { list_string_count: { count_gt: 1 } } }, 'high'],
    [{ list_int: { every: { gte: 0 } } }, 'none'],
    [{ set_int: { some: { gt: 0 } } }, 'high'],
    [{ geometry: { inside: square(2, 5) } }, 'high'],
    [{ geometry: { outside: square(2, 5) } }, 'low'],
    [{ geometry: { intersects: square(0, 5) } }, 'high low'],
    [{ list_geometry: { some: { inside: square(2, 5) } } }, 'high'],
    [{ area: { contains: { type: 'Point', coordinates: [5, 5] } } }, 'high'],
    [{ area: { contains: { type: 'Point', coordinates: [50, 5] } } }, ''],
    [{ area: { intersects: square(9, 20) } }, 'high'],
    [{ area: { area_outside: square(11, 20) } }, 'high'],
    [{ area: { inside: square(-1, 11) } }, 'high'],
    [{ grid: { some: { contains: 3 } } }, 'low'],
    [{ grid: { some: { some: { eq: 2 } } } }, 'low'],
    [{ grid: { every: { count: { eq: 0 } } } }, 'high none'],
    [{ grid: { some: { count: { eq: 0 } } } }, 'high'],
  ])('%j', async (filter, expected) => {
    expect(await named(stack, 't', filter)).toBe(expected);
  });

  it('take what is missing for neither less nor more, and deny plainly', async () => {
    expect(await named(stack, 't', { int: { gt: -1 } })).toBe('high');
    expect(await named(stack, 't', { int: { lte: -1 } })).toBe('low');
    expect(await named(stack, 't', { not: { int: { gt: -1 } } })).toBe('low none');
    expect(await named(stack, 't', { not: { int: { ne: null, gt: -1 } } })).toBe('low none');
    expect(await named(stack, 't', { not: { not: { int: { gt: -1 } } } })).toBe('high');
  });

  it.each<[object, string]>([
    [{ int: { gt: null } }, 'The operator gt needs a value, found null'],
    [{ int: null }, 'The filter "int" is null'],
    [{ list_int: { some: null } }, 'The filter "some" is null'],
    [{ list_int: { exists: null } }, 'The filter "exists" is null'],
    [{ list_int: { containsAll: null } }, 'The operator containsAll needs a value, found null'],
    [{ list_int: { containsAll: [null] } }, 'Variable "$f" got invalid value'],
    [{ list_int: { count: null } }, 'The filter "count" is null'],
    [{ not: null }, 'The filter "not" is null'],
    [{ or: null }, 'The filter "or" is null'],
    [{ geometry: { inside: { type: 'Point' } } }, 'Variable "$f" got invalid value'],
    [{ geometry: { gt: { type: 'Point', coordinates: [1, 2] } } }, 'Variable "$f" got invalid value'],
  ])('%j is refused', async (filter, message) => {
    expect(await named(stack, 't', filter)).toContain(message);
  });

  it('that are not of their type are no errors', async () => {
    const { ask, owner } = await openStack(
      `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t; DEFINE FIELD name ON t TYPE string;
       CREATE t:1 SET name = 'old', s = 1, a = 5, p = 'here', b = 'x', r = [1];
       DEFINE FIELD s ON t TYPE string; DEFINE FIELD a ON t TYPE array<int>; DEFINE FIELD p ON t TYPE geometry;
       DEFINE FIELD b ON t TYPE set<string>; DEFINE FIELD r ON t TYPE record<t>;`,
    );
    for (const filter of [
      's: {startsWith: "x"}',
      's: {ieq: "x"}',
      'a: {some: {gt: 1}}',
      'a: {count: {gt: 0}}',
      'b: {some: {eq: "x"}}',
      'p: {inside: {type: "Point", coordinates: [1, 2]}}',
    ]) {
      expect(await ask(`{ t(filter: {${filter}}) { name } }`, {}, owner)).toEqual({ data: { t: [] } });
    }
  });
});

const PEOPLE = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE person SCHEMAFULL;
  DEFINE FIELD name ON person TYPE string;
  DEFINE FIELD age ON person TYPE option<int>;
  DEFINE FIELD best ON person TYPE option<record<person>>;
  DEFINE FIELD friends ON person TYPE array<record<person>> DEFAULT [];
  DEFINE FIELD family ON person TYPE option<set<record<person>>>;
  DEFINE FIELD owns ON person TYPE option<record<cat | dog>>;
  DEFINE FIELD pets ON person TYPE option<array<record<cat | dog>>>;
  DEFINE FIELD thing ON person TYPE option<record>;
  DEFINE FIELD home ON person TYPE option<object>;
  DEFINE FIELD home.city ON person TYPE option<string | null>;
  DEFINE FIELD home.with ON person TYPE option<record<person>>;
  DEFINE FIELD home.rooms ON person TYPE option<array<object>>;
  DEFINE FIELD home.rooms.*.size ON person TYPE option<int>;
  DEFINE FIELD home.rooms.*.things ON person TYPE option<array<object>>;
  DEFINE FIELD home.rooms.*.things.*.price ON person TYPE option<decimal>;
  DEFINE FIELD home.rooms.*.of ON person TYPE option<record<person>>;
  DEFINE TABLE cat; DEFINE FIELD name ON cat TYPE string;
  DEFINE TABLE dog; DEFINE FIELD name ON dog TYPE string;
  DEFINE TABLE book; DEFINE FIELD name ON book TYPE string;
  DEFINE TABLE wrote TYPE RELATION FROM person TO book | person; DEFINE FIELD year ON wrote TYPE int;
  DEFINE FIELD name ON wrote TYPE string DEFAULT <string> $this.year;
  DEFINE TABLE key; DEFINE FIELD name ON key TYPE string; DEFINE FIELD to ON key TYPE option<record<key>>;
  CREATE cat:tom SET name = 'Tom'; CREATE dog:rex SET name = 'Rex';
  CREATE person:ann SET name = 'Ann', age = 20, best = person:bob, friends = [person:bob, person:cy, person:gone],
    family = <set>[person:bob, person:gone], owns = cat:tom, pets = [cat:tom, dog:gone], thing = book:x, home = {
      city: 'Rome', with: person:bob, rooms: [{ size: 10, things: [{ price: 1.5dec }, { price: 7dec }], of: person:cy }, { size: 20 }] };
  CREATE person:bob SET name = 'Bob', age = 30, best = person:cy, friends = [person:ann], owns = dog:gone,
    home = { city: NULL, rooms: [{ size: 20, things: [{ price: 9dec }] }] };
  CREATE person:cy SET name = 'Cy', best = person:gone, friends = [person:gone], home = {};
  CREATE person:di SET name = 'Di', age = 40;
  CREATE book:x SET name = 'X'; CREATE book:y SET name = 'Y';
  RELATE person:ann->wrote->book:x SET year = 2001; RELATE person:ann->wrote->book:y SET year = 2005;
  RELATE person:bob->wrote->book:x SET year = 1999; RELATE person:bob->wrote->person:ann SET year = 2020;
  CREATE key:{ name: 'in the key' } SET name = 'Keyed'; CREATE key:1 SET name = 'One', to = key:{ name: 'in the key' };
  CREATE key:2 SET name = 'Two', to = key:{ id: 1 };`;

describe('links, relations and nested objects', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await openStack(PEOPLE);
  });

  it.each<[object, string]>([
    // ─── Links ───
    [{ best: { eq: 'person:bob' } }, 'Ann'],
    [{ best: { eq: null } }, 'Di'],
    [{ best: { best_in: ['bob', 'cy'] } }, 'Ann Bob'],
    [{ best: { is: { age: { gt: 20 } } } }, 'Ann'],
    [{ best: { is: { age: { eq: null } } } }, 'Bob'],
    [{ best: { is: { not: { age: { gt: 20 } } } } }, 'Bob'],
    [{ not: { best: { is: { age: { gt: 20 } } } } }, 'Bob Cy Di'],
    [{ best: { best_is: { id: { eq: 'bob' } } } }, 'Ann'],
    [{ best: { is: { best: { is: { name: { eq: 'Cy' } } } } } }, 'Ann'],
    [{ best: { is: { or: [{ name: { eq: 'Cy' } }, { name: { eq: 'Bob' } }] } } }, 'Ann Bob'],
    [{ best: { is: {} } }, 'Ann Bob'],
    [{ best: { exists: true } }, 'Ann Bob'],
    [{ best: { exists: false } }, 'Cy Di'],
    [{ best: { exists: false, ne: null } }, 'Cy'],
    [{ owns: { eq: 'cat:tom' } }, 'Ann'],
    [{ owns: { exists: true } }, 'Ann'],
    [{ owns: { owns_exists: false } }, 'Bob Cy Di'],
    [{ thing: { exists: true } }, 'Ann'],
    [{ thing: { in: ['book:x', 'cat:tom'] } }, 'Ann'],

    // ─── Lists of links ───
    [{ friends: { contains: 'bob' } }, 'Ann'],
    // A key that may be meant in several ways needs to be there in one of them.
    [{ friends: { containsAll: ['bob', 'cy'] } }, 'Ann'],
    [{ friends: { containsAll: ['1'] } }, ''],
    [{ friends: { containsNone: ['bob', 'gone'] } }, 'Bob Di'],
    [{ friends: { some: { age: { gte: 20 } } } }, 'Ann Bob'],
    [{ friends: { some: { age: { eq: null } } } }, 'Ann'],
    [{ friends: { every: { age: { gte: 20 } } } }, 'Bob Cy Di'],
    [{ friends: { none: { age: { gte: 20 } } } }, 'Cy Di'],
    [{ friends: { some: {} } }, 'Ann Bob'],
    [{ friends: { some: { id: { eq: 'gone' } } } }, ''],
    [{ friends: { some: { friends: { some: { name: { eq: 'Bob' } } } } } }, 'Bob'],
    [{ friends: { count: { gt: 1 } } }, 'Ann'],
    [{ friends: { count: { lt: 1 } } }, 'Di'],
    [{ family: { some: { age: { eq: 30 } } } }, 'Ann'],
    [{ family: { none: { age: { eq: 31 } } } }, 'Ann Bob Cy Di'],
    [{ family: { count: { eq: 2 } } }, 'Ann'],
    [{ family: { exists: true } }, 'Ann'],
    [{ pets: { some: { exists: true } } }, 'Ann'],
    [{ pets: { every: { exists: true } } }, 'Bob Cy Di'],
    [{ pets: { some: { eq: 'dog:gone' } } }, 'Ann'],
    [{ pets: { containsAny: ['dog:gone', 'dog:rex'] } }, 'Ann'],

    // ─── Relations ───
    [{ wrote: { exists: true } }, 'Ann Bob'],
    [{ wrote: { exists: false } }, 'Cy Di'],
    [{ wrote: { some: { year: { gt: 2002 } } } }, 'Ann Bob'],
    [{ wrote: { every: { year: { gt: 2000 } } } }, 'Ann Cy Di'],
    [{ wrote: { none: { year: { eq: 1999 } } } }, 'Ann Cy Di'],
    [{ wrote: { count: { eq: 2 } } }, 'Ann Bob'],
    [{ wrote: { wrote_count: { count_lt: 2 } } }, 'Cy Di'],
    [{ wrote: { some: { out: { eq: 'book:y' } } } }, 'Ann'],
    [{ wrote: { some: { year: { lt: 2000 }, out: { exists: true } } } }, 'Bob'],
    [{ wrote: { some: { in: { is: { age: { gt: 20 } } } } } }, 'Bob'],
    [{ wrote_incoming: { exists: true } }, 'Ann'],
    [{ wrote_incoming: { some: { in: { is: { name: { eq: 'Bob' } } } } } }, 'Ann'],
    [{ wrote_incoming: { some: { in: { is: { wrote: { some: { year: { lt: 2000 } } } } } } } }, 'Ann'],
    [{ best: { is: { wrote: { some: { year: { eq: 1999 } } } } } }, 'Ann'],
    [{ friends: { some: { wrote: { count: { gt: 1 } } } } }, 'Ann Bob'],

    // ─── Objects ───
    [{ home: { city: { eq: 'Rome' } } }, 'Ann'],
    [{ home: { exists: true } }, 'Ann Bob Cy'],
    [{ home: { exists: false } }, 'Di'],
    [{ home: { exists: true, city: { eq: null } } }, 'Bob Cy'],
    [{ home: { not: { city: { eq: 'Rome' } } } }, 'Bob Cy Di'],
    [{ home: { or: [{ city: { eq: 'Rome' } }, { exists: false }] } }, 'Ann Di'],
    [{ home: { with: { is: { age: { eq: 30 } } } } }, 'Ann'],
    [{ home: { with: { exists: true } } }, 'Ann'],
    [{ home: { rooms: { some: { size: { gt: 10 } } } } }, 'Ann Bob'],
    [{ home: { rooms: { every: { size: { gt: 10 } } } } }, 'Bob Cy Di'],
    [{ home: { rooms: { none: { size: { eq: 10 } } } } }, 'Bob Cy Di'],
    [{ home: { rooms: { count: { gt: 1 } } } }, 'Ann'],
    [{ home: { rooms: { some: { things: { some: { price: { lt: '2' } } } } } } }, 'Ann'],
    [{ home: { rooms: { some: { things: { exists: false } } } } }, 'Ann'],
    [{ home: { rooms: { some: { things: { every: { price: { gt: '8' } } } } } } }, 'Ann Bob'],
    [{ home: { rooms: { some: { of: { is: { name: { eq: 'Cy' } } } } } } }, 'Ann'],
    [{ home: { rooms: { some: { and: [{ size: { eq: 10 } }, { not: { of: { exists: false } } }] } } } }, 'Ann'],
  ])('%j', async (filter, expected) => {
    expect(await named(stack, 'person', filter)).toBe(expected);
  });

  it('are filtered from the other side, too', async () => {
    expect(await named(stack, 'book', { wrote_incoming: { count: { gt: 1 } } })).toBe('X');
    expect(await named(stack, 'book', { wrote_incoming: { every: { in: { is: { age: { lt: 25 } } } } } })).toBe('Y');
    expect(await named(stack, 'wrote', { in: { is: { best: { is: { name: { eq: 'Bob' } } } } } })).toBe('2001 2005');
    const { data } = await stack.ask(
      '{ person(filter: {name: {eq: "Ann"}}) { wrote(filter: {out: {eq: "book:y"}}) { year } wrote_incoming(filter: {in: {is: {age: {lt: 20}}}}) { year } } }',
    );
    expect(data).toEqual({ person: [{ wrote: [{ year: 2005 }], wrote_incoming: [] }] });
  });

  it('look at records, whatever their keys hold', async () => {
    expect(await named(stack, 'key', { to: { is: { name: { eq: 'Keyed' } } } })).toBe('One');
    expect(await named(stack, 'key', { to: { is: { name: { eq: 'in the key' } } } })).toBe('');
    expect(await named(stack, 'key', { to: { exists: true } })).toBe('One');
  });

  it('have one filter for equal places', async () => {
    const { data } = await stack.ask('{ __type(name: "_filter_edges_wrote") { inputFields { name type { name } } } }');
    const { inputFields } = (data as { __type: { inputFields: { name: string; type: { name: string } }[] } }).__type;
    expect(inputFields.map(({ name, type }) => `${name}: ${type.name}`)).toEqual([
      'some: _filter_wrote',
      'wrote_some: _filter_wrote',
      'every: _filter_wrote',
      'wrote_every: _filter_wrote',
      'none: _filter_wrote',
      'wrote_none: _filter_wrote',
      'count: _filter_int_count',
      'wrote_count: _filter_int_count',
      'exists: Boolean',
      'wrote_exists: Boolean',
    ]);
  });
});

describe('the example of the documentation', () => {
  it('finds whom it should', async () => {
    const stack =
      await openStack(`DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE person; DEFINE FIELD name ON person TYPE string;
      DEFINE FIELD age ON person TYPE option<int>; DEFINE FIELD best ON person TYPE option<record<person>>;
      DEFINE FIELD tags ON person TYPE option<array<string>>; DEFINE FIELD items ON person TYPE option<array<object>>;
      DEFINE FIELD items.*.price ON person TYPE decimal; DEFINE TABLE book; DEFINE FIELD title ON book TYPE string;
      DEFINE TABLE wrote TYPE RELATION FROM person TO book; DEFINE FIELD year ON wrote TYPE int;
      DEFINE TABLE follows TYPE RELATION FROM person TO person;
      CREATE person:1 SET name = 'Ann', age = 19, best = person:1, items = [{ price: 9.49dec }];
      CREATE person:2 SET name = 'Bob', best = person:1, items = [{ price: 1dec }], tags = ['x'];
      CREATE book:1 SET title = 'Atlas'; RELATE person:1->wrote->book:1 SET year = 2001;
      RELATE person:2->wrote->book:1 SET year = 2001; RELATE person:2->follows->person:1;`);
    const page = await readFile(new URL('../../docs/guides/graphql.md', import.meta.url), 'utf8');
    const [, query = ''] = /```graphql\n(\{ person\(filter: [^`]*)```/.exec(page) ?? [];
    expect(await stack.ask(query)).toEqual({ data: { person: [{ name: 'Ann' }] } });
  });
});

describe('names', () => {
  it('of enums may be those of scalars', async () => {
    const stack = await openStack(`DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE a; DEFINE FIELD name ON a TYPE 'string';
      DEFINE TABLE b; DEFINE FIELD name ON b TYPE string; CREATE a:1 SET name = 'string'; CREATE b:1 SET name = 'B';`);
    expect(await named(stack, 'a', { name: { eq: 'string' } })).toBe('string');
    expect(await named(stack, 'b', { name: { startsWith: 'B' } })).toBe('B');
  });

  it('that filters need for themselves are given to fields with a number', async () => {
    const stack = await openStack(`DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t; DEFINE FIELD name ON t TYPE string;
      DEFINE FIELD not ON t TYPE int; DEFINE FIELD exists ON t TYPE int; DEFINE FIELD o ON t TYPE object;
      DEFINE FIELD o.exists ON t TYPE bool; DEFINE FIELD o.\`or\` ON t TYPE int; DEFINE FIELD wrote ON t TYPE int;
      DEFINE TABLE wrote TYPE RELATION FROM t TO t;
      CREATE t:1 SET name = 'A', not = 1, exists = 2, o = { exists: false, or: 3 }, wrote = 4;`);
    expect(await named(stack, 't', { not_2: { eq: 1 }, exists: { eq: 2 }, wrote: { eq: 4 } })).toBe('A');
    expect(await named(stack, 't', { o: { exists: true, exists_2: { eq: false }, or_2: { eq: 3 } } })).toBe('A');
    expect(await named(stack, 't', { wrote_2: { exists: false } })).toBe('A');
  });
});

describe('bounds', () => {
  const SETUP = `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t; DEFINE FIELD name ON t TYPE string;
    DEFINE FIELD up ON t TYPE option<record<t>>; DEFINE FIELD l ON t TYPE array<record<t>> DEFAULT [];
    CREATE t:1 SET name = 'A', up = t:1, l = [t:1];`;
  const nested = (before: string, inner: string, after: string, depth: number) =>
    before.repeat(depth) + inner + after.repeat(depth);

  it('hold for nested filters in documents, which run as far as they may', async () => {
    const { ask } = await openStack(SETUP);
    for (const [before, after, levels] of [
      ['not: {', '}', 196],
      ['or: [{', '}]', 98],
      ['up: {is: {', '}}', 98],
      ['l: {some: {', '}}', 98],
      ['l: {every: {', '}}', 98],
    ] as const) {
      const query = (depth: number) => `{ t(filter: {${nested(before, 'name: {eq: "A"}', after, depth)}}) { name } }`;
      expect(await ask(query(levels))).toEqual({ data: { t: [{ name: 'A' }] } });
      expect((await ask(query(levels + 10))).errors?.[0]?.message).toContain('nested brackets');
    }
  });

  it('hold for nested filters in variables', async () => {
    const { owner, service } = await openStack(SETUP);
    const handle = createGraphqlHandler(service, 'standard');
    for (const [before, after] of [
      ['{"not":', '}'],
      ['{"and":[', ']}'],
      ['{"up":{"is":', '}}'],
    ] as const) {
      const answer = async (depth: number) => {
        const { body } = await handle({
          session: owner,
          accept: '*/*',
          contentType: 'application/json',
          body: `{"query": "query ($f: _filter_t) { t(filter: $f) { name } }", "variables": {"f": ${nested(before, '{"name": {"eq": "A"}}', after, depth)}}}`,
        });
        return body;
      };
      expect(await answer(60)).toBe('{"data":{"t":[{"name":"A"}]}}');
      expect(await answer(10_000)).toContain('"code":"nesting_too_deep"');
    }
  });

  it('hold for the time that filters take', async () => {
    const database = await openDatabase(await openEngine('memory'), { requestTimeout: new Duration(100_000_000n) });
    const owner = database.ownerSession();
    await owner.use('test', 'test');
    await owner.query(`${SETUP} CREATE t:2 SET name = 'B', l = array::repeat(t:2, 100);`);
    const filter = `{${nested('l: {some: {', 'name: {eq: "x"}', '}}', 50)}}`;
    const request = { query: `{ t(filter: ${filter}) { name } }`, variables: undefined, operationName: undefined };
    const { failures } = await new GraphqlService().answer(owner, request);
    expect(failures.map(({ error }) => error.code)).toEqual(['timed_out']);
  });

  it('count conditions wherever they stand, and those that say nothing', async () => {
    const { ask } = await openStack(SETUP, { limits: { conditions: 5 } });
    const answer = async (f: object) =>
      (await ask('query ($f: _filter_t) { t(filter: $f) { name } }', { f })).errors?.[0]?.extensions.code ?? 'ok';
    const many = (item: object, count: number) => Array.from({ length: count }, () => item);
    for (const [item, fits] of [
      [{}, 5],
      [{ name: { eq: 'x' } }, 5],
      [{ name: {} }, 5],
      [{ and: [] }, 5],
      [{ not: {} }, 5],
      [{ up: { exists: true } }, 5],
      [{ up: { is: {} } }, 2],
      [{ l: { some: { name: { eq: 'x' } } } }, 2],
      [{ l: { count: { gt: 1 } } }, 2],
    ] as const) {
      expect(`${JSON.stringify(item)} ${await answer({ or: many(item, fits) })}`).toBe(`${JSON.stringify(item)} ok`);
      expect(await answer({ or: many(item, fits + 1) })).toBe('graphql_limit');
    }
  });
});
