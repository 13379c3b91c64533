/** Sends the mails that wait in outboxes. Where several nodes use the store, one of them sends those of a database. */
import { andThen, lastly, type PromiseOrValue } from '../../base/promise-or-value.js';
import { type Id, prefixRange } from '../../catalog/keys/key-bytes.js';
import { mailPrefix } from '../../catalog/keys/store-keys.js';
import {
  databasesWithMails,
  dueUntil,
  forgottenUntil,
  readWaitingMail,
  type WaitingMail,
} from '../../catalog/mail/outbox.js';
import type { KeyRange, ScanOptions, Stored, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { isConflict, withRetries } from '../../storage/retry.js';
import { BackgroundRounds } from './background-rounds.js';
import { FairLines, type GroupedWork } from './fair-lines.js';
import { underLease } from './lease.js';
import { MailTry, type MailTryServices } from './mail-try.js';

/** Milliseconds between rounds, for mails that are due again. */
const INTERVAL = 5_000;
/** Milliseconds between rounds that look at all databases with mails, to forget those that are done. */
const SWEEPING = 60_000;
/** Databases whose mails are sent at once, in all and of a namespace; mails of each at once. */
const AT_ONCE = { atOnce: 8, atOnceInGroup: 4 };
const MAILS_AT_ONCE = 5;
/** Rows that are forgotten in one transaction. */
const FORGOTTEN_AT_ONCE = 1_000;
/** Milliseconds that a text may take to be handed over when the server stops. */
const LAST_TEXT = 3_000;

export class MailSender {
  readonly #services: MailTryServices;
  readonly #rounds: BackgroundRounds;
  readonly #lines: FairLines<GroupedWork>;
  /** Those under way. */
  readonly #tries = new Set<MailTry>();
  /** Databases in which mails were queued since their lines began. */
  readonly #again = new Set<Id>();
  /** Databases in which mails may wait; unknown, and so possibly in all that are listed, before the first round. */
  #waiting: Set<Id> | undefined;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(services: MailTryServices) {
    this.#services = services;
    const { environment, report, leases, measure } = services;
    const options = { interval: INTERVAL, startsSoon: true, lease: leases, measure };
    this.#rounds = new BackgroundRounds(environment, () => this.#round(), report, options);
    this.#lines = new FairLines(
      AT_ONCE,
      (database, line) => this.#turn(database, line),
      (database) => {
        if (this.#again.delete(database)) this.queued(database);
      },
    );
    leases?.onGranted(() => this.queuedAnywhere());
  }

  /** Mails were queued in a database, by this node or another: a round comes soon. */
  queued(database: Id): void {
    this.#waiting?.add(database);
    this.#rounds.wake();
  }

  /** Mails may have been queued in any database. */
  queuedAnywhere(): void {
    this.#waiting = undefined;
    this.#rounds.wake();
  }

  /** Ends tries that have handed nothing over: they don't count. */
  async stop(): Promise<void> {
    const ended = Promise.all([this.#rounds.stop(), this.#lines.stop()]);
    for (const each of this.#tries) each.stop();
    const cancel = this.#services.environment.timers.after(LAST_TEXT, () => {
      for (const each of this.#tries) each.cut();
    });
    await ended;
    cancel();
  }

  /** Begins the lines of databases in which mails may wait. */
  async #round(): Promise<void> {
    const now = this.#services.environment.clock.monotonic();
    if (now - this.#sweptAt >= SWEEPING) {
      this.#sweptAt = now;
      this.#waiting = undefined;
    }
    const waiting = this.#waiting ?? (await this.#reading(databasesWithMails));
    this.#waiting = new Set();
    for (const database of waiting) {
      if (this.#lines.has(database)) this.#again.add(database);
      else if (this.#mayRun(database)) this.#lines.add(database, { group: undefined });
    }
  }

  /** Whether this node sends the mails of a database. */
  #mayRun(database: Id): boolean {
    return this.#services.leases?.of(database).isHeld !== false;
  }

  /** Sends some of the mails that are due, and returns the line of the others. */
  async #turn(database: Id, { group }: GroupedWork): Promise<GroupedWork | undefined> {
    try {
      // At its first turn: the namespace isn't known before a mail was read.
      if (group === undefined) await this.#forget(database);
      const due = { from: mailPrefix(database, 'waiting'), to: dueUntil(database, this.#now + 1n) };
      const mails = (await this.#rows(due, { limit: MAILS_AT_ONCE })).map(readWaitingMail);
      const [first] = mails;
      if (first === undefined) {
        const later = await this.#rows(prefixRange(mailPrefix(database, 'waiting')), { limit: 1 });
        if (later.length > 0) this.#waiting?.add(database);
        return undefined;
      }
      await this.#send(mails);
      return this.#rounds.mustEnd || !this.#mayRun(database) ? undefined : { group: first.database.namespace };
    } catch (error) {
      // Another node has taken the database over, or the store doesn't answer: a later round goes on.
      this.#waiting = undefined;
      if (!isConflict(error)) this.#rounds.fail(error);
      return undefined;
    }
  }

  async #send(mails: readonly WaitingMail[]): Promise<void> {
    const tries = mails.map((mail) => new MailTry(this.#services, mail));
    for (const each of tries) {
      this.#tries.add(each);
      if (this.#rounds.mustEnd) each.stop();
    }
    const ends = await Promise.allSettled(tries.map((each) => each.run()));
    for (const each of tries) this.#tries.delete(each);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Deletes what is left of mails that are done and have expired. */
  async #forget(database: Id): Promise<void> {
    const range = { from: mailPrefix(database, 'done'), to: forgottenUntil(database, this.#now) };
    // Most rounds find none, and write nothing.
    let expired = await this.#rows(range, { limit: 1 });
    while (expired.length > 0 && !this.#rounds.mustEnd) {
      await this.#forgetSome(database, range);
      await this.#services.environment.timers.yield();
      expired = await this.#rows(range, { limit: 1 });
    }
  }

  #forgetSome(database: Id, range: KeyRange): PromiseOrValue<void> {
    const { engine, leases } = this.#services;
    return withRetries(engine, (transaction) =>
      underLease(leases?.of(database), transaction, () =>
        forEachBatch(transaction.scan(range, { limit: FORGOTTEN_AT_ONCE }), (batch) => {
          for (const [key] of batch) transaction.delete(key);
          return false;
        }),
      ),
    );
  }

  get #now(): bigint {
    return this.#services.environment.clock.now();
  }

  #rows(range: KeyRange, options: ScanOptions & { readonly limit: number }): PromiseOrValue<Stored[]> {
    const rows: Stored[] = [];
    const read = this.#reading((snapshot) =>
      forEachBatch(snapshot.scan(range, options), (batch) => {
        for (const [, stored] of batch) rows.push(stored);
        return false;
      }),
    );
    return andThen(read, () => rows);
  }

  /** Reads from a snapshot that is closed before it answers. */
  #reading<T>(work: (snapshot: Transaction) => PromiseOrValue<T>): PromiseOrValue<T> {
    return andThen(this.#services.engine.begin({ writable: false }), (snapshot) =>
      lastly(
        () => work(snapshot),
        () => snapshot.cancel(),
      ),
    );
  }
}
