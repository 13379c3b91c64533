/**
 * Servers that are killed amid puts, copies, renames, deletions, transactions and uploads, on a store and a folder that
 * the kill before has left: every file is whole, nothing acknowledged is lost, and what is left behind is deleted.
 * `FILE_KILLS` says how many kills, `FILE_KILLS_SEED` which.
 */
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runFilesCheck } from '../../src/cli/files.js';
import { checkedDatabases } from '../../src/ddl/check/databases.js';
import { Faults } from '../../src/ddl/check/fault.js';
import { realEnvironment } from '../../src/env/real.js';
import { contentAddressOf } from '../../src/files/contents/address.js';
import { ContentStores, NO_BACKENDS } from '../../src/files/contents/content-stores.js';
import { FileSweeper } from '../../src/session/background/file-sweeper.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { seeded } from '../support/late-engine.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { cleanUp, ROOT, type ServerProcess, startServer, temporaryFolder } from '../support/server-process.js';
import { TextSink } from '../support/text-sink.js';
import { atLeast } from '../support/timeouts.js';

const KILLS = Number(process.env['FILE_KILLS'] ?? (RUNS_ALL ? 25 : 2));
const SEED = Number(process.env['FILE_KILLS_SEED'] ?? Number(process.hrtime.bigint() % 100_000n));
const AS_ROOT = `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`;
const SIZES = [10, 300_000, 1_500_000];
/** Answers between two kills, at most. */
const ANSWERS = 60;
/** Nanoseconds. */
const TWO_DAYS = 172_800_000_000_000n;

type Random = (below: number) => number;
/** The numbers of the contents that the two keys of a client have; absent: no file. */
type State = readonly [x: number | undefined, y: number | undefined];

afterAll(cleanUp);

/** A content by its number, which says what it must be. */
function contentOf(number: number): Buffer {
  return Buffer.alloc(SIZES[number % SIZES.length] as number, `${number};`);
}

/** Who changes two keys of a bucket, one request after the other. */
class Client {
  /** Acknowledged, and what it becomes by the request that is under way. */
  state: State = [undefined, undefined];
  next: State | undefined;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #numbers: () => number;

  constructor(bucket: string, prefix: string, numbers: () => number) {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#numbers = numbers;
  }

  /** Changes the keys at a server until that is gone; `answered` is called after each. */
  async run(url: string, random: Random, answered: () => void): Promise<void> {
    const changes = [this.#put, this.#upload, this.#copy, this.#rename, this.#delete, this.#both];
    for (;;) {
      const change = changes[random(changes.length)] as (url: string) => Promise<void>;
      try {
        await change.call(this, url);
      } catch (error) {
        if (error instanceof TypeError) return;
        throw error;
      }
      this.state = this.next ?? this.state;
      this.next = undefined;
      answered();
    }
  }

  async #put(url: string): Promise<void> {
    const number = this.#numbers();
    this.next = [number, this.state[1]];
    await this.#sent(url, `${this.#prefix}x`, { method: 'PUT', body: new Uint8Array(contentOf(number)) });
  }

  /** In two parts. */
  async #upload(url: string): Promise<void> {
    const number = this.#numbers();
    const bytes = new Uint8Array(contentOf(number));
    const tus = { 'tus-resumable': '1.0.0' };
    const begun = { method: 'POST', headers: { ...tus, 'upload-length': String(bytes.length) } };
    const address = (await this.#sent(url, `${this.#prefix}y`, begun)).headers.get('location') as string;
    const half = bytes.length >> 1;
    for (const [from, to] of [
      [0, half],
      [half, bytes.length],
    ] as const) {
      if (from === half) this.next = [this.state[0], number];
      const headers = { ...tus, 'upload-offset': String(from), 'content-type': 'application/offset+octet-stream' };
      const answer = await fetch(url + address, {
        method: 'PATCH',
        headers: { ...headers, authorization: AS_ROOT },
        body: bytes.subarray(from, to),
      });
      expect([answer.status, await answer.text()]).toEqual([204, '']);
    }
  }

