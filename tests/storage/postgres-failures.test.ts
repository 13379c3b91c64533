import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { TesseraError } from '../../src/errors/error.js';
import type { Entry, Key } from '../../src/storage/contract.js';
import { readPostgresAddress } from '../../src/storage/postgres/address.js';
import { PostgresConnection } from '../../src/storage/postgres/connection.js';
import { openPostgres } from '../../src/storage/postgres/open.js';
import type { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { CuttingProxy, type Moment } from '../support/cutting-proxy.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { atLeast } from '../support/timeouts.js';

const { timers } = realEnvironment;
/** Waits for no time. */
const impatient = { ...timers, wait: () => timers.nextRound() };
const AREA = 'D\0\0\0\x01';

describe.skipIf(postgresPrograms() === undefined)('With a PostgreSQL server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    // What is acknowledged has to outlive the server.
    server = await PostgresServer.start({ settings: { synchronous_commit: 'on' } });
  });
  afterAll(() => server.remove());

  async function run(script: string): Promise<void> {
    const connection = await PostgresConnection.open(readPostgresAddress(server.address('public')), {
      onLost: () => undefined,
    });
    await connection.run(script);
    await connection.close();
  }

  describe('whose connection is cut', () => {
    let proxy: CuttingProxy;
    beforeAll(async () => {
      proxy = await CuttingProxy.start(server.port, 'commit_group');
    });
    afterAll(() => proxy.close());

    test.each<[Moment, outcomes: readonly string[]]>([
      ['before', ['storage_unavailable']],
      ['during', ['storage_unavailable', 'committed']],
      ['after', ['committed']],
    ])('%s a commit, the log says what became of it', async (moment, outcomes) => {
      const engine = await openPostgres(server.address(`cut_${moment}`).replace(`${server.port}`, `${proxy.port}`));
      const committed: string[] = [];
      for (let round = 0; round < 10; round++) {
        const before = proxy.cuts;
        proxy.cutNext(moment);
        const outcome = await write(engine, `${round}`);
        expect(proxy.cuts).toBe(before + 1);
        expect(outcomes).toContain(outcome);
        if (outcome === 'committed') committed.push(`${round}`);
        expect(await write(engine, `${round} again`)).toBe('committed');
        committed.push(`${round} again`);
      }
      const stored = await entriesOf(engine);
      expect(stored.filter(([key]) => key.startsWith(`${AREA}k`)).map(([, value]) => value)).toEqual(committed);
      // In the order of commits, each once.
      expect(stored.filter(([key]) => key.startsWith(`${AREA}L`)).map(([, value]) => value)).toEqual(committed);
      await engine.close();
    });

    test('without a sign, the log says what became of a commit once it has waited for long enough', async () => {
      const address = server.address('half_open').replace(`${server.port}`, `${proxy.port}`);
      const engine = await openPostgres(`${address}&commit_timeout=1`);
      proxy.cutNext('silent');
      expect(await write(engine, 'first')).toBe('storage_unavailable');
      expect(await write(engine, 'second')).toBe('committed');
      const logged = (await entriesOf(engine)).filter(([key]) => key.startsWith(`${AREA}L`));
      expect(logged.map(([, value]) => value)).toEqual(['second']);
      await engine.close();
    });

    test('and stays cut after a commit, its outcome is said to be unknown', async () => {
      const address = server.address('cut_for_long').replace(`${server.port}`, `${proxy.port}`);
      const engine = await openPostgres(address, { timers: impatient });
      expect(await write(engine, 'first')).toBe('committed');
      proxy.cutNext('after', true);
      expect(await write(engine, 'second')).toBe('commit_outcome_unknown');
      expect(await write(engine, 'third')).toBe('storage_unavailable');
      proxy.accept();
      expect(await write(engine, 'fourth')).toBe('committed');
      const logged = (await entriesOf(engine)).filter(([key]) => key.startsWith(`${AREA}L`));
      expect(logged.map(([, value]) => value)).toEqual(['first', 'second', 'fourth']);
      await engine.close();
    });
  });

  test('that refuses connections fails every request for one', async () => {
    const proxy = await CuttingProxy.start(server.port, 'commit_group');
    const address = server.address('refusing').replace(`${server.port}`, `${proxy.port}`);
    const engine = await openPostgres(`${address}&connections=2`);
    proxy.refuse();
    const codes = await Promise.all(Array.from({ length: 8 }, (_, name) => write(engine, `${name}`)));
    expect(new Set(codes)).toEqual(new Set(['storage_unavailable']));
    proxy.accept();
    expect(await write(engine, 'later')).toBe('committed');
    await engine.close();
    await proxy.close();
  });

  test('that is killed under load and started again, nothing acknowledged is lost', {
    timeout: atLeast(60_000),
  }, async () => {
    const engine = await openPostgres(server.address('killed'));
    const outcomes = new Map<string, string>();
    let acknowledged = 0;
    let restarted: Promise<void> | undefined;
    const client = async (name: number) => {
      for (let number = 0; acknowledged < 200; number++) {
        const value = `${name}.${number}`;
        const outcome = await write(engine, value);
        outcomes.set(value, outcome);
        if (outcome === 'committed') acknowledged++;
        else await timers.nextRound();
        if (acknowledged === 100) restarted ??= server.kill().then(() => server.run());
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(client));
    await restarted;
    expect(new Set(outcomes.values()).size).toBeGreaterThan(1);
    const logged = (await entriesOf(engine))
      .filter(([key]) => key.startsWith(`${AREA}L`))
      .map(([, value]) => `${value}`);
    expect(new Set(logged).size).toBe(logged.length);
    for (const [value, outcome] of outcomes) {
      if (outcome !== 'commit_outcome_unknown')
        expect([value, logged.includes(value)]).toEqual([value, outcome === 'committed']);
    }
    await engine.close();
  });

  test('whose disk is full, a write says so, and reading goes on', async () => {
    const engine = await openPostgres(server.address('full'));
    expect(await write(engine, 'first')).toBe('committed');
    // What the server answers where a file can't grow.
    await run(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END$$;
      CREATE TRIGGER full_disk BEFORE INSERT ON "full".entry EXECUTE FUNCTION full_disk()`);
    expect(await write(engine, 'second')).toBe('storage_full');
    expect((await entriesOf(engine)).map(([, value]) => value)).toEqual(['first', 'first']);
    await run('DROP TRIGGER full_disk ON "full".entry');
    expect(await write(engine, 'third')).toBe('committed');
    await engine.close();
  });

  test('that takes away a permission, requests say so', async () => {
    await (await openPostgres(server.address('taken'))).close();
    await run(
      `CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA taken TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA taken TO reader`,
    );
    const engine = await openPostgres(server.address('taken').replace('postgres@', 'reader@'));
    expect(await entriesOf(engine)).toEqual([]);
    expect(await write(engine, 'first')).toBe('storage_denied');
    await engine.close();
  });

  test('with fewer connections than are wanted, requests wait for each other', async () => {
    const small = await PostgresServer.start({
      settings: { max_connections: '9', superuser_reserved_connections: '0' },
    });
    const engine = await openPostgres(small.address('few'));
    const codes = await Promise.all(Array.from({ length: 32 }, (_, name) => write(engine, `${name}`)));
    expect(new Set(codes)).toEqual(new Set(['committed']));
    await engine.close();
    await small.remove();
  });

  test('with no connection left, requests wait until there is one', async () => {
    const small = await PostgresServer.start({
      settings: { max_connections: '4', superuser_reserved_connections: '0' },
    });
    const others = await Promise.all(
      Array.from({ length: 3 }, () =>
        PostgresConnection.open(readPostgresAddress(small.address('none')), { onLost: () => undefined }),
      ),
    );
    let freed = 0;
    const free = async () => {
      await others[freed++]?.close();
    };
    const engine = openPostgres(small.address('none'), {
      timers: { ...timers, wait: (milliseconds) => free().then(() => timers.wait(milliseconds)) },
    });
    expect(await write(await engine, 'first')).toBe('committed');
    expect(freed).toBeGreaterThan(0);
    await (await engine).close();
    await Promise.all(others.slice(freed).map((other) => other.close()));
    await small.remove();
  });

  describe('that refuses to be used', () => {
    beforeAll(async () => {
      const client = new pg.Client({ host: '127.0.0.1', port: server.port, user: 'postgres', database: 'postgres' });
      await client.connect();
      await client.query(`CREATE ROLE app LOGIN PASSWORD 'right'`);
      writeFileSync(
        join(server.folder, 'data', 'pg_hba.conf'),
        'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
      );
      await client.query('SELECT pg_reload_conf()');
      await client.end();
    });

    test.each<[what: string, address: (port: number) => string, code: string, text: RegExp]>([
      ['the port', () => 'postgres://app:secret@127.0.0.1:1/postgres', 'storage_unavailable', /ECONNREFUSED/],
      [
        'the password',
        (port) => `postgres://app:secret@127.0.0.1:${port}/postgres`,
        'storage_denied',
        /password authentication failed for user "app"/,
      ],
      [
        'the database',
        (port) => `postgres://postgres:secret@127.0.0.1:${port}/nowhere`,
        'storage_denied',
        /database "nowhere" does not exist/,
      ],
      [
        'a role that may create nothing',
        (port) => `postgres://app:right@127.0.0.1:${port}/postgres?schema=theirs`,
        'storage_denied',
        /permission denied for database postgres/,
      ],
      [
        'a parameter',
        (port) => `postgres://app:se/cr@et@127.0.0.1:${port}/postgres?x=1`,
        'storage_address',
        /app:…@127/,
      ],
      ['a password elsewhere', () => 'postgres://127.0.0.1/postgres?password=secret', 'storage_address', /password=…/],
    ])('because of %s, an error says so without the password', async (_, address, code, text) => {
      const error = await openPostgres(address(server.port)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TesseraError);
      expect((error as TesseraError).code).toBe(code);
      expect((error as TesseraError).message).toMatch(text);
      expect((error as TesseraError).message).not.toMatch(/secret|se\/cr|right/);
    });
  });
});

/** Puts a value under a key of its own, and appends it to a log. @returns `committed`, or the code of the error */
async function write(engine: RemoteEngine, value: string): Promise<string> {
  try {
    const transaction = engine.begin({ writable: true });
    await transaction.get(`${AREA}k${value}`);
    transaction.put(`${AREA}k${value}`, value);
    transaction.append(`${AREA}L`, value);
    await transaction.commit();
    return 'committed';
  } catch (error) {
    return (error as TesseraError).code;
  }
}

async function entriesOf(engine: RemoteEngine): Promise<Entry[]> {
  const found: Entry[] = [];
  const transaction = engine.begin({ writable: false });
  const cursor = transaction.scan({ from: AREA as Key, to: `${AREA}~` });
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) found.push(...batch);
  transaction.cancel();
  return found;
}
