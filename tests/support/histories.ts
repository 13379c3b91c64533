/** Histories of transactions over several nodes, and whether they are serializable in the order in which the server applied their commits. */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../src/env/environment.js';
import { TesseraError } from '../../src/errors/error.js';
import type { Entry, Key, KeyRange, Stored, Transaction, Versionstamp } from '../../src/storage/contract.js';
import { headOf } from '../../src/storage/remote/heads.js';
import { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { FollowedHistory } from './followed-histories.js';
import { Lateness, seeded } from './late-engine.js';
import { appendedKey, entriesIn, SimulatedServer, SimulatedStore } from './simulated-store.js';

const DATABASES = ['D\0\0\0\x01', 'D\0\0\0\x02', 'D\0\0\x01\0'];
const ALL_KEYS: readonly Key[] = ['a', 'z', ...DATABASES.flatMap((area) => [`${area}x`, `${area}y`])];
const ALL_LOGS: readonly Key[] = ['q', `${DATABASES[0]}L`, `${DATABASES[1]}L`];
const ALL_RANGES: readonly KeyRange[] = [
  { from: '', to: 'b' },
  { from: 'q', to: '\xff' },
  ...DATABASES.flatMap((area) => [
    { from: area, to: `${area}~` },
    { from: `${area}x`, to: `${area}y` },
  ]),
  { from: 'D', to: 'E' },
  { from: '', to: '\xff' },
];

/** What the transactions of a history are about. */
interface Scope {
  readonly keys: readonly Key[];
  readonly logs: readonly Key[];
  readonly ranges: readonly KeyRange[];
}

const EVERYTHING: Scope = { keys: ALL_KEYS, logs: ALL_LOGS, ranges: ALL_RANGES };
/** Where all share one head, so that their commits go out together. */
const ONE_DATABASE: Scope = {
  keys: ALL_KEYS.filter((key) => key.startsWith(DATABASES[0]!)),
  logs: ALL_LOGS.filter((key) => key.startsWith(DATABASES[0]!)),
  ranges: ALL_RANGES.filter(({ from }) => from.startsWith(DATABASES[0]!)),
};

/** What a transaction sees while it is repeated on the model: the entries, and the prefixes under which it has appended. */
interface Model {
  readonly entries: Map<Key, Stored>;
  appended: { readonly prefix: Key; readonly at: number; readonly value: Stored }[];
}

type Operation =
  | { readonly read: (model: Model) => readonly Entry[] | number; readonly found: readonly Entry[] | number }
  | { readonly write: (model: Model) => void };

type Kind = 'writes' | 'maintenance' | 'reads';

interface History {
  readonly id: number;
  readonly node: number;
  readonly kind: Kind;
  readonly scope: Scope;
  readonly operations: Operation[];
  /** How many commits the server had applied when it began. */
  readonly began: number;
  outcome: string;
  last: Versionstamp[];
}

/** Runs one history. @throws Error what isn't as it should be */
export async function runHistory(seed: number): Promise<void> {
  const random = seeded(seed);
  const lateness = new Lateness(1 + random(4), random);
  const server = new SimulatedServer(random);
  const reliability = [4, 20, 1_000_000][random(3)]!;
  const mostLoggedKeys = [1, 3, 10_000][random(3)]!;
  const nodes = Array.from({ length: 2 + random(2) }, (_, node) => {
    const store = new SimulatedStore(server, node, { lateness, random, reliability, mostLoggedKeys });
    return { engine: new RemoteEngine(store, { clock: STOPPED, timers: timersOf(lateness) }), called: [] as History[] };
  });
  const followed = random(2) === 0 ? [] : nodes.map(({ engine }) => new FollowedHistory(server, engine));
  await Promise.all(followed.map((each) => each.follow()));
  const scope = random(3) === 0 ? ONE_DATABASE : EVERYTHING;
  const histories: History[] = [];
  const clients = nodes.flatMap(({ engine, called }, node) =>
    Array.from({ length: 1 + random(4) }, async () => {
      for (let left = 1 + random(3); left > 0; left--) {
        const kind: Kind = random(4) === 0 ? 'reads' : random(5) === 0 ? 'maintenance' : 'writes';
        const history: History = {
          id: histories.length,
          node,
          kind,
          scope,
          operations: [],
          began: server.applied.length,
          outcome: '',
          last: [],
        };
        histories.push(history);
        await runTransaction(engine, history, called, random);
      }
    }),
  );
  // In some, the log is removed as fast as it grows.
  const pruned = random(4) === 0 ? nodes.map(({ engine }) => pruneAll(engine, random)) : [];
  await Promise.all([...clients, ...pruned]);
  for (const each of followed) await each.check();
  await Promise.all(nodes.map(({ engine }) => engine.close()));
  // What is late arrives.
  for (let turn = 0; turn < 12; turn++) await lateness.answer(() => undefined);
  check(server, histories);
  for (const { called } of nodes) checkCallbacks(server, called);
}

async function pruneAll({ shared }: RemoteEngine, random: Random): Promise<void> {
  for (let left = random(8); left > 0; left--) await shared.prune().catch(() => undefined);
}

async function runTransaction(
  engine: RemoteEngine,
  history: History,
  called: History[],
  random: Random,
): Promise<void> {
  const { kind, operations, id, scope } = history;
  const { keys } = scope;
  const transaction = engine.begin({ writable: kind !== 'reads', maintenance: kind === 'maintenance' });
  try {
    if (kind === 'maintenance') await maintain(transaction, history, random);
    else
      for (let left = 1 + random(4); left > 0; left--)
        operations.push(...(await operate(transaction, history, random)));
    // By its value the transaction is recognized among the commits of the server.
    const hasWritten = operations.some((operation) => 'write' in operation);
    if (kind === 'writes' && (hasWritten || random(8) > 0))
      operations.push(put(transaction, pick(keys, random), `${id}.last|${id}`));
    if (kind !== 'reads') {
      transaction.afterCommit((last) => {
        history.last.push(last);
        called.push(history);
      });
    }
    await transaction.commit();
    history.outcome = 'committed';
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
    history.outcome = error.code;
    transaction.cancel();
  }
}

type Random = (below: number) => number;

function pick<T>(items: readonly T[], random: Random): T {
  return items[random(items.length)]!;
}

/** Writes a key again that has the same value for all others. */
async function maintain(
  transaction: Transaction,
  { operations, id, scope: { keys } }: History,
  random: Random,
): Promise<void> {
  for (let left = 1 + random(2); left > 0; left--) {
    const key = pick(keys, random);
    const value = await transaction.get(key);
    operations.push({ read: ({ entries }) => present([[key, entries.get(key)]]), found: present([[key, value]]) });
    if (value !== undefined) operations.push(put(transaction, key, `${logicalOf(value)}|${id}`));
  }
}

async function operate(
  transaction: Transaction,
  { kind, id, operations, scope: { keys, logs, ranges } }: History,
  random: Random,
): Promise<Operation[]> {
  const value = `${id}.${operations.length}|${id}`;
  const range = pick(ranges, random);
  switch (random(kind === 'reads' ? 5 : 9)) {
    case 0: {
      const wanted = Array.from({ length: 1 + random(3) }, () => pick(keys, random));
      const isPrefetched = random(2) === 0;
      if (isPrefetched) await transaction.prefetch?.({ keys: wanted });
      const values = await transaction.getMany(wanted);
      const found = present(wanted.map((key, at) => [key, values[at]]));
      return [{ read: ({ entries }) => present(wanted.map((key) => [key, entries.get(key)])), found }];
    }
    case 1:
    case 2: {
      const key = pick(keys, random);
      const found = present([[key, await transaction.get(key)]]);
      return [{ read: ({ entries }) => present([[key, entries.get(key)]]), found }];
    }
    case 3: {
      const reverse = random(2) === 0;
      const limit = 1 + random(8);
      if (random(3) === 0) await transaction.prefetch?.({ ranges: [{ ...range, reverse }] });
      const found: Entry[] = [];
      const cursor = transaction.scan(range, { reverse, limit });
      for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) found.push(...batch);
      cursor.close();
      const read = ({ entries }: Model) => {
        const all = entriesIn(entries, range);
        return (reverse ? all.reverse() : all).slice(0, limit);
      };
      return [{ read, found }];
    }
    case 4:
      return [{ read: ({ entries }) => entriesIn(entries, range).length, found: await transaction.count(range) }];
    case 5:
      return [put(transaction, pick(keys, random), value)];
    case 6: {
      const key = pick(keys, random);
      transaction.delete(key);
      return [{ write: ({ entries }) => entries.delete(key) }];
    }
    case 7: {
      await transaction.deleteRange(range);
      const write = (model: Model) => {
        for (const [key] of entriesIn(model.entries, range)) model.entries.delete(key);
        model.appended = model.appended.filter(({ prefix }) => prefix < range.from || prefix >= range.to);
      };
      return [{ write }];
    }
    default: {
      const prefix = pick(logs, random);
      transaction.append(prefix, value);
      return [
        {
          write: ({ appended }) => appended.push({ prefix, at: (appended.at(-1)?.at ?? -1) + 1, value }),
        },
      ];
    }
  }
}

