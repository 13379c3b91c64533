/** `tessera types`: the text for a representative schema, and that TypeScript takes it, whatever things are called. */
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../src/cli/client/rpc-client.js';
import { runTypes, watchTypes } from '../../src/cli/types.js';
import { objectFrom } from '../../src/value/value.js';
import { GeneratedTypes } from '../support/generated-types.js';
import { ROOT, startTestServer } from '../support/server.js';

let types: GeneratedTypes;
beforeAll(async () => {
  types = await GeneratedTypes.start();
});
afterAll(() => types.close());

const SHOP = `
  DEFINE TABLE person SCHEMAFULL COMMENT 'Who buys; */ and who sells';
  DEFINE FIELD name ON person TYPE string COMMENT 'As on the card';
  DEFINE FIELD nick ON person TYPE option<string>;
  DEFINE FIELD born ON person TYPE datetime | none;
  DEFINE FIELD role ON person TYPE 'buyer' | 'seller' | 5 | null;
  DEFINE FIELD tags ON person TYPE set<string>;
  DEFINE FIELD friends ON person TYPE array<record<person>, 10>;
  DEFINE FIELD address ON person TYPE object;
  DEFINE FIELD address.city ON person TYPE string;
  DEFINE FIELD address.place ON person TYPE geometry<point | polygon>;
  DEFINE FIELD phones ON person TYPE option<array<object>>;
  DEFINE FIELD phones.*.number ON person TYPE string;
  DEFINE FIELD phones.*.times ON person TYPE array<[int, int]>;
  DEFINE FIELD extra ON person TYPE object FLEXIBLE;
  DEFINE FIELD parent.one ON person TYPE any;
  DEFINE FIELD balance ON person TYPE number;
  DEFINE FIELD age ON person COMPUTED time::year(time::now()) - 1990;
  DEFINE TABLE order_line SCHEMALESS;
  DEFINE FIELD id ON order_line TYPE [int, string];
  DEFINE FIELD price ON order_line TYPE decimal;
  DEFINE FIELD item ON order_line TYPE { name: string, size: option<int> };
  DEFINE TABLE bought TYPE RELATION IN person OUT order_line | person SCHEMAFULL;
  DEFINE FIELD at ON bought TYPE datetime DEFAULT time::now();
  DEFINE TABLE ages AS SELECT count() AS total FROM person GROUP ALL;
  DEFINE FUNCTION fn::greet($name: string, $times: option<int>) -> string { RETURN $name };
  DEFINE FUNCTION fn::shop::total($class: option<int>, $lines: array<record<order_line>>) { RETURN 0 };
  DEFINE PARAM $limits VALUE { most: 10, names: ['a', 5], within: 1h };
`;

