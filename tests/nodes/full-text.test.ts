/** Full-text indexes that two nodes on PostgreSQL write, search and fold. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CatalogCache, loadDatabase } from '../../src/catalog/definitions/load.js';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import { indexPrefix } from '../../src/catalog/keys/store-keys.js';
import { checkEntries } from '../../src/ddl/check/check-entries.js';
import { Faults } from '../../src/ddl/check/fault.js';
import { pendingPrefix } from '../../src/search/segments/layout.js';
import type { Session } from '../../src/session/contract.js';
import type { Engine } from '../../src/storage/contract.js';
import { toText } from '../../src/value/text/text.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { postgresNodes, type SharedNodes } from '../support/shared-nodes.js';
import { atLeast } from '../support/timeouts.js';
import { type OpenNode, openNodes, until } from './shared-engines.js';
import { run } from './two-nodes.js';

/** As many as are folded at once several times, together with those of the other node. */
const RECORDS = 200;
const WORDS = ['green', 'tea', 'greenhouse', 'black', 'coffee'];

/** Those of a record, some of which follow one another. */
const textOf = (id: number): string => [0, 1, 2].map((at) => WORDS[(id * (at + 2) + at) % WORDS.length]).join(' ');

const QUERIES: Readonly<Record<string, (text: string) => boolean>> = {
  '"green tea"': (text) => text.includes('green tea'),
  'green* -black': (text) => /\bgreen/.test(text) && !text.includes('black'),
  'greenhouse "coffee tea"': (text) => text.includes('greenhouse') && text.includes('coffee tea'),
  tea: (text) => text.includes('tea'),
};

/** The notes of writers that wait to be folded. */
async function pending(engine: Engine): Promise<number> {
  const transaction = await engine.begin({ writable: false });
  try {
    const catalog = await loadDatabase(transaction, new CatalogCache(), 'test', 'test');
    const table = catalog?.tables.get('doc');
    const [index] = table?.indexes ?? [];
    if (catalog === undefined || table === undefined || index === undefined) throw new Error('there is no index');
    return await transaction.count(
      prefixRange(pendingPrefix(indexPrefix(catalog.database.id, table.definition.id, index.id))),
    );
  } finally {
    transaction.cancel();
  }
}

describe.skipIf(postgresPrograms() === undefined)('On PostgreSQL', () => {
  let server: PostgresServer;
  let shared: SharedNodes;
  let opened: OpenNode[];
  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 60_000);
  afterAll(() => server.remove());
  afterEach(async () => {
    for (const { database } of opened) await database.close();
    await shared.close();
  });

  test('both nodes find what either writes, before it is folded and after, also when one has left', {
    timeout: atLeast(90_000),
  }, async () => {
    shared = await postgresNodes(server, 'full_text');
    opened = await openNodes(shared);
    const owners = (await Promise.all(opened.map((node) => node.owner()))) as [Session, Session];
    const [one, two] = owners;
    await run(
      one,
      'DEFINE ANALYZER words TOKENIZERS blank; DEFINE INDEX ft ON doc FIELDS t FULLTEXT ANALYZER words HIGHLIGHTS',
    );
    const texts = new Map<number, string>();
    /** Expects both nodes to find, score and count the same, and that to be right. */
    const check = async (sessions: readonly Session[]): Promise<void> => {
      for (const [query, isFound] of Object.entries(QUERIES)) {
        const expected = [...texts].filter(([, text]) => isFound(text)).map(([id]) => `doc:${id}`);
        const answers: string[] = [];
        for (const session of sessions) {
          const [ids, scores, count] = await run(
            session,
            `SELECT VALUE <string> id FROM doc WHERE t @QUERY@ '${query}';
             SELECT id, search::score(1) AS s FROM doc WHERE t @1,QUERY@ '${query}' ORDER BY s DESC, id LIMIT 5;
             SELECT VALUE count() FROM doc WHERE t @QUERY@ '${query}' GROUP ALL`,
          );
          expect(expected.length, query).toBeGreaterThan(0);
          expect([query, [...(ids as string[])].sort()]).toEqual([query, expected.sort()]);
          expect([query, toText(count)]).toEqual([query, `[${expected.length}]`]);
          answers.push(toText(scores));
        }
        expect([query, new Set(answers).size]).toEqual([query, 1]);
      }
    };
    const write = async (session: Session, from: number): Promise<void> => {
      for (let id = from; id < from + RECORDS; id += 20) {
        const ids = Array.from({ length: 20 }, (_, at) => id + at);
        for (const each of ids) texts.set(each, textOf(each));
        await run(
          session,
          `INSERT INTO doc [${ids.map((each) => `{ id: ${each}, t: '${textOf(each)}' }`)}] RETURN NONE`,
        );
      }
    };
    await Promise.all([write(one, 0), write(two, RECORDS)]);
    await check(owners);
    const [engine, other] = shared.nodes;
    if (engine === undefined || other === undefined) throw new Error('there are two nodes');
    // Fewer than are worth folding stay.
    await until(async () => (await pending(engine)) < 64);
    await check(owners);
    texts.set(3, 'green tea house');
    texts.delete(4);
    await run(two, "UPDATE doc:3 SET t = 'green tea house'; DELETE doc:4");
    await check(owners);
    // One leaves, so that the other does all of the work.
    await opened[0]?.database.close();
    opened = opened.slice(1);
    await write(two, 2 * RECORDS);
    await until(async () => (await pending(other)) < 64);
    await check([two]);
    const faults = new Faults();
    await checkEntries(other, faults, () => {});
    expect(faults.listed).toEqual([]);
  });
});
