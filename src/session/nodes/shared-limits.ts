/**
 * Token buckets of all nodes, in rows of the store: if each node had its own, a client that asks all of
 * them would get as many times more as there are nodes.
 *
 * A node takes what its requests ask for in one transaction at a time, which the next ones wait for together. From a
 * large bucket it takes some tokens more than it needs, and keeps them for the next requests, so that these don't wait
 * for the store; a refusal is remembered for as long as it lasts. So a flood costs the store almost nothing.
 */
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import { limitKey } from '../../catalog/keys/node-keys.js';
import type { RateBucket, RateLimits, RateRule } from '../../catalog/limits/rate-limits.js';
import {
  afterTaking,
  bucketDigest,
  bucketTime,
  type TokenBucket,
  timeOf,
  timeUntil,
  wholeSeconds,
} from '../../catalog/limits/token-bucket.js';
import { readBucket, storedBucket } from '../../catalog/nodes/limit-row.js';
import type { Environment } from '../../env/environment.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';

/** Requests whose tokens are taken together. */
const MOST_AT_ONCE = 200;
/** A node takes this part of a bucket at once, which it may have to itself without use. */
const PART = 16;
/** Buckets of which a node remembers what it has or was refused, and at most as many older ones. */
const CAPACITY = 20_000;

interface Asked {
  readonly rule: RateRule;
  readonly digest: string;
}

/** Tokens that were taken and not yet used, up to a time: then they would have come back in any case. */
interface Held {
  tokens: number;
  readonly until: number;
}

interface Waiting {
  readonly asked: readonly Asked[];
  resolve(wait: number | undefined): void;
  reject(error: unknown): void;
}

/** What a group of requests got: for each the microseconds to wait for each of its buckets, none if it is admitted. */
interface Taken {
  readonly waits: readonly (readonly number[] | undefined)[];
  /** What they leave to others. */
  readonly spare: readonly Spare[];
}

/** Tokens that this node has, beyond what was needed. */
interface Spare extends Asked {
  readonly tokens: number;
}

export class SharedLimits implements RateLimits {
  readonly #engine: Engine;
  readonly #clock: Environment['clock'];
  readonly #held = new TwoGenerationCache<string, Held>(CAPACITY);
  /** Until when buckets are empty, by the monotonic clock. */
  readonly #empty = new TwoGenerationCache<string, number>(CAPACITY);
  #waiting: Waiting[] = [];
  #isTaking = false;

  constructor(engine: Engine, { clock }: Pick<Environment, 'clock'>) {
    this.#engine = engine;
    this.#clock = clock;
  }

