/**
 * Many subscribers, many writes, and kills, broken connections and changes of permissions among them: each subscriber gets exactly what it may
 * see, once, in the order of commits. Those who come back go on behind the last versionstamp: of what came meanwhile they get changes of
 * records that they may see by then, and deletions as ids. For a long run: `SOAK_SUBSCRIBERS=1000 SOAK_WRITES=10000 npx vitest run tests/protocol/live-soak`, and `SOAK_SEED=…` to
 * repeat one.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningServer } from '../../src/server/server.js';
import { ROOT, startTestServer } from '../support/server.js';

const SUBSCRIBERS = Number(process.env.SOAK_SUBSCRIBERS ?? 40);
const WRITES = Number(process.env.SOAK_WRITES ?? 600);
const SEED = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const PHASES = 10;
const WRITERS = 4;
const TEAMS = 5;
const RECORDS = 40;

let state = SEED;
/** Below `most` (mulberry32). */
function random(most: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
}

interface Item {
  /** Of the record. */
  readonly id?: string;
  readonly n: number;
  readonly team: number;
  readonly open: boolean;
}

interface Told {
  readonly id: string;
  readonly action: string;
  readonly result: Item;
  readonly versionstamp?: string;
}

/** What a notification tells, in a word; `n` is another for each write, so that each has a word of its own. */
interface Event {
  readonly key: string;
  /** The id of the record. */
  readonly record: string;
  readonly item: Item;
}

/** Who may read what, in the language and as it is understood here. */
const RULES: readonly { readonly text: string; readonly sees: (item: Item, team: number) => boolean }[] = [
  { text: 'open OR team = $auth.team', sees: (item, team) => item.open || item.team === team },
  { text: 'open OR team != $auth.team', sees: (item, team) => item.open || item.team !== team },
  { text: 'open', sees: (item) => item.open },
];

