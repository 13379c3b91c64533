/** Kills a server on disk at each step of what it redeems, and judges what is left. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { realEnvironment } from '../../../src/env/real.js';
import type { Session } from '../../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../../src/session/database/database.js';
import { openLmdb } from '../../../src/storage/lmdb/engine/lmdb.js';
import { parseJson } from '../../../src/value/codecs/json-parse.js';
import type { ObjectValue, Value } from '../../../src/value/value.js';
import { failureOf, run } from '../../nodes/two-nodes.js';
import { compiled } from '../../support/compiled.js';
import { providersNetwork, type StubProvider } from '../../support/identity-provider.js';
import { appUrl, waitingMails } from '../../support/mailbox.js';
import { CHALLENGE, OPTIONS, openProvider, PATH, SCHEMA } from './redeem-kills-world.js';

const PLACE = { NS: 'test', DB: 'test', AC: 'mail' };

/** So long that a mail may be asked for again, in nanoseconds. */
export const LATER = 120_000_000_000n;

type Body = Readonly<Record<string, unknown>>;

let child: string;
let folder: string;

/** To be called by each file that kills. */
export function onDisk(): void {
  beforeAll(() => {
    child = compiled(
      'tests/security/identity/redeem-kills-child.ts',
      mkdtempSync(join(tmpdir(), 'tessera-redeem-kills-')),
    );
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tessera-redeem-kills-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}

/** The store, opened by this process, which is never killed. */
export class World {
  readonly engine = openLmdb(folder);
  database!: OpenDatabase;
  #owner!: Session;

  /** @param later nanoseconds by which its clock is ahead; it may be set again */
  private constructor(
    public later: bigint,
    readonly provider: StubProvider,
  ) {}

  static async open(later = 0n): Promise<World> {
    const world = new World(later, await openProvider());
    const { clock } = realEnvironment;
    const now = () => clock.now() + world.later;
    world.provider.now = () => Number(now() / 1_000_000_000n);
    const network = providersNetwork(world.provider);
    const environment = { ...realEnvironment, network, clock: { ...clock, now } };
    world.database = await openDatabase(world.engine, { ...OPTIONS, environment });
    world.#owner = world.database.ownerSession();
    await world.#owner.use('test', 'test');
    return world;
  }

  async value(text: string): Promise<Value> {
    return (await run(this.#owner, text)).at(-1);
  }

  async begun(body: Body, session?: Session) {
    const former = (await waitingMails(this.engine)).map(({ id }) => id);
    const { request } = await this.start(body, 'mail', session);
    const mail = (await waitingMails(this.engine)).find(({ id }) => !former.includes(id));
    return { request, code: mail?.code ?? '', link: mail?.link?.split('#')[1]?.split('.')[0] ?? '' };
  }

  start(body: Body, access: string, session = this.database.session({})) {
    return session.startSignIn({ databasePath: PATH, access, body: read({ challenge: CHALLENGE, ...body }) });
  }

  async signIn(body: Body): Promise<Session> {
    const session = this.database.session({});
    await session.signIn(read({ ...PLACE, ...body }));
    return session;
  }

  /** People who were sent to the provider come back: the code for the app. */
  async back(url: string, sub: string): Promise<string> {
    const to = await this.database.returnFromProvider(PATH, 'provider', this.provider.signIn(url, { sub }));
    return appUrl(to).searchParams.get('code') as string;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** Values of a body, as a client sends them. */
const read = (body: Body) => parseJson(JSON.stringify(body)) as ObjectValue;

/** Runs a server that redeems it. What it printed, `undefined` if it was killed before. */
async function redeem(what: Body | string, ...killed: readonly string[]): Promise<string | undefined> {
  const given = typeof what === 'string' ? what : JSON.stringify({ ...PLACE, ...what });
  const running = spawn(process.execPath, [child, folder, given, ...killed], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, errors] = ['', ''];
  running.stdout.on('data', (text) => (said += text));
  running.stderr.on('data', (text) => (errors += text));
  const [code, signal] = (await once(running, 'close')) as [number | null, string | null];
  if (signal !== 'SIGKILL') expect([code, errors]).toEqual([0, '']);
  return said === '' ? undefined : said.trim();
}

/** What a case does in a fresh store. */
interface Case<T> {
  /** What the server is to redeem. */
  prepare(world: World): Promise<T>;
  what(prepared: T): Body | string;
  /** Judges what is left when the server was killed. Whether the code, or link, was still good. */
  judge(world: World, prepared: T): Promise<boolean>;
}

/** Kills a server before and after each of its commits, until one of them isn't. */
export async function killedAtEachCommit<T>({ prepare, what, judge }: Case<T>): Promise<void> {
  const good: boolean[] = [];
  for (let commit = 1; ; commit++) {
    for (const when of ['before', 'after']) {
      const world = await World.open();
      await world.value(SCHEMA);
      const prepared = await prepare(world);
      await world.close();
      const said = await redeem(what(prepared), String(commit), when);
      // It got in, and its process ended before that commit.
      if (said !== undefined) {
        // First it was, and from some commit on no longer.
        expect(good).toEqual([...good].sort().reverse());
        expect(new Set(good)).toEqual(new Set([true, false]));
        return;
      }
      const left = await World.open(LATER);
      good.push(await judge(left, prepared));
      await left.close();
      rmSync(folder, { recursive: true, force: true });
      folder = mkdtempSync(join(tmpdir(), 'tessera-redeem-kills-'));
    }
  }
}

/** Whether it gets in, once. */
export async function isGood(work: () => Promise<unknown>): Promise<boolean> {
  const first = await failureOf(work);
  expect(['none', 'invalid_auth']).toContain(first);
  expect(await failureOf(work)).toBe('invalid_auth');
  return first === 'none';
}