  async take(buckets: readonly RateBucket[]): Promise<number | undefined> {
    const asked = buckets.map(({ rule, key }) => ({ rule, digest: bucketDigest({ rule, key }) }));
    const now = this.#now();
    const wait = asked.reduce((most, { digest }) => Math.max(most, (this.#empty.get(digest) ?? now) - now), 0);
    if (wait > 0) return wholeSeconds(wait);
    const used = asked.filter(({ digest }) => this.#useHeld(digest, now));
    if (used.length === asked.length) return undefined;
    let isAdmitted = false;
    try {
      const wait = await this.#fromStore(asked.filter((each) => !used.includes(each)));
      isAdmitted = wait === undefined;
      return wait === undefined ? undefined : wholeSeconds(wait);
    } finally {
      if (!isAdmitted) for (const each of used) this.#hold(each, 1);
    }
  }

  #useHeld(digest: string, now: number): boolean {
    const held = this.#held.get(digest);
    if (held === undefined || held.tokens === 0 || held.until <= now) return false;
    held.tokens--;
    return true;
  }

  /** What this node has of the buckets of a group, which is that group's now. */
  #allHeld(group: readonly Waiting[]): readonly Spare[] {
    const now = this.#now();
    const all = new Map(group.flatMap(({ asked }) => asked.map((each) => [each.digest, each] as const)));
    return [...all.values()].flatMap((each) => {
      const held = this.#held.get(each.digest);
      this.#held.delete(each.digest);
      return held === undefined || held.tokens === 0 || held.until <= now ? [] : { ...each, tokens: held.tokens };
    });
  }

  #hold({ digest, rule }: Asked, tokens: number): void {
    if (tokens === 0) return;
    const now = this.#now();
    const before = this.#held.get(digest);
    const kept = before === undefined || before.until <= now ? 0 : before.tokens;
    this.#held.set(digest, { tokens: kept + tokens, until: now + timeOf(partOf(rule), rule) });
  }

  /** @returns microseconds to wait */
  #fromStore(asked: readonly Asked[]): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asked, resolve, reject });
      if (!this.#isTaking) void this.#takeAll();
    });
  }

  async #takeAll(): Promise<void> {
    this.#isTaking = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MOST_AT_ONCE);
      // Those before them may have left some.
      const own = this.#allHeld(group);
      try {
        const { waits, spare } = await withRetries(this.#engine, (transaction) =>
          this.#takeIn(transaction, group, own),
        );
        for (const each of spare) this.#hold(each, each.tokens);
        for (const [index, each] of group.entries()) each.resolve(this.#noted(each.asked, waits[index]));
      } catch (error) {
        for (const each of own) this.#hold(each, each.tokens);
        for (const each of group) each.reject(error);
      }
    }
    this.#isTaking = false;
  }

  async #takeIn(transaction: Transaction, group: readonly Waiting[], own: readonly Spare[]): Promise<Taken> {
    const all = new Map(group.flatMap(({ asked }) => asked.map((each) => [each.digest, each] as const)));
    const digests = [...all.keys()];
    const rows = await transaction.getMany(digests.map(limitKey));
    const now = Number(this.#clock.now() / 1_000n);
    const buckets = new Map(digests.map((digest, index) => [digest, readBucket(rows[index])]));
    const changed = new Set<string>();
    const spare = new Map(own.map(({ digest, tokens }) => [digest, tokens]));
    const wait = ({ digest, rule }: Asked, tokens: number) =>
      timeUntil(tokens, buckets.get(digest) as TokenBucket, rule, now);
    const takeFrom = (each: Asked): void => {
      const { digest, rule } = each;
      let left = spare.get(digest) ?? 0;
      if (left === 0) {
        const part = partOf(rule);
        left = wait(each, part) > 0 ? 1 : part;
        buckets.set(digest, afterTaking(left, buckets.get(digest) as TokenBucket, rule, now));
        changed.add(digest);
      }
      spare.set(digest, left - 1);
    };
    const waits = group.map(({ asked }) => {
      const each = asked.map((one) => ((spare.get(one.digest) ?? 0) > 0 ? 0 : wait(one, 1)));
      if (each.some((microseconds) => microseconds > 0)) return each;
      for (const one of asked) takeFrom(one);
      return undefined;
    });
    for (const digest of changed) transaction.put(limitKey(digest), storedBucket(buckets.get(digest) as TokenBucket));
    return { waits, spare: [...spare].map(([digest, tokens]) => ({ ...(all.get(digest) as Asked), tokens })) };
  }

  /** The monotonic clock in microseconds. */
  #now(): number {
    return bucketTime(this.#clock.monotonic());
  }

  /** The microseconds to wait, which are remembered. */
  #noted(asked: readonly Asked[], waits: readonly number[] | undefined): number | undefined {
    if (waits === undefined) return undefined;
    const now = this.#now();
    for (const [index, { digest }] of asked.entries()) {
      const wait = waits[index] as number;
      if (wait > 0) this.#empty.set(digest, now + wait);
    }
    return Math.max(...waits);
  }
}

/** The tokens that a node takes at once. */
function partOf({ burst }: RateRule): number {
  return Math.max(1, Math.floor(burst / PART));
}
