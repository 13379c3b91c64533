/** Sessions in the store: other nodes list them, end them, and count them against the limit of a user. */
import { revocableToken } from '../../catalog/credentials/revocation-list.js';
import { presenceKey } from '../../catalog/keys/node-keys.js';
import { type PresentSession, presentSessions, storedSession } from '../../catalog/nodes/presence.js';
import { appendSignal } from '../../catalog/nodes/signals.js';
import { databasePathOf, subjectOf } from '../../catalog/principal.js';
import { describeSession } from '../../ddl/info/sessions.js';
import type { Timers } from '../../env/environment.js';
import type { TesseraError } from '../../errors/error.js';
import type { SessionsElsewhere } from '../../runtime/nodes.js';
import { CoalescedTask } from '../../storage/coalesced-task.js';
import type { Engine, Key, Stored, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import type { RegisteredSession } from '../resources/registered-session.js';

export interface PresenceOptions {
  readonly engine: Engine;
  /** Of this process (`SharedStore.node`). */
  readonly node: string;
  readonly timers: Timers;
  /** Maximum number of sessions per record user on all nodes together; a further one ends the oldest. */
  readonly perUser: number | undefined;
  readonly report: (error: TesseraError) => void;
}

/** A session with a signed-in user, and the user (`userKey`). */
interface Entered {
  readonly session: RegisteredSession;
  readonly user: string;
}

/** The use of a session, as its row has it. */
interface Noted {
  /** In nanoseconds since 1970. */
  readonly active: bigint;
  readonly liveQueries: number;
  readonly isBehind: boolean;
}

/** At most so many sessions are written in one commit. */
const BATCH = 256;
/** Milliseconds between two rounds in which those that were used are written again. */
export const REFRESH_INTERVAL = 30_000;
/** Milliseconds from which on live queries count as behind. */
const BEHIND = 1_000;
/** Nanoseconds by which a session must have been used later than its row says, so that clocks may be inexact. */
const USED_LATER = 1_000_000n;

/**
 * Writes the lasting sessions of this node to the store, for the other nodes to see: shortly after a user has signed
 * in, and again when the user has left. The rows of used sessions are updated twice a minute, many in
 * one commit. Nothing waits for that.
 */
export class SessionPresence implements SessionsElsewhere {
  readonly node: string;
  readonly #options: PresenceOptions;
  /** By the key of its row. */
  readonly #entered = new Map<Key, Entered>();
  readonly #keys = new Map<RegisteredSession, Key>();
  /** The content of the rows as written. */
  readonly #noted = new WeakMap<Entered, Noted>();
  /** Rows to be written or, without a session, deleted. */
  readonly #waiting = new Map<Key, Entered | undefined>();
  readonly #writing: CoalescedTask;
  #stopRefreshing: (() => void) | undefined;

  constructor(options: PresenceOptions) {
    this.node = options.node;
    this.#options = options;
    this.#writing = new CoalescedTask(options.timers, () => this.#write(), options.report);
  }

  entered(session: RegisteredSession, user: string): void {
    this.left(session);
    const key = presenceKey(user, this.node, session.key);
    const entered = { session, user };
    this.#keys.set(session, key);
    this.#entered.set(key, entered);
    this.#waiting.set(key, entered);
    this.#writing.wake();
    this.#refreshLater();
  }

  left(session: RegisteredSession): void {
    const key = this.#keys.get(session);
    if (key === undefined) return;
    this.#keys.delete(session);
    this.#entered.delete(key);
    this.#waiting.set(key, undefined);
    this.#writing.wake();
  }

  /**
   * Another node has written a row. If it has removed that of an open session, the row is restored: this node was
   * declared gone.
   */
  followed(key: Key): void {
    const entered = this.#entered.get(key);
    if (entered === undefined) return;
    this.#restore(key, entered);
    this.#writing.wake();
  }

  /** Writes all rows again, since others have declared this node gone. */
  rewrite(): void {
    for (const [key, entered] of this.#entered) this.#restore(key, entered);
    this.#writing.wake();
  }

  /** As if the user had just signed in, since meanwhile there may be too many sessions. */
  #restore(key: Key, entered: Entered): void {
    this.#noted.delete(entered);
    this.#waiting.set(key, entered);
  }

  #refreshLater(): void {
    this.#stopRefreshing ??= this.#options.timers.after(REFRESH_INTERVAL, () => {
      this.#stopRefreshing = undefined;
      if (this.#entered.size === 0) return;
      this.#refreshLater();
      this.#refresh().catch(this.#options.report);
    });
  }

  /** Schedules the rows of used sessions to be written again. */
  async #refresh(): Promise<void> {
    let seen = 0;
    for (const [key, entered] of this.#entered) {
      if (++seen % BATCH === 0) await this.#options.timers.nextRound();
      const noted = this.#noted.get(entered);
      if (noted !== undefined && isOutOfDate(noted, useOf(entered))) this.#waiting.set(key, entered);
    }
    this.#writing.wake();
  }

  async all(transaction: Transaction, user?: string): Promise<readonly PresentSession[]> {
    const found = await presentSessions(transaction, user);
    return found.filter(({ node }) => node !== this.node);
  }

  end(transaction: Transaction, { id, node }: PresentSession): void {
    appendSignal(transaction, { ends: 'session', id, node });
  }

  /** Waits until all rows known by now are written, if the store answers. */
  async close(): Promise<void> {
    this.#stopRefreshing?.();
    await this.#writing.settled();
    this.#writing.stop();
  }

  async #write(): Promise<void> {
    // Sessions that sign in together are written together.
    await this.#options.timers.nextRound();
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, BATCH);
      const surplus = await withRetries(this.#options.engine, (transaction) => this.#writeSome(transaction, batch));
      for (const [key, written] of batch) if (this.#waiting.get(key) === written) this.#waiting.delete(key);
      for (const session of surplus) session.end();
    }
  }

  /** Returns the sessions of this node beyond the limit. */
  async #writeSome(
    transaction: Transaction,
    batch: readonly (readonly [Key, Entered | undefined])[],
  ): Promise<readonly RegisteredSession[]> {
    const users = new Set<string>();
    for (const [key, entered] of batch) {
      const row = entered === undefined ? undefined : this.#row(entered.session);
      if (row === undefined) {
        transaction.delete(key);
        continue;
      }
      transaction.put(key, row);
      if (entered === undefined) continue;
      const use = useOf(entered);
      const isNew = !this.#noted.has(entered);
      transaction.afterCommit(() => this.#noted.set(entered, use));
      if (isNew && entered.session.holder.principal.kind === 'record') users.add(entered.user);
    }
    const surplus: RegisteredSession[] = [];
    for (const user of users) surplus.push(...(await this.#endSurplus(transaction, user)));
    return surplus;
  }

  async #endSurplus(transaction: Transaction, user: string): Promise<readonly RegisteredSession[]> {
    const { perUser } = this.#options;
    if (perUser === undefined) return [];
    const sessions = await presentSessions(transaction, user);
    const byAge = [...sessions].sort((a, b) => Number(a.since - b.since));
    const surplus = byAge.slice(0, Math.max(byAge.length - perUser, 0));
    for (const session of surplus) {
      transaction.delete(session.key);
      if (session.node !== this.node) this.end(transaction, session);
    }
    const own = new Set(surplus.filter(({ node }) => node === this.node).map(({ id }) => id));
    return [...this.#keys.keys()].filter(({ key }) => own.has(key));
  }

  /** `undefined` for a session whose user has left. */
  #row(session: RegisteredSession): Stored | undefined {
    const { principal, token } = session.holder;
    if (principal.kind === 'guest') return undefined;
    return storedSession({
      node: this.node,
      id: session.key,
      databasePath: databasePathOf(principal),
      subject: subjectOf(principal),
      since: session.facts.since,
      token: revocableToken(token),
      overview: describeSession(session),
    });
  }
}

function useOf({ session: { facts } }: Entered): Noted {
  return { active: facts.active, liveQueries: facts.liveQueries, isBehind: facts.behind >= BEHIND };
}

/** By how much a session is behind changes as long as it is. */
function isOutOfDate(noted: Noted, { active, liveQueries, isBehind }: Noted): boolean {
  return active >= noted.active + USED_LATER || liveQueries !== noted.liveQueries || isBehind || noted.isBehind;
}