function put(transaction: Transaction, key: Key, value: Stored): Operation {
  transaction.put(key, value);
  return { write: ({ entries }) => entries.set(key, value) };
}

function present(entries: readonly (readonly [Key, Stored | undefined])[]): readonly Entry[] {
  return entries.filter((entry): entry is Entry => entry[1] !== undefined);
}

/** A value as all but maintenance see it. */
function logicalOf(value: Stored): string {
  return String(value).split('|')[0]!;
}

/** Who has written a value. */
function writerOf(value: Stored): number {
  return Number(String(value).split('|')[1]);
}

function check(server: SimulatedServer, histories: readonly History[]): void {
  const applied = new Map<number, number>();
  const model: Model = { entries: new Map(), appended: [] };
  const states = [new Map(model.entries)];
  const lastOfHead = new Map<number, Versionstamp>();
  for (const [position, { request, stamp }] of server.applied.entries()) {
    const values = [...request.changes.map(([, value]) => value), ...request.appended.map(({ value }) => value)];
    const value = values.find((each) => each !== undefined);
    const history = value === undefined ? undefined : histories[writerOf(value)];
    if (history === undefined) throw new Error(`nobody has made commit ${position}`);
    if (applied.has(history.id)) throw new Error(`transaction ${history.id} was applied twice`);
    applied.set(history.id, position);
    if (position < history.began) throw new Error(`transaction ${history.id} was applied before it began`);
    repeat(history, model);
    for (const { prefix, at, value: appended } of model.appended) {
      model.entries.set(appendedKey(prefix, stamp, at), appended);
    }
    model.appended = [];
    for (const head of new Set([
      ...request.changes.map(([key]) => headOf(key)),
      ...request.appended.map(({ prefix }) => headOf(prefix)),
    ])) {
      if (stamp <= (lastOfHead.get(head) ?? 0n))
        throw new Error(`versionstamp ${stamp} of head ${head} isn't greater than the last`);
      lastOfHead.set(head, stamp);
    }
    states.push(new Map(model.entries));
  }
  const stored = entriesIn(server.entries, { from: '', to: '\xff\xff' });
  if (!isDeepStrictEqual(stored, entriesIn(model.entries, { from: '', to: '\xff\xff' }))) {
    throw new Error('what is stored is not what was committed');
  }
  for (const history of histories) checkOutcome(history, applied.get(history.id), states);
}