it('writes what is defined', async () => {
  const text = await types.of('shop', SHOP);
  expect(text).toMatchInlineSnapshot(`
    "// Made by \`tessera types\`: changes are lost when it is made again.
    import type { DateTime, Decimal, Duration, GeometryPoint, GeometryPolygon, RecordId } from 'surrealdb';

    export type Ages = {
      id: RecordId<'ages'>;
      total: number;
    };

    export type Bought = {
      id: RecordId<'bought'>;
      in: RecordId<'person'>;
      out: RecordId<'order_line' | 'person'>;
      at: DateTime;
    };

    export type OrderLine = {
      id: RecordId<'order_line', [number, string]>;
      item: {
        name: string;
        size?: number | undefined;
      };
      price: Decimal;
      [field: string]: unknown;
    };

    /** Who buys; *\\/ and who sells */
    export type Person = {
      id: RecordId<'person'>;
      address: {
        city: string;
        place: GeometryPoint | GeometryPolygon;
      };
      age: number;
      balance: number | Decimal;
      born?: DateTime | undefined;
      extra: Record<string, unknown>;
      friends: Array<RecordId<'person'>>;
      /** As on the card */
      name: string;
      nick?: string | undefined;
      parent?: {
        one?: unknown;
      } | undefined;
      phones?: Array<{
        number: string;
        times: Array<[number, number]>;
      }> | undefined;
      role: 'buyer' | 'seller' | 5 | null;
      tags: Set<string>;
    };

    /** A new record of bought. */
    export type CreateBoughtInput = {
      id?: RecordId<'bought'> | undefined;
      in: RecordId<'person'>;
      out: RecordId<'order_line' | 'person'>;
      at?: DateTime | undefined;
    };

    /** Changes of a record of bought. */
    export type UpdateBoughtInput = {
      at?: DateTime | undefined;
    };

    /** A new record of order_line. */
    export type CreateOrderLineInput = {
      id?: RecordId<'order_line', [number, string]> | undefined;
      item: {
        name: string;
        size?: number | undefined;
      };
      price: Decimal;
      [field: string]: unknown;
    };

    /** Changes of a record of order_line. */
    export type UpdateOrderLineInput = {
      item?: {
        name: string;
        size?: number | undefined;
      } | undefined;
      price?: Decimal | undefined;
      [field: string]: unknown;
    };

    /** A new record of person. */
    export type CreatePersonInput = {
      id?: RecordId<'person'> | undefined;
      address: {
        city: string;
        place: GeometryPoint | GeometryPolygon;
      };
      balance: number | Decimal;
      born?: DateTime | undefined;
      extra: Record<string, unknown>;
      friends: Array<RecordId<'person'>>;
      /** As on the card */
      name: string;
      nick?: string | undefined;
      parent?: {
        one?: unknown;
      } | undefined;
      phones?: Array<{
        number: string;
        times: Array<[number, number]>;
      }> | undefined;
      role: 'buyer' | 'seller' | 5 | null;
      tags: Set<string>;
    };

    /** Changes of a record of person. */
    export type UpdatePersonInput = {
      address?: {
        city?: string | undefined;
        place?: GeometryPoint | GeometryPolygon | undefined;
      } | undefined;
      balance?: number | Decimal | undefined;
      born?: DateTime | undefined;
      extra?: Record<string, unknown> | undefined;
      friends?: Array<RecordId<'person'>> | undefined;
      /** As on the card */
      name?: string | undefined;
      nick?: string | undefined;
      parent?: {
        one?: unknown;
      } | undefined;
      phones?: Array<{
        number: string;
        times: Array<[number, number]>;
      }> | undefined;
      role?: 'buyer' | 'seller' | 5 | null | undefined;
      tags?: Set<string> | undefined;
    };

    /** The records of each table. */
    export type Tables = {
      ages: Ages;
      bought: Bought;
      order_line: OrderLine;
      person: Person;
    };

    /** What new records of each table may have, and what changes of its records may. */
    export type Inputs = {
      bought: { create: CreateBoughtInput; update: UpdateBoughtInput };
      order_line: { create: CreateOrderLineInput; update: UpdateOrderLineInput };
      person: { create: CreatePersonInput; update: UpdatePersonInput };
    };

    /** What each function takes and gives: \`ReturnType<Functions[…]>\` is the type for \`db.run\`. */
    export type Functions = {
      'fn::greet': (name: string, times?: number | undefined) => string;
      'fn::shop::total': (parameter1: number | undefined, lines: Array<RecordId<'order_line'>>) => unknown;
    };

    /** What each param is. */
    export type Params = {
      limits: {
        most: number;
        names: Array<string | number>;
        within: Duration;
      };
    };
    "
  `);
  types.compile(
    text,
    `
      import { Decimal, RecordId, type Surreal, Table } from 'surrealdb';
      import type { Bought, Functions, OrderLine, Params, Person, Tables } from './types.js';
      export async function use(db: Surreal): Promise<void> {
        const person = await db.select<Person>(new RecordId('person', 1));
        const name: string | undefined = person?.name;
        const nick: string | undefined = person?.nick;
        const cities: string[] = (await db.select<Person>(new Table('person'))).map(({ address }) => address.city);
        const [[first]] = await db.query<[Bought[]]>('SELECT * FROM bought');
        const buyer: RecordId<'person'> | undefined = first?.in;
        const greeting: ReturnType<Functions['fn::greet']> = await db.run<string>('fn::greet', ['Ann'] satisfies Parameters<Functions['fn::greet']>);
        const most: number = (undefined as unknown as Params['limits']).most;
        const line = await db.create<OrderLine>(new RecordId('order_line', [1, 'a'])).content({ item: { name: 'x' }, price: new Decimal('1.5'), more: 1 });
        const key: [number, string] = line.id.id;
        const same: Tables['order_line'] = line;
        void [name, nick, cities, buyer, greeting, most, key, same];
      }
    `,
  );
  const declared = "import type { Person } from './types.js'; declare const person: Person;";
  expect(() => types.compile(text, `${declared} person.role = 'thief';`)).toThrow(`'"thief"' is not assignable`);
  expect(() => types.compile(text, `${declared} void person.unknown;`)).toThrow("Property 'unknown' does not exist");
});

