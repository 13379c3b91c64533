/** The official client with the engine in process. What it does as over the network is tested in `tests/protocol`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import {
  BoundExcluded,
  BoundIncluded,
  DateTime,
  Decimal,
  Duration,
  FileRef,
  GeometryCollection,
  GeometryLine,
  GeometryPoint,
  GeometryPolygon,
  NotAllowedError,
  NotFoundError,
  Range,
  RecordId,
  RecordIdRange,
  StringRecordId,
  Surreal,
  Table,
  ThrownError,
  Uuid,
} from 'surrealdb';
import { afterEach, describe, expect, it } from 'vitest';
import { storeAddress } from '../../src/embedded/client/engine.js';
import { createTesseraEngines } from '../../src/embedded/engines.js';
import { Tessera } from '../../src/embedded/index.js';
import { openEngine } from '../../src/storage/open/open.js';

const engines = createTesseraEngines();
const opened: Surreal[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const db of opened.splice(0)) await db.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function connect(url = 'mem://', options?: ConstructorParameters<typeof Surreal>[0]): Promise<Surreal> {
  const db = new Surreal({ engines, ...options });
  opened.push(db);
  await db.connect(url, { namespace: 'test', database: 'test' });
  return db;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-'));
  folders.push(folder);
  return folder;
}

describe('addresses', () => {
  it.each([
    ['mem://', 'memory'],
    ['tessera://./data', `lmdb:${resolve('data')}`],
    ['tessera://data/Deep', `lmdb:${resolve('data/Deep')}`],
    ['tessera:../data', `lmdb:${resolve('../data')}`],
    ['surrealkv:///var/a%20b', 'lmdb:/var/a b'],
    ['surrealkv+versioned://./data?versioned=true', `lmdb:${resolve('data')}`],
    ['rocksdb:data', `lmdb:${resolve('data')}`],
    ['file:///var/data', 'lmdb:/var/data'],
  ])('%s is %s', (url, address) => {
    expect(storeAddress(new URL(url))).toBe(address);
  });

  it.each(['tessera://', 'tessera:', 'rocksdb:///%ff'])('%s is none', (url) => {
    expect(() => storeAddress(new URL(url))).toThrow('names no store');
  });
});

describe('stores', () => {
  it('keep what was written, and are shared by all connections of the process', async () => {
    const folder = newFolder();
    const [one, two] = await Promise.all([connect(`tessera://${folder}`), connect(`surrealkv://${folder}`)]);
    await one.create(new RecordId('a', 1)).content({ x: 1 });
    expect(await two.select(new RecordId('a', 1))).toMatchObject({ x: 1 });
    await one.close();
    expect(await two.select(new Table('a'))).toHaveLength(1);
    const closing = two.close();
    const three = await connect(`rocksdb://${folder}`);
    await closing;
    expect(await three.select(new Table('a'))).toHaveLength(1);
  });

  it('are shared with the other interface, whichever comes first', async () => {
    const folder = newFolder();
    const own = await Tessera.open(folder);
    await own.use('test', 'test');
    const client = await connect(`tessera://${folder}`);
    await own.query('CREATE a:1');
    expect(await client.select(new Table('a'))).toHaveLength(1);
    await own.close();
    await own.close();
    await client.create(new RecordId('a', 2));
    const again = await Tessera.open(`file:${relative('.', folder)}`);
    await again.use('test', 'test');
    await client.close();
    expect(await again.query('SELECT VALUE id FROM a')).toMatchObject([{ length: 2 }]);
    await again.close();
    // The last has closed it.
    const engine = await openEngine(folder);
    await engine.close();
  });

  it('are not shared with another process', async () => {
    const folder = newFolder();
    const other = await openEngine(folder);
    await expect(Tessera.open(folder)).rejects.toMatchObject({ code: 'storage_in_use' });
    const db = new Surreal({ engines });
    await expect(db.connect(`tessera://${folder}`)).rejects.toThrow('in use by another process');
    await other.close();
    await (await Tessera.open(folder)).close();
  });

  it('in memory are each their own', async () => {
    const [one, two] = [await connect(), await connect()];
    await one.query('CREATE a');
    await two.query('DEFINE TABLE a');
    expect(await two.select(new Table('a'))).toEqual([]);
  });

  it('that cannot be opened fail the connection', async () => {
    const db = new Surreal({ engines });
    await expect(db.connect('tessera:///dev/null/x')).rejects.toThrow();
    expect(db.status).toBe('disconnected');
    await expect(db.connect('tessera://')).rejects.toThrow('names no store');
    await db.connect('mem://');
    expect(db.status).toBe('connected');
    await db.close();
    await expect(db.query('RETURN 1')).rejects.toThrow('connected');
  });
});

describe('values', () => {
  const values = {
    none: undefined,
    null: null,
    texts: ['', 'ÿ 漢 😀'],
    numbers: [0, -1, 2 ** 53 - 1, 1.5, Number.POSITIVE_INFINITY, Number.NaN, 9007199254740993n, -(2n ** 63n)],
    decimal: new Decimal('1.10'),
    times: [new DateTime('2024-02-29T12:34:56.123456789Z'), new DateTime([-5n, 7n])],
    spans: [new Duration('1h30m'), new Duration([2n ** 64n - 1n, 999_999_999n])],
    uuid: new Uuid('018f4e3a-7c1b-7def-8123-456789abcdef'),
    records: [
      new RecordId('a', ['x', 1, new Uuid('018f4e3a-7c1b-7def-8123-456789abcdef')]),
      new RecordId('a', { b: new DateTime([1n, 2n]) }),
      new RecordId('a', 9007199254740993n),
      new RecordIdRange('a', new BoundIncluded(1), new BoundExcluded(5)),
    ],
    table: new Table('odd `name`'),
    ranges: [new Range(new BoundIncluded(1), new BoundExcluded('z')), new Range(undefined, undefined)],
    file: new FileRef('bucket', '/a/b.txt'),
    bytes: new Uint8Array([0, 1, 255]).buffer,
    set: new Set([1, 'a', [2]]),
    shapes: [
      new GeometryPoint([1, 2.5]),
      new GeometryCollection([
        new GeometryPolygon([
          new GeometryLine([
            new GeometryPoint([0, 0]),
            new GeometryPoint([1, 0]),
            new GeometryPoint([0, 1]),
            new GeometryPoint([0, 0]),
          ]),
        ]),
      ]),
    ],
  };

  // Options of the client's codecs make the engine use them.
  it.each([
    ['class by class', {}],
    ['through the codecs of the client', { codecOptions: {} }],
  ])('come back as they were, %s', async (_, options) => {
    const db = await connect('mem://', options);
    const [back] = await db.query<[typeof values]>('RETURN $values', { values });
    expect(back).toEqual(values);
    expect(Object.keys(back)).toEqual(Object.keys(back).sort());
  });

  it('are taken from what else there is in JavaScript', async () => {
    class Point {
      constructor(
        readonly x: number,
        readonly y: number,
      ) {}
    }
    const db = await connect();
    const given = {
      map: new Map([['a', 1]]),
      date: new Date(-1),
      text: new StringRecordId('a:`b c`'),
      words: new Uint16Array([258]),
      own: new Point(1, 2),
    };
    expect(await db.query('RETURN $given', { given })).toEqual([
      {
        map: { a: 1 },
        date: new DateTime([-1n, 999_000_000n]),
        text: new RecordId('a', 'b c'),
        words: new Uint8Array([2, 1]).buffer,
        own: { x: 1, y: 2 },
      },
    ]);
    const dates = await connect('mem://', { codecOptions: { useNativeDates: true } });
    expect(await dates.query('RETURN d"2024-02-29T00:00:00Z"')).toEqual([new Date('2024-02-29')]);
  });

  it('are refused where there is no such value', async () => {
    const db = await connect();
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level++) deep = [deep];
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    for (const value of [deep, cyclic, () => 1, Symbol('x'), 2n ** 64n, new Date(Number.NaN)]) {
      await expect(db.query('RETURN $value', { value })).rejects.toThrow();
    }
    await expect(db.query('RETURN |$x| $x')).rejects.toThrow();
    expect(await db.query('RETURN 1')).toEqual([1]);
  });

  it('are not shared with the store', async () => {
    const db = await connect();
    const bytes = new Uint8Array([1]);
    await db.query('CREATE a:1 SET list = [1], bytes = $bytes', { bytes });
    bytes[0] = 9;
    const [[row]] = await db.query<[[{ list: number[]; bytes: ArrayBuffer }]]>('SELECT * FROM a');
    row.list.push(2);
    new Uint8Array(row.bytes)[0] = 7;
    expect(await db.select(new RecordId('a', 1))).toMatchObject({ list: [1], bytes: new Uint8Array([1]).buffer });
  });

  it('named like what objects inherit are fields like any other', async () => {
    const db = await connect();
    const [row] = await db.query<[object]>('RETURN { "__proto__": { admin: true }, constructor: 1 }');
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
    expect(Object.keys(row)).toEqual(['__proto__', 'constructor']);
  });
});

describe('sessions', () => {
  const ACCESS = `
    DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth;
    DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE user SET name = $name) WITH REFRESH;
  `;
  const account = { namespace: 'test', database: 'test', access: 'account' };

  it('own everything until a user signs in, and nothing once that user has signed out', async () => {
    const db = await connect();
    await db.query(`${ACCESS} CREATE user:other`);
    const tokens = await db.signup({ ...account, variables: { name: 'Ann' } });
    expect(await db.select(new Table('user'))).toMatchObject([{ name: 'Ann' }]);
    const next = await db.authenticate(tokens);
    expect(next.access).not.toBe(tokens.access);
    await db.invalidate();
    await expect(db.select(new Table('user'))).rejects.toThrow(NotAllowedError);
    await db.authenticate(next.access);
    expect(await db.select(new Table('user'))).toHaveLength(1);
    await db.reset();
    await db.use({ namespace: 'test', database: 'test' });
    expect(await db.select(new Table('user'))).toHaveLength(2);
  });

  it('are forked with whom they belong to, where they are and what they know', async () => {
    const db = await connect();
    await db.query(ACCESS);
    await db.signup({ ...account, variables: { name: 'Ann' } });
    await db.set('x', 5);
    const fork = await db.forkSession();
    expect(await fork.query('RETURN [$x, $auth.name, session::db()]')).toEqual([[5, 'Ann', 'test']]);
    await fork.closeSession();
    expect(await db.sessions()).toEqual([]);
  });

  it('have transactions of their own', async () => {
    const db = await connect();
    await db.query('DEFINE TABLE a');
    const transaction = await db.beginTransaction();
    await transaction.create(new RecordId('a', 1));
    expect(await db.select(new Table('a'))).toEqual([]);
    await transaction.commit();
    expect(await db.select(new Table('a'))).toHaveLength(1);
    const other = await db.beginTransaction();
    await other.delete(new Table('a'));
    await other.cancel();
    expect(await db.select(new Table('a'))).toHaveLength(1);
  });

  it('run what they are asked in that order', async () => {
    const db = await connect(`tessera://${newFolder()}`);
    const answers = await Promise.all([
      db.query('CREATE a:1 SET n = 1'),
      db.query('UPDATE a:1 SET n += 1'),
      db.query('UPDATE a:1 SET n = n * 10'),
      db.query<[number]>('RETURN a:1.n'),
    ]);
    expect(answers[3]).toEqual([20]);
  });

  it('keep that order where others run in between', async () => {
    const db = await connect();
    await db.query('CREATE a:1 SET list = []');
    const asked = Array.from({ length: 2_000 }, (_, n) =>
      db.query('UPDATE a:1 SET list += $n RETURN NONE', { n }).then(() => n),
    );
    expect(await Promise.all(asked)).toHaveLength(2_000);
    expect(await db.query('RETURN a:1.list == array::range(0, 2000)')).toEqual([true]);
  });

  it('that are closed end what they were asked', async () => {
    const db = await connect();
    const asked = [db.query('RETURN sleep(1h)'), db.query('CREATE a:1'), db.query('RETURN 1')].map((one) =>
      one.then(
        () => 'answered',
        (error: unknown) => (error as Error).constructor.name,
      ),
    );
    await db.version();
    await db.close();
    expect(await Promise.all(asked)).toEqual(['CallTerminatedError', 'CallTerminatedError', 'CallTerminatedError']);
  });

  it('leave room for others while memory answers at once', async () => {
    const db = await connect();
    let rounds = 0;
    const count = () => {
      rounds++;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    let asked = 0;
    for (; rounds < 3 && asked < 200_000; asked++) await db.query('RETURN 1');
    clearImmediate(immediate);
    expect(rounds).toBeGreaterThanOrEqual(3);
  });
});

describe('live queries', () => {
  it('receive changes of all connections, in order', async () => {
    const folder = newFolder();
    const [db, other] = [await connect(`tessera://${folder}`), await connect(`tessera://${folder}`)];
    await db.query('DEFINE TABLE a');
    const live = await db.live(new Table('a'));
    const heard: unknown[] = [];
    const done = (async () => {
      for await (const message of live) {
        heard.push([message.action, 'value' in message && message.value]);
        if (message.action === 'DELETE') break;
      }
    })();
    await other.query('CREATE a:1 SET n = 1; UPDATE a:1 SET n = 2; DELETE a:1');
    await done;
    const id = new RecordId('a', 1);
    expect(heard).toEqual([
      ['CREATE', { id, n: 1 }],
      ['UPDATE', { id, n: 2 }],
      ['DELETE', { id, n: 2 }],
    ]);
  });

  it('end with the connection', async () => {
    const folder = newFolder();
    const [db, other] = [await connect(`tessera://${folder}`), await connect(`tessera://${folder}`)];
    await db.query('DEFINE TABLE a');
    const [id] = await db.query<[Uuid]>('LIVE SELECT * FROM a');
    const live = await db.liveOf(id);
    const rest = live[Symbol.asyncIterator]().next();
    await db.close();
    expect((await rest).done).toBe(true);
    expect(await other.query('RETURN (INFO FOR TABLE a).lives')).toEqual([{}]);
  });
});

it('has the errors of the client', async () => {
  const db = await connect();
  await expect(db.query('THROW "no"')).rejects.toThrow(ThrownError);
  await expect(db.query('SELECT * FROM missing')).rejects.toThrow(NotFoundError);
  await expect(db.query('SEL ECT')).rejects.toThrow('Parse error');
  expect(await db.health()).toBeUndefined();
  expect((await db.version()).version).toMatch(/^surrealdb-3\./);
});

it('serves a second copy of the client', async () => {
  const copy = createRequire(import.meta.url)('surrealdb') as typeof import('surrealdb');
  expect(copy.Surreal).not.toBe(Surreal);
  const db = new copy.Surreal({ engines });
  await db.connect('mem://', { namespace: 'test', database: 'test' });
  const id = new copy.RecordId('a', 1);
  await db.query('CREATE $id SET at = $at', { id, at: new copy.DateTime([1n, 2n]) });
  const session = await db.forkSession();
  expect(await session.query('SELECT * FROM a')).toEqual([[{ id: new RecordId('a', 1), at: new DateTime([1n, 2n]) }]]);
  await expect(session.query('THROW 1')).rejects.toThrow('An error occurred: 1');
  await db.close();
});

it('runs endpoints that are defined', async () => {
  const db = await connect();
  await db.query('DEFINE API "/hello" FOR get THEN { RETURN { status: 200, body: { hello: "world" } } }');
  expect(await db.api().get('/hello')).toMatchObject({ status: 200, body: { hello: 'world' } });
});