function checkOutcome(history: History, position: number | undefined, states: readonly Map<Key, Stored>[]): void {
  const { id, outcome, operations, began } = history;
  const isApplied = position !== undefined;
  const writes = operations.some((operation) => 'write' in operation);
  if (isApplied && !['committed', 'commit_outcome_unknown'].includes(outcome)) {
    throw new Error(`transaction ${id} was applied, but ended with ${outcome}`);
  }
  if (outcome !== 'committed' || isApplied) return;
  // One that has changed nothing need only have seen a state that there was since it began.
  if (writes) throw new Error(`transaction ${id} was acknowledged and isn't there`);
  const hasSeen = (state: Map<Key, Stored>) => {
    try {
      repeat(history, { entries: new Map(state), appended: [] });
      return true;
    } catch {
      return false;
    }
  };
  if (!states.slice(began).some(hasSeen)) throw new Error(`transaction ${id} has seen a state that there never was`);
}

/** @throws Error it has read something else than what was there */
function repeat({ id, kind, operations }: History, model: Model): void {
  for (const operation of operations) {
    if ('write' in operation) {
      operation.write(model);
      continue;
    }
    const expected = operation.read(model);
    const seen = (found: readonly Entry[] | number) =>
      typeof found === 'number' || kind === 'maintenance'
        ? found
        : found.map(([key, value]) => [key, logicalOf(value)]);
    if (!isDeepStrictEqual(seen(operation.found), seen(expected))) {
      throw new Error(`transaction ${id} has read ${JSON.stringify(operation.found)} for ${JSON.stringify(expected)}`);
    }
  }
}

/** They come once for each commit, in the order of versionstamps under each head. */
function checkCallbacks({ applied }: SimulatedServer, called: readonly History[]): void {
  const lastOfHead = new Map<number, Versionstamp>();
  for (const { id, last } of called) {
    if (last.length !== 1) throw new Error(`transaction ${id} was called back ${last.length} times`);
    const commit = applied.find(
      ({ request }) =>
        request.changes.some(([, value]) => value !== undefined && writerOf(value) === id) ||
        request.appended.some(({ value }) => writerOf(value) === id),
    );
    if (commit === undefined) continue;
    if (commit.stamp !== last[0]) throw new Error(`transaction ${id} was told ${last[0]} for ${commit.stamp}`);
    for (const key of [
      ...commit.request.changes.map(([each]) => each),
      ...commit.request.appended.map(({ prefix }) => prefix),
    ]) {
      const before = lastOfHead.get(headOf(key)) ?? 0n;
      if (commit.stamp < before) throw new Error(`transaction ${id} was called back after a later one`);
      lastOfHead.set(headOf(key), commit.stamp);
    }
  }
}

const STOPPED: Clock = { now: () => 0n, monotonic: () => 0 };

/** Time passes in turns. */
function timersOf(lateness: Lateness) {
  const turns = async (milliseconds: number) => {
    for (let turn = 0; turn < 1 + milliseconds / 200; turn++) await lateness.answer(() => undefined);
  };
  return {
    after(milliseconds: number, callback: () => void): () => void {
      let isStopped = false;
      void turns(milliseconds).then(() => {
        if (!isStopped) callback();
      });
      return () => {
        isStopped = true;
      };
    },
    wait: turns,
    yield: () => turns(0),
    nextRound: () => turns(0),
  };
}