it('writes what new records and changes take: no computed values, no need of defaults, nothing READONLY twice', async () => {
  const text = await types.of(
    'inputs',
    `DEFINE TABLE user SCHEMAFULL;
      DEFINE FIELD name ON user TYPE string;
      DEFINE FIELD slug ON user TYPE string VALUE string::slug(name);
      DEFINE FIELD made ON user TYPE datetime DEFAULT time::now() READONLY;
      DEFINE FIELD key ON user TYPE string READONLY;
      DEFINE FIELD loud ON user COMPUTED string::uppercase(name);
      DEFINE FIELD mail ON user TYPE object; DEFINE FIELD mail.at ON user TYPE string;
      DEFINE FIELD mail.sure ON user TYPE bool DEFAULT false;
      DEFINE FIELD keys ON user TYPE array<object> DEFAULT []; DEFINE FIELD keys.*.id ON user TYPE string;
      DEFINE TABLE many AS SELECT count() FROM user GROUP ALL;`,
  );
  const program = (type: string, given: string) =>
    types.compile(text, `import type { ${type} } from './types.js'; const made: ${type} = ${given}; void made;`);
  const creation = (more: string) => program('CreateUserInput', `{ name: 'Ann', key: 'k', mail: { at: 'x' }${more} }`);
  const change = (given: string) => program('UpdateUserInput', given);
  creation('');
  creation(", slug: 's', made: undefined, keys: [{ id: 'a' }]");
  expect(() => creation(", loud: 'ANN'")).toThrow("'loud' does not exist");
  expect(() => creation(', keys: [{}]')).toThrow("Property 'id' is missing");
  change("{ name: 'Bo', mail: { sure: true }, keys: [{ id: 'a' }] }");
  change('{}');
  expect(() => change("{ key: 'k' }")).toThrow("'key' does not exist");
  expect(() => change("{ loud: 'x' }")).toThrow("'loud' does not exist");
  expect(() => change('{ keys: [{}] }')).toThrow("Property 'id' is missing");
  expect(text).toContain('user: { create: CreateUserInput; update: UpdateUserInput };');
  expect(text).not.toContain('CreateManyInput');
});

it('makes the folder of the file, and writes no table of Tessera itself', async () => {
  await types.define('own', 'DEFINE TABLE person; DEFINE TABLE tessera_migration');
  const out = join(types.folder, 'src', 'made', 'database.ts');
  await runTypes({ ...types.optionsFor('own'), out }, new PassThrough());
  const text = readFileSync(out, 'utf8');
  expect(text).toContain('export type Person = ');
  expect(text).not.toMatch(/tessera_?migration/i);
});

const NAMES = [
  'class',
  'string',
  'Date',
  'Record',
  'RecordId',
  'table',
  'Tables',
  'tables',
  'constructor',
  '__proto__',
  '1st',
  '漢字',
  '😀',
  'a-b',
  'a_b',
  'a b',
  'aB',
  "it's",
  'quo"te',
  'back\\\\slash',
  'line\\nbreak',
  '*/ export const x = 1; /*',
  '${x}',
  '-',
  '\\u{2028}',
];

it('stays TypeScript whatever things are called', async () => {
  const quotedName = (name: string) => `\`${name}\``;
  const comment = '"*/ }; \\n line \\u{2028} two"';
  const text = await types.of(
    'hostile',
    NAMES.map(
      (name) => `
        DEFINE TABLE ${quotedName(name)} SCHEMAFULL COMMENT ${comment};
        DEFINE FIELD ${quotedName(name)} ON ${quotedName(name)} TYPE option<record<${quotedName(name)}>> COMMENT ${comment};
        DEFINE FIELD x.${quotedName(name)}.y ON ${quotedName(name)} TYPE '*/' | "it's" | "back\\\\" | "\\n";
        DEFINE PARAM $${quotedName(name)} VALUE { ${JSON.stringify(name)}: ${JSON.stringify(name)} };
      `,
    ).join(''),
  );
  types.compile(
    text,
    `
      import type { RecordId } from 'surrealdb';
      import type { Params, Tables } from './types.js';
      const id: RecordId<'class'> | undefined = (undefined as unknown as Tables)['class'].class;
      const text: string = (undefined as unknown as Params)['class'].class;
      const names: keyof Tables = '*/ export const x = 1; /*';
      void [id, text, names];
    `,
  );
  expect(text.match(/^export type /gm)).toHaveLength(3 * NAMES.length + 4);
});

it('writes no control characters, which a terminal would obey', async () => {
  const hostile = String.raw`\u{1b}]0;title\u{7}\u{9b}31m\u{7f}\u{0}\r\t end`;
  const text = await types.of(
    'controls',
    `DEFINE TABLE t SCHEMAFULL COMMENT "${hostile}";
     DEFINE FIELD n ON t TYPE "${hostile}" | int COMMENT "${hostile}";
     DEFINE FIELD \`a${hostile.replaceAll(String.raw`\u{0}`, '')}\` ON t TYPE int;
     DEFINE PARAM $p VALUE "${hostile}" COMMENT "${hostile}"`,
  );
  expect(text).toContain('title');
  expect(text.match(/[^\P{Cc}\n\t]/gu)).toBeNull();
  types.compile(text);
});