  async #copy(url: string): Promise<void> {
    const [x] = this.state;
    if (x === undefined) return;
    this.next = [x, x];
    await this.#sql(url, `${this.#file('x')}.copy('${this.#prefix}y')`);
  }

  async #rename(url: string): Promise<void> {
    const [, y] = this.state;
    if (y === undefined) return;
    this.next = [y, undefined];
    await this.#sql(url, `${this.#file('y')}.rename('${this.#prefix}x')`);
  }

  async #delete(url: string): Promise<void> {
    this.next = [undefined, this.state[1]];
    await this.#sent(url, `${this.#prefix}x`, { method: 'DELETE' });
  }

  /** Two changes of one transaction. */
  async #both(url: string): Promise<void> {
    // Of ten bytes.
    const number = this.#numbers() * SIZES.length;
    this.next = [number, undefined];
    const put = `${this.#file('x')}.put('${contentOf(number)}')`;
    await this.#sql(url, `BEGIN; ${put}; ${this.#file('y')}.delete(); COMMIT`);
  }

  #file(key: string): string {
    return `f"${this.#bucket}:/${this.#prefix}${key}"`;
  }

  async #sent(url: string, key: string, init: RequestInit): Promise<Response> {
    const headers = { authorization: AS_ROOT, ...(init.headers as object) };
    const answer = await fetch(`${url}/files/test/test/${this.#bucket}/${key}`, { ...init, headers });
    const text = await answer.text();
    expect(answer.ok, text).toBe(true);
    return answer;
  }

  async #sql(url: string, text: string): Promise<void> {
    for (const { status, result } of await sql(url, text))
      expect([status, status === 'ERR' && result]).toEqual(['OK', false]);
  }

  /** That the files are those of the state, or of what it was to become, as a whole. */
  async verify(url: string, what: string): Promise<void> {
    const found: (number | undefined)[] = [];
    for (const key of ['x', 'y']) {
      const path = `${this.#bucket}/${this.#prefix}${key}`;
      const answer = await fetch(`${url}/files/test/test/${path}`, { headers: { authorization: AS_ROOT } });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.status === 404) found.push(undefined);
      else {
        expect(answer.status, `${what}: ${path}`).toBe(200);
        const number = Number.parseInt(bytes.subarray(0, 10).toString(), 10);
        expect(Buffer.compare(bytes, contentOf(number)), `${what}: ${path} is whole`).toBe(0);
        found.push(number);
      }
    }
    expect([this.state, this.next ?? this.state], what).toContainEqual(found);
    this.state = [found[0], found[1]];
    this.next = undefined;
  }
}

async function sql(url: string, text: string): Promise<{ status: string; result: unknown }[]> {
  const headers = { authorization: AS_ROOT, 'surreal-ns': 'test', 'surreal-db': 'test', accept: 'application/json' };
  const answer = await fetch(`${url}/sql`, { method: 'POST', headers, body: text });
  return (await answer.json()) as { status: string; result: unknown }[];
}

/** Kills a server when it has answered so often, amid all other requests. */
async function killAmid(server: ServerProcess, clients: readonly Client[], random: Random): Promise<void> {
  let left = 1 + random(ANSWERS);
  let killed: Promise<unknown> | undefined;
  const answered = () => {
    if (--left <= 0) killed ??= server.stop('SIGKILL');
  };
  await Promise.all(clients.map((client) => client.run(server.url, random, answered)));
  await killed;
}

it('loses nothing, and leaves nothing behind', { timeout: atLeast(60_000 + KILLS * 20_000) }, async () => {
  const what = `FILE_KILLS=${KILLS} FILE_KILLS_SEED=${SEED}`;
  console.info(what);
  const random = seeded(SEED);
  const root = temporaryFolder();
  const [data, folder] = [join(root, 'data'), join(root, 'files')];
  const start = () => startServer(data, { SVC_ALLOW_BUCKET_FOLDERS: root });
  let count = 0;
  const clients = ['store', 'folder'].flatMap((bucket) =>
    ['a/', 'b/', 'c/'].map((prefix) => new Client(bucket, prefix, () => ++count)),
  );
  let server = await start();
  await sql(server.url, `DEFINE BUCKET store; DEFINE BUCKET folder BACKEND 'file:${folder}'`);
  for (let kill = 1; kill <= KILLS; kill++) {
    await killAmid(server, clients, random);
    // Whatever bytes there are, a file has them, or a note that says when they are deleted.
    const output = new TextSink();
    const isSound = await runFilesCheck(data, { allowBucketFolders: root }, output);
    expect([isSound, output.text], `${what}, kill ${kill}`).toEqual([true, '2 buckets, all of them sound\n']);
    server = await start();
    for (const client of clients) await client.verify(server.url, `${what}, kill ${kill}`);
  }
  const [files] = await sql(server.url, `RETURN [file::list('store').version, file::list('folder').version]`);
  await server.stop();
  expect(await contentsAfterSweep(data, root)).toEqual(
    (files?.result as string[][] | undefined)?.map((versions) => [...new Set(versions)].toSorted()),
  );
});

/** The contents of both buckets when everything is due. */
async function contentsAfterSweep(data: string, root: string): Promise<string[][]> {
  const { clock, ...others } = realEnvironment;
  const environment = { ...others, clock: { ...clock, now: () => clock.now() + TWO_DAYS } };
  const engine = openLmdb(data);
  const contents = new ContentStores(engine, environment, { ...NO_BACKENDS, folders: [root], memory: 0 });
  const report = (error: unknown) => {
    throw error;
  };
  const sweeper = new FileSweeper({ engine, environment, leases: undefined, contents, report });
  await sweeper.sweep();
  await sweeper.stop();
  const transaction = await engine.begin({ writable: false });
  const [catalog] = await checkedDatabases(transaction, new Faults());
  transaction.cancel();
  const found: string[][] = [];
  for (const name of ['store', 'folder']) {
    const bucket = catalog?.buckets.get(name);
    if (catalog === undefined || bucket === undefined) throw new Error(`there is no bucket ${name}`);
    const place = { database: catalog.database.id, identity: bucket.identity, name, address: contentAddressOf(bucket) };
    const ids: string[] = [];
    for await (const id of contents.of(place).list()) ids.push(id);
    found.push(ids.toSorted());
  }
  await engine.close();
  return found;
}
