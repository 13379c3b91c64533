/** A client that breaks off again and again while others write: it misses nothing and gets nothing twice, on every storage engine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Notification } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { Engine } from '../../src/storage/contract.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { type ObjectValue, objectFrom } from '../../src/value/value.js';
import { run } from '../support/world.js';

const WRITERS = 4;
const WRITES = 60;
const END = 'CREATE a:end 0';

const folder = mkdtempSync(join(tmpdir(), 'live-since-'));
let database: OpenDatabase | undefined;
afterEach(async () => {
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

const ENGINES: Record<string, () => Engine> = {
  memory: () => new MemoryEngine(),
  lmdb: () => openLmdb(folder, { sync: 'never' }),
};

/** What a client keeps: the commits that it received to their ends. */
class Client {
  readonly kept: string[] = [];
  versionstamp: bigint | undefined = 0n;
  breaks = 0;
  #begun: string[] = [];

  /** Listens until it has received so many changes, and breaks off. */
  async listen(changes: number): Promise<void> {
    if (database === undefined) throw new Error('no database');
    const session = database.ownerSession();
    await session.use('test', 'test');
    let left = changes;
    await new Promise<void>((resolve, reject) => {
      session.listen((notification) => {
        if (left <= 0) return;
        this.#hear(notification, reject);
        if (--left === 0 || this.kept.at(-1) === END) resolve();
      });
      const since = objectFrom({ since: this.versionstamp });
      run(session, 'LIVE SELECT VALUE n FROM a SINCE $since', since).catch(reject);
    });
    session.close();
    this.#begun = [];
    this.breaks++;
  }

  #hear({ action, record, result, versionstamp, reason }: Notification, fail: (reason: unknown) => void): void {
    if (action === 'KILLED') fail(reason);
    this.#begun.push(`${action} ${toText(record)} ${toText(result)}`);
    if (versionstamp === this.versionstamp) return;
    this.versionstamp = versionstamp;
    this.kept.push(...this.#begun.splice(0));
  }
}

test.each(Object.keys(ENGINES))('on %s', async (name) => {
  database = await openDatabase((ENGINES[name] as () => Engine)(), {});
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  await run(owner, 'DEFINE TABLE a CHANGEFEED 1h INCLUDE ORIGINAL; CREATE a:0 SET n = 0');
  const write = async (writer: number) => {
    const session = (database as OpenDatabase).ownerSession();
    await session.use('test', 'test');
    for (let n = 1; n <= WRITES; n++) {
      await new Promise((resolve) => setImmediate(resolve));
      const id = `a:${writer}${n % 7}`;
      await run(
        session,
        n % 4 === 0
          ? `BEGIN; UPSERT ${id} SET n = ${n}; UPDATE a:0 SET n += 1; DELETE ${id}; COMMIT`
          : `UPSERT ${id} SET n = ${n}`,
      );
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer + 1)));
  const ending = writing.then(() => run(owner, 'CREATE a:end SET n = 0'));
  const client = new Client();
  for (let length = 0; client.kept.at(-1) !== END; length = (length + 1) % 9) await client.listen(4 + length);
  await ending;

  const [sets] = await run(owner, 'SHOW CHANGES FOR TABLE a SINCE 0');
  const changes = (sets as ObjectValue[]).slice(1).flatMap(({ changes }) => changes as ObjectValue[]);
  expect(client.kept).toHaveLength(changes.length);
  expect(client.kept.map((each) => each.split(' ')[1])).toEqual(
    changes.map(({ update, current, delete: deleted }) => {
      const record = (deleted ?? current ?? update) as ObjectValue;
      return toText(record['id']);
    }),
  );
  expect(client.breaks).toBeGreaterThan(20);
});