it('writes the names of parameters that cannot be names', async () => {
  const text = await types.of(
    'parameters',
    'DEFINE FUNCTION fn::f($this: int, $new: int, $`a b`: int, $`this`: any) -> none | int { RETURN 1 }; DEFINE FUNCTION fn::`x-y`::g() { RETURN 1 }',
  );
  types.compile(text);
});

it('writes to a file, of an empty database, and says what is wrong', async () => {
  const out = join(types.folder, 'empty.ts');
  expect(await types.of('empty', '', { out })).toBe('');
  types.compile(readFileSync(out, 'utf8'));
  await expect(types.of('refused', '', { pass: 'wrong' })).rejects.toThrow('authentication');
});

it('writes the classes of Tessera in process, as values have them there', async () => {
  const text = await types.of('embedded', SHOP, { for: 'embedded' });
  expect(text).toContain("in: RecordId & { readonly table: 'person' };");
  types.compile(
    text.replace("from 'tesseradb'", `from '${resolve('dist/embedded/index.js')}'`),
    `
      import { Float, Geometry, RecordId, Tessera } from '${resolve('dist/embedded/index.js')}';
      import type { Bought, OrderLine, Params, Person, Tables } from './types.js';
      export async function use(db: Tessera): Promise<void> {
        const [[person], [bought]] = await db.query<[Person[], Bought[]]>('SELECT * FROM person; SELECT * FROM bought');
        const friends: RecordId[] = person?.friends ?? [];
        const table: 'order_line' | 'person' | undefined = bought?.out.table;
        const place: Geometry | undefined = person?.address.place;
        const tags: readonly string[] | undefined = person?.tags.items;
        const balance = person?.balance instanceof Float ? person.balance.number : person?.balance;
        const key: [number, string] | undefined = (undefined as OrderLine | undefined)?.id.key;
        const most: number = (undefined as unknown as Params['limits']).most;
        for await (const { result } of await db.subscribe<Tables['person']>('LIVE SELECT * FROM person')) void result.name;
        void [friends, table, place, tags, balance, key, most];
      }
    `,
  );
});

it('writes again when a definition changes, and when the server is back', async () => {
  const out = join(types.folder, 'watched.ts');
  const errors = new PassThrough();
  const stop = new AbortController();
  await types.define('watched', 'DEFINE TABLE one');
  const watching = watchTypes({ ...types.optionsFor('watched'), out }, { errors, interval: 10, signal: stop.signal });
  await expect.poll(() => existsSync(out) && readFileSync(out, 'utf8')).toContain('type One');
  await types.define('watched', 'DEFINE TABLE two; DEFINE FIELD x ON two TYPE int');
  await expect.poll(() => readFileSync(out, 'utf8')).toContain('x: number');
  await types.define('watched', 'REMOVE TABLE one');
  await expect.poll(() => readFileSync(out, 'utf8')).not.toContain('One');
  stop.abort();
  await watching;
  expect(String(errors.read()).match(/written/g)).toHaveLength(3);
  await expect(watchTypes(types.optionsFor('watched'), { errors, interval: 10 })).rejects.toThrow(
    '--watch needs --out',
  );
  await expect(
    watchTypes({ ...types.optionsFor('watched'), out, pass: 'wrong' }, { errors, interval: 10 }),
  ).rejects.toThrow('authentication');
});

it('goes on watching when the server was away', async () => {
  const out = join(types.folder, 'away.ts');
  const errors = new PassThrough();
  const stop = new AbortController();
  const path = join(types.folder, 'store');
  const bind = await freeAddress();
  const environment = { SVC_PATH: path, SVC_BIND: bind };
  let away = await startTestServer(environment);
  const options = { ...types.optionsFor('away'), endpoint: away.url, out };
  const watching = watchTypes(options, { errors, interval: 10, signal: stop.signal });
  await expect.poll(() => existsSync(out)).toBe(true);
  await away.close();
  await expect.poll(() => String(errors.read() ?? '')).toContain('No server answers');
  away = await startTestServer(environment);
  const client = await connect(away.url);
  await client.call('signin', objectFrom({ user: ROOT.username, pass: ROOT.password }));
  await client.call('use', 'test', 'away');
  await client.call('query', 'DEFINE TABLE back');
  client.close();
  await expect.poll(() => readFileSync(out, 'utf8')).toContain('type Back');
  stop.abort();
  await watching;
  await away.close();
});

async function freeAddress(): Promise<string> {
  const listener = createServer();
  await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening));
  const { port } = listener.address() as AddressInfo;
  await new Promise((closed) => listener.close(closed));
  return `127.0.0.1:${port}`;
}
