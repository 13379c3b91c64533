import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Transaction } from '../../src/storage/contract.js';
import { readPostgresAddress } from '../../src/storage/postgres/address.js';
import { PostgresConnection } from '../../src/storage/postgres/connection.js';
import { POSTGRES, type SqlDialect } from '../../src/storage/postgres/dialect.js';
import { openPostgres } from '../../src/storage/postgres/open.js';
import type { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { yugabyteOnPostgres } from '../support/dialects.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';

const ONE = 'D\0\0\0\x01';
const TWO = 'D\0\0\0\x02';
const ALL_DATABASES = { from: 'D', to: 'E' };

const DIALECTS: readonly (readonly [name: string, dialect: SqlDialect])[] = [
  ['PostgreSQL', POSTGRES],
  ['YugabyteDB', yugabyteOnPostgres],
];

describe.skipIf(postgresPrograms() === undefined).each(DIALECTS)(
  'In the dialect of %s, commits under heads',
  (_, dialect) => {
    let server: PostgresServer;
    let stores = 0;
    let nodes: readonly RemoteEngine[] = [];
    beforeAll(async () => {
      server = await PostgresServer.start();
    });
    beforeEach(async () => {
      const address = server.address(`heads_${++stores}`);
      nodes = [await openPostgres(address, { dialect }), await openPostgres(address, { dialect })];
      return async () => {
        for (const node of nodes) await node.close();
      };
    });
    afterAll(() => server.remove());

    const begin = (node: number) => nodes[node]!.begin({ writable: true });
    const outcomeOf = (transaction: Transaction) =>
      Promise.resolve(transaction.commit()).then(
        () => 'committed',
        ({ code }) => code,
      );

    test('conflict with the first commit of a database', async () => {
      const transactions = [begin(0), begin(1)];
      for (const transaction of transactions) {
        expect(await transaction.get(`${ONE}x`)).toBeUndefined();
        transaction.put(`${ONE}x`, 1);
      }
      expect([await outcomeOf(transactions[0]!), await outcomeOf(transactions[1]!)]).toEqual([
        'committed',
        'transaction_conflict',
      ]);
    });

    test('conflict with the first commit of a database for those who have read all databases, alone or beside others', async () => {
      const readers = [begin(0), begin(0)];
      for (const [at, reader] of readers.entries()) {
        expect(await reader.count(ALL_DATABASES)).toBe(0);
        reader.put(`reader ${at}`, 1);
      }
      const writer = begin(1);
      writer.put(`${ONE}x`, 1);
      expect(await outcomeOf(writer)).toBe('committed');
      // Of a group, only one has seen that commit.
      const later = begin(0);
      expect(await later.count(ALL_DATABASES)).toBe(1);
      later.put('later', 1);
      const outcomes = await Promise.all([...readers, later].map(outcomeOf));
      expect(outcomes.slice(0, 2)).toEqual(['transaction_conflict', 'transaction_conflict']);
      expect(outcomes[2]).toBe('committed');
    });

    test('go on in a database that began with one who had read all of them', async () => {
      const first = begin(0);
      await first.count(ALL_DATABASES);
      for (const database of [ONE, TWO]) first.put(`${database}x`, 0);
      expect(await outcomeOf(first)).toBe('committed');
      const transactions = [begin(0), begin(1)];
      for (const transaction of transactions) {
        expect(await transaction.get(`${TWO}x`)).toBe(0);
        transaction.put(`${TWO}x`, 1);
      }
      expect([await outcomeOf(transactions[0]!), await outcomeOf(transactions[1]!)]).toEqual([
        'committed',
        'transaction_conflict',
      ]);
    });

    test('do not conflict with other databases, however much they have read', async () => {
      const other = begin(1);
      other.put(`${ONE}x`, 1);
      expect(await outcomeOf(other)).toBe('committed');
      const large = begin(0);
      await large.getMany(['A', ...Array.from({ length: 10_000 }, (_, key) => `${TWO}${key}`)]);
      large.put(`${TWO}x`, 1);
      expect(await outcomeOf(large)).toBe('committed');
    });

    test('of databases whose heads are free do not wait for one whose head is locked', async () => {
      const areas = [1, 2, 3, 4, 5, 6].map((id) => `D\0\0\0${String.fromCharCode(id)}`);
      const commit = async (area: string, value: number): Promise<string> => {
        const transaction = begin(0);
        await transaction.get('root');
        transaction.put(`${area}x`, value);
        return outcomeOf(transaction);
      };
      // The first commit of a database waits: its head isn't there yet.
      expect(await Promise.all(areas.map((area) => commit(area, 0)))).toEqual(areas.map(() => 'committed'));
      const settings = readPostgresAddress(server.address(`heads_${stores}`));
      const other = await PostgresConnection.open(settings, { onLost: () => undefined });
      await other.run(`SET search_path TO heads_${stores}; BEGIN; SELECT 1 FROM head WHERE id IN (1, 4) FOR UPDATE`);
      const ended = new Set<string>();
      const underWay = areas.map((area, at) => commit(area, 1).then((outcome) => ended.add(`${at + 1} ${outcome}`)));
      await expect.poll(() => ended.size, { timeout: 20_000 }).toBe(4);
      for (let value = 2; value < 10; value++) {
        const free = [1, 2, 4, 5].map((at) => commit(areas[at]!, value));
        expect(await Promise.all(free)).toEqual(free.map(() => 'committed'));
      }
      expect([...ended].sort()).toEqual([2, 3, 5, 6].map((head) => `${head} committed`));
      await other.run('COMMIT');
      await Promise.all(underWay);
      expect(ended.has('1 committed') && ended.has('4 committed')).toBe(true);
      await other.close();
      const reader = nodes[1]!.begin({ writable: false });
      expect(await reader.getMany(areas.map((area) => `${area}x`))).toEqual([1, 9, 9, 1, 9, 9]);
      reader.cancel();
    });
  },
);