class Client {
  readonly #answers = new Map<number, (message: { result?: unknown; error?: unknown }) => void>();
  #last = 0;
  hear: (message: Told) => void = () => {};

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.id === undefined) return this.hear(message.result);
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
    });
  }

  static async connect(url: string, credentials: object): Promise<Client> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`, 'json');
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const client = new Client(socket);
    await client.call('signin', credentials);
    await client.call('use', 'soak', 'soak');
    return client;
  }

  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const id = ++this.#last;
    const answered = new Promise<{ result?: unknown; error?: unknown }>((resolve) => this.#answers.set(id, resolve));
    this.socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  }

  async query(text: string, variables: object = {}): Promise<unknown> {
    const results = (await this.call('query', text, variables)) as { status: string; result: unknown }[];
    for (const { status, result } of results) if (status !== 'OK') throw new Error(String(result));
    return results.at(-1)?.result;
  }
}

/** One live query of a client. */
class Subscriber {
  readonly heard: string[] = [];
  id: string | undefined;
  /** Whether it has come back in this phase. */
  hasReturned = false;
  /** Where it began and ended, in events of the phase; an end is a moment before which all is sent, and after which nothing need be. */
  ended = false;
  killed = 0;
  /** The last one that was sent. */
  versionstamp: string | undefined;
  /** Live queries that it listens to no more. */
  readonly #left = new Set<string | undefined>();
  #marker: { readonly n: number; readonly reached: () => void } | undefined;

  constructor(
    public client: Client,
    readonly team: number,
  ) {
    this.#attach(client);
  }

  #attach(client: Client): void {
    this.client = client;
    client.hear = ({ id, action, result, versionstamp }) => {
      if (this.#left.has(id)) return;
      this.versionstamp = versionstamp;
      if (action === 'KILLED') this.killed++;
      else this.heard.push(`${action} ${result.n ?? result.id}`);
      if (this.#marker !== undefined && result?.n === this.#marker.n) this.#marker.reached();
    };
  }

  async listen(): Promise<void> {
    // The notification that the one before was killed may come after the answer to KILL.
    this.#left.add(this.id);
    this.heard.length = 0;
    this.ended = false;
    this.killed = 0;
    this.hasReturned = false;
    await this.#begin(undefined);
  }

  /** Leaves its live query, and goes on behind what it has received: in the same connection or in another. */
  async comeBack(other: Client | undefined): Promise<void> {
    const { id, versionstamp } = this;
    this.#left.add(id);
    this.hasReturned = true;
    if (other === undefined) await this.client.query(`KILL u'${id}'`);
    else {
      this.client.socket.terminate();
      this.#attach(other);
    }
    await this.#begin(versionstamp);
  }

  async #begin(since: string | undefined): Promise<void> {
    const text = 'LIVE SELECT * FROM item SINCE $since';
    const [{ status, result }] = (await this.client.call('query', text, { since })) as [
      { status: string; result: string },
    ];
    if (status !== 'OK') throw new Error(result);
    this.id = result;
  }

  /** Waits until it has received a marker, which all users see. */
  reach(n: number): Promise<void> {
    return new Promise((resolve) => {
      this.#marker = { n, reached: resolve };
      if (this.heard.some((key) => key.endsWith(` ${n}`))) resolve();
    });
  }
}

/** Deletions that came as ids, named as the others are: by the state that was deleted, one that may have been seen. */
function namedDeletions(
  keys: readonly string[],
  order: readonly string[],
  events: ReadonlyMap<string, Event>,
  mayBeSeen: (item: Item) => boolean,
): readonly string[] {
  let place = -1;
  return keys.map((key) => {
    const [action, of = ''] = key.split(' ');
    const isThis = (each: string) => {
      const event = events.get(each);
      return each.startsWith('DELETE') && event?.record === of && mayBeSeen(event.item);
    };
    const named = action === 'DELETE' && of.startsWith('item:') ? order.slice(place + 1).find(isThis) : key;
    place = named === undefined ? place : order.indexOf(named);
    return named ?? key;
  });
}

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer({ SVC_MAX_CONNECTIONS_PER_ADDRESS: String(SUBSCRIBERS * 2 + 100) });
});
afterAll(() => server.close());

it(`sends each subscriber exactly what it may see (seed ${SEED})`, { timeout: 1_800_000 }, async () => {
  const root = { user: ROOT.username, pass: ROOT.password };
  const owner = await Client.connect(server.url, root);
  let rule = 0;
  const setRule = (to: number) =>
    owner
      .query(
        `DEFINE TABLE OVERWRITE item CHANGEFEED 1h INCLUDE ORIGINAL PERMISSIONS FOR select WHERE ${RULES[to]?.text}`,
      )
      .then(() => {
        rule = to;
      });
  await owner.query(`
    DEFINE TABLE user PERMISSIONS FULL;
    FOR $team IN 0..${TEAMS} { CREATE type::record('user', $team) SET team = $team };
    DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('user', $name));
  `);
  await setRule(0);
  const signIn = (team: number) => ({ NS: 'soak', DB: 'soak', AC: 'people', name: team });
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => Client.connect(server.url, root)));
  const join = async (): Promise<Subscriber> => {
    const team = random(TEAMS);
    const subscriber = new Subscriber(await Client.connect(server.url, signIn(team)), team);
    await subscriber.listen();
    return subscriber;
  };
  const witness = new Subscriber(await Client.connect(server.url, root), -1);
  await witness.listen();
  const subscribers: Subscriber[] = [];
  while (subscribers.length < SUBSCRIBERS) subscribers.push(await join());

  const items = new Map<number, Item>();
  let last = 0;
  let told = 0;
  let returned = 0;
  for (let phase = 0; phase < PHASES; phase++) {
    const rulesOfPhase = [rule];
    const events = new Map<string, Event>();
    for (const each of [witness, ...subscribers]) {
      each.heard.length = 0;
      each.hasReturned = false;
    }

    /** Each writer has records of its own, so that it knows their state. */
    const write = async (writer: number, count: number): Promise<void> => {
      for (let written = 0; written < count; written++) {
        const number = writer + WRITERS * random(RECORDS / WRITERS);
        const before = items.get(number);
        const n = ++last;
        const id = `item:${number}`;
        const item: Item = { n, team: random(TEAMS), open: random(8) === 0 };
        const note = (action: string, of: Item) =>
          events.set(`${action} ${of.n}`, { key: `${action} ${of.n}`, record: id, item: of });
        if (before === undefined) {
          note('CREATE', item);
          items.set(number, item);
          await writers[writer]?.query('CREATE type::record($id) CONTENT $item RETURN NONE', { id, item });
        } else if (random(5) === 0) {
          note('DELETE', before);
          items.delete(number);
          await writers[writer]?.query('DELETE type::record($id)', { id });
        } else {
          note('UPDATE', item);
          items.set(number, item);
          await writers[writer]?.query('UPDATE type::record($id) CONTENT $item RETURN NONE', { id, item });
        }
      }
    };
    const disturb = async (): Promise<void> => {
      for (let count = 0; count < Math.ceil(SUBSCRIBERS / 10); count++) {
        const victim = subscribers[random(subscribers.length)] as Subscriber;
        if (victim.ended) continue;
        if (victim.versionstamp !== undefined && random(2) === 0) {
          const isLost = random(2) === 0;
          await victim.comeBack(isLost ? await Client.connect(server.url, signIn(victim.team)) : undefined);
          returned++;
          continue;
        }
        victim.ended = true;
        if (random(3) === 0) victim.client.socket.terminate();
        else await victim.client.query(`KILL u'${victim.id}'`);
      }
      if (phase % 2 === 1) {
        const next = random(RULES.length);
        rulesOfPhase.push(next);
        await setRule(next);
      }
    };
    await Promise.all([...writers.map((_, writer) => write(writer, Math.floor(WRITES / PHASES / WRITERS))), disturb()]);
    const marker: Item = { n: ++last, team: -1, open: true };
    await owner.query('UPSERT item:marker CONTENT $item', { item: marker });
    const there = [witness, ...subscribers.filter(({ ended }) => !ended)];
    await Promise.all(there.map((subscriber) => subscriber.reach(marker.n)));

    // The first subscriber may see all records: its notifications are in the order of commits.
    const order = witness.heard.slice(0, -1);
    expect([...order].sort()).toEqual([...events.keys()].sort());
    const places = new Map(order.map((key, place) => [key, place]));
    for (const { heard, team, ended, killed, hasReturned } of subscribers) {
      const mayBeSeen = (item: Item) => rulesOfPhase.some((each) => RULES[each]?.sees(item, team));
      const keys = namedDeletions(ended ? heard : heard.slice(0, -1), order, events, mayBeSeen);
      told += keys.length;
      const heardPlaces = keys.map((key) => places.get(key) ?? -1);
      // Nothing unknown, nothing twice, nothing out of order.
      for (let at = 0; at < heardPlaces.length; at++) {
        expect(heardPlaces[at], keys[at]).toBeGreaterThan(at === 0 ? -1 : (heardPlaces[at - 1] as number));
      }
      const end = ended ? (heardPlaces.at(-1) ?? -1) + 1 : order.length;
      const got = new Set(keys);
      /** Whether a record may be hidden or gone after an event. */
      const mayBeGone = (of: string, place: number) =>
        order.slice(place + 1).some((key) => {
          const { record, item } = events.get(key) as Event;
          return (
            record === of && (key.startsWith('DELETE') || !rulesOfPhase.every((each) => RULES[each]?.sees(item, team)))
          );
        });
      for (const [place, key] of order.slice(0, end).entries()) {
        const { record, item } = events.get(key) as Event;
        if (hasReturned && !key.startsWith('DELETE') && !got.has(key) && mayBeGone(record, place)) continue;
        const verdicts = rulesOfPhase.map((each) => RULES[each]?.sees(item, team));
        // While a rule changes, either may be the one of now.
        if (verdicts.every((verdict) => verdict === verdicts[0]))
          expect([key, got.has(key)]).toEqual([key, verdicts[0]]);
      }
      expect(killed).toBeLessThanOrEqual(ended ? 1 : 0);
    }

    // Those who left come back, or others instead; some are another user from now on.
    for (const [place, subscriber] of subscribers.entries()) {
      if (!subscriber.ended) continue;
      if (subscriber.client.socket.readyState === WebSocket.OPEN) await subscriber.listen();
      else subscribers[place] = await join();
    }
    await setRule(random(RULES.length));
  }
  expect(told).toBeGreaterThan(0);
  expect(returned).toBeGreaterThan(0);
  for (const { client } of [witness, ...subscribers]) client.socket.close();
  for (const client of [owner, ...writers]) client.socket.close();
});
