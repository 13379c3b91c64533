/**
 * One try to send a mail. It is noted in the store before it begins, so that a mail whose try was cut off is tried
 * again, a bounded number of times. What can't be taken back is the text: that it is about to be handed over is noted
 * before that happens. A mail with such a note and no known end may have arrived; it is tried once more, and so arrives
 * twice at most.
 */
import { guestIdentity } from '../../auth/identity.js';
import { isLoopbackAddress } from '../../base/loopback.js';
import { findConfig } from '../../catalog/definitions/lookup.js';
import { type MailRoute, mailRouteOf, type SmtpRoute } from '../../catalog/mail/mail-route.js';
import { type DoneMail, findWaiting, finishMail, replaceWaiting, type WaitingMail } from '../../catalog/mail/outbox.js';
import { MailError, type MailFailure, type MailServer } from '../../env/mail.js';
import { NetworkError } from '../../env/network.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { Fetcher } from '../../functions/network/fetcher.js';
import type { Expression } from '../../language/ast.js';
import { isQueryError } from '../../runtime/authorization/error-redaction.js';
import { Frame } from '../../runtime/frame.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import { Scope } from '../../runtime/scope.js';
import { SentRequests } from '../../runtime/sent-requests.js';
import type { Executor } from '../../statements/executor.js';
import type { Transaction } from '../../storage/contract.js';
import { isConflict, type WorkOptions, withRetries } from '../../storage/retry.js';
import { Duration, objectFrom } from '../../value/value.js';
import type { HeldTransactions } from '../resources/held-transactions.js';
import type { BackgroundServices } from './background-rounds.js';
import { LeaseLost, underLease } from './lease.js';

const SECOND = 1_000_000_000n;
const MOST_TRIES = 4;
/** Milliseconds of a try by SMTP, and how long code may take. */
const TRY_TIME = 40_000;
const CODE_TIME = new Duration(40n * SECOND);
/** No other try begins for so long; a try that was cut off is followed by the next one then. */
const TRIED_FOR = 45n * SECOND;
/**
 * Shares of a mail's lifetime until the next try, after the first, second and third one, and their bounds: 15 s, 1 min
 * and 3 min of ten minutes; 1 min, 1 h and a day of a week.
 */
const PAUSES = [
  { share: (lifetime: bigint) => lifetime / 40n, most: 60n * SECOND },
  { share: (lifetime: bigint) => lifetime / 10n, most: 3_600n * SECOND },
  { share: (lifetime: bigint) => (lifetime * 3n) / 10n, most: 86_400n * SECOND },
] as const;
/** How often a mail may have been handed over without a known end. */
const MOST_UNKNOWN = 2;

const NO_ROUTE = 'neither CONFIG MAIL nor --mail-url says how';
const CUT_OFF = 'the server ended while it was sent';

export interface MailTryServices extends BackgroundServices {
  readonly executor: Executor;
  /** Reaches the mail servers of databases, by the rules of the server. */
  readonly network: Fetcher;
  /** The mail server of `--mail-url`. */
  readonly ofServer: SmtpRoute | undefined;
  /** The time limit of code. */
  readonly maxTime: Duration | undefined;
  readonly transactions: Pick<HeldTransactions, 'budget'>;
}

/** The server stops, or the mail is gone. */
class Stopped extends Error {}

/** How a try has failed. */
interface Failed {
  /** In our own words, for owners: the server's might hold anything. */
  readonly reason: string;
  /** Refused permanently. */
  readonly isFinal?: boolean;
  /** It doesn't count. */
  readonly isVoid?: boolean;
}

export class MailTry {
  readonly #services: MailTryServices;
  /** The mail as it is stored now. */
  #mail: WaitingMail;
  /** How often the mail may have been handed over before this try. */
  readonly #unknownBefore: number;
  readonly #abort = new AbortController();
  #isHandingOver = false;

  constructor(services: MailTryServices, mail: WaitingMail) {
    this.#services = services;
    this.#mail = mail;
    this.#unknownBefore = mail.unknown;
  }

  /** The try must end, unless the text is being handed over. */
  stop(): void {
    if (!this.#isHandingOver) this.cut();
  }

  /** The try must end, whatever becomes of the mail. */
  cut(): void {
    this.#abort.abort(new Stopped());
  }

  /** @throws errors of the store; LeaseLost */
  async run(): Promise<void> {
    const route = await this.#begin();
    if (route === 'over') return;
    if (route === undefined) return this.#failed({ reason: NO_ROUTE });
    if (route.kind === 'then') {
      this.#isHandingOver = true;
      return this.#runCode(route.action, route.from);
    }
    const cancel = this.#services.environment.timers.after(TRY_TIME, () =>
      this.#abort.abort(new MailError('unreachable')),
    );
    try {
      await this.#sendBySmtp(route);
    } finally {
      cancel();
    }
  }

  /** Notes that the try begins, unless the mail is gone, has expired or was tried often enough. */
  #begin(): Promise<MailRoute | undefined | 'over'> {
    return this.#change(async (transaction, waiting) => {
      const now = this.#now;
      const { expires, reason = CUT_OFF, tries, unknown, database } = waiting;
      if (expires <= now) return this.#finish(transaction, { state: 'expired', at: now, reason: waiting.reason });
      // The try before was cut off.
      if (unknown >= MOST_UNKNOWN || tries >= MOST_TRIES)
        return this.#finish(transaction, { state: 'failed', at: now, reason });
      const route = mailRouteOf(await findConfig(transaction, database.id, 'mail'), this.#services.ofServer);
      const due = earlier(now + TRIED_FOR, expires);
      // Where code is cut off, it may have sent the mail.
      const isCode = route?.kind === 'then';
      this.#replace(transaction, { ...waiting, due, tries: tries + 1, unknown: isCode ? unknown + 1 : unknown });
      return route;
    }, 'over');
  }

  async #sendBySmtp(route: SmtpRoute): Promise<void> {
    const { environment } = this.#services;
    const { signal } = this.#abort;
    try {
      signal.throwIfAborted();
      const server = await this.#serverOf(route);
      const { id, to, subject, text, html, created } = this.#mail;
      const message = { id, from: route.from, to, subject, text, html, created };
      await environment.mail.send(server, message, { signal, beforeText: () => this.#beforeText() });
    } catch (error) {
      const failed = failedBy(error);
      const hasEnd = !this.#isHandingOver || (error instanceof MailError && error.reply !== undefined);
      return this.#failed(failed, hasEnd ? this.#unknownBefore : this.#mail.unknown);
    }
    await this.#sent();
  }

  async #beforeText(): Promise<void> {
    this.#isHandingOver = true;
    const isThere = await this.#change((transaction, waiting) => {
      this.#replace(transaction, { ...waiting, unknown: waiting.unknown + 1 });
      return true;
    }, false);
    if (!isThere) throw new Stopped();
  }

  /** The operator's own server needs no rule. TLS is demanded but of servers on this machine. */
  async #serverOf(route: SmtpRoute): Promise<MailServer> {
    const { environment, network, ofServer } = this.#services;
    const { host, port, implicitTls, user } = route.server;
    const isOperators = route === ofServer;
    const address = isOperators ? await addressOf(environment.network, host) : await network.reach(host, port);
    const explicit = isLoopbackAddress(address) ? 'none' : 'starttls';
    const credentials = user === undefined ? undefined : { user, password: route.password ?? '' };
    return { host, address, port, tls: implicitTls ? 'implicit' : explicit, credentials };
  }

  /**
   * Runs code of the database, as asynchronous events run: without permissions, and for no user. What it writes is
   * committed together with the end of the mail.
   */
  async #runCode(action: Expression, from: string): Promise<void> {
    const { executor, environment, transactions, maxTime } = this.#services;
    const evaluate = executor.compiler.expression(action);
    const { id, to, subject, text, html, code, link, kind, access, database } = this.#mail;
    const identity = guestIdentity({
      origin: {},
      databasePath: { namespace: database.namespace, database: database.name },
    });
    const sent = new SentRequests();
    const run = async (transaction: Transaction): Promise<void> => {
      sent.begin();
      const interrupt = RequestInterrupt.begin(environment).within(CODE_TIME).within(maxTime);
      this.#abort.signal.addEventListener('abort', () => interrupt.cancel(), { once: true });
      const execution = executor.execution({
        transaction,
        identity,
        interrupt,
        privileged: true,
        sent,
      });
      const scope = new Scope();
      scope.set('mail', objectFrom({ access, code, from, html, id, kind, link, subject, text, to }));
      await evaluate(new Frame({ ...execution, inStoredCode: true }, scope));
      this.#finish(transaction, { state: 'sent', at: this.#now });
    };
    try {
      await this.#change(run, undefined, { memory: transactions.budget });
    } catch (error) {
      const isOwn = isQueryError(error) || (error instanceof TesseraError && error.code === 'timed_out');
      if (!isOwn) throw error;
      await this.#failed({ reason: 'THEN has failed' }, this.#unknownBefore);
    }
  }

  #sent(): Promise<void> {
    return this.#change((transaction) => {
      this.#finish(transaction, { state: 'sent', at: this.#now });
    }, undefined);
  }

  /** Notes why the try has failed, and when the next one comes, if any. */
  #failed({ reason, isFinal, isVoid }: Failed, unknown = this.#unknownBefore): Promise<void> {
    return this.#change((transaction, waiting) => {
      const now = this.#now;
      const { created, expires } = waiting;
      const isCounted = isVoid !== true || unknown > this.#unknownBefore;
      const pause = PAUSES[waiting.tries - 1];
      if (isFinal === true || unknown >= MOST_UNKNOWN || (isCounted && pause === undefined)) {
        this.#finish(transaction, { state: 'failed', at: now, reason });
        return;
      }
      const wait = isCounted && pause !== undefined ? earlier(pause.share(expires - created), pause.most) : 0n;
      const tries = isCounted ? waiting.tries : waiting.tries - 1;
      this.#replace(transaction, { ...waiting, due: earlier(now + wait, expires), tries, unknown, reason });
      transaction.afterCommit(() => this.#services.metrics?.mail('retried'));
    }, undefined);
  }

  /** Changes the mail in a transaction under the lease. `gone`: the answer if it is no longer as this try left it. */
  async #change<T>(
    work: (transaction: Transaction, waiting: WaitingMail) => T | Promise<T>,
    gone: T,
    options?: WorkOptions,
  ): Promise<T> {
    const { engine, leases } = this.#services;
    const before = this.#mail;
    return withRetries(
      engine,
      (transaction) => {
        // An attempt that conflicted has changed nothing.
        this.#mail = before;
        return underLease(leases?.of(before.database.id), transaction, async () => {
          const waiting = await findWaiting(transaction, before);
          return waiting === undefined ? gone : work(transaction, waiting);
        });
      },
      options,
    );
  }

  #replace(transaction: Transaction, after: WaitingMail): void {
    replaceWaiting(transaction, this.#mail, after);
    this.#mail = after;
  }

  #finish(transaction: Transaction, outcome: Pick<DoneMail, 'state' | 'at' | 'reason'>): 'over' {
    const { metrics, report } = this.#services;
    const { state, reason } = outcome;
    const { kind, database } = this.#mail;
    finishMail(transaction, this.#mail, outcome);
    transaction.afterCommit(() => {
      metrics?.mail(state);
      if (state === 'sent') return;
      const place = `${database.namespace}/${database.name}`;
      report(failure('mail_undelivered', { kind, database: place, reason: reason ?? 'it has expired' }));
    });
    return 'over';
  }

  get #now(): bigint {
    return this.#services.environment.clock.now();
  }
}

async function addressOf(
  network: { resolve(host: string): Promise<readonly string[]> },
  host: string,
): Promise<string> {
  const [address] = await network.resolve(host);
  if (address === undefined) throw new NetworkError('unknown');
  return address;
}

/** Failures of mail servers, for owners. All that a scan of ports would look for has one text. */
const REASONS: Readonly<Record<MailFailure, (reply: number | undefined) => Failed>> = {
  unreachable: () => UNREACHABLE,
  tls: () => ({ reason: 'the mail server offers no TLS, or has no certificate that is valid for its name' }),
  credentials: () => ({ reason: 'the mail server refuses its user or password' }),
  deferred: (reply) => ({ reason: `the mail server refuses it for now${replyText(reply)}` }),
  refused: (reply) => ({ reason: `the mail server refuses it${replyText(reply)}`, isFinal: true }),
};
const UNREACHABLE: Failed = { reason: 'the mail server can’t be reached, or doesn’t answer as one' };

function replyText(reply: number | undefined): string {
  return reply === undefined ? '' : ` (${reply})`;
}

/** @throws the error, if it says nothing of the mail */
function failedBy(error: unknown): Failed {
  if (error instanceof Stopped) return { reason: CUT_OFF, isVoid: true };
  if (error instanceof MailError) return REASONS[error.failure](error.reply);
  if (error instanceof NetworkError) return UNREACHABLE;
  if (error instanceof LeaseLost || isConflict(error) || !(error instanceof TesseraError)) throw error;
  if (error.code === 'network_target_denied') return { reason: '--allow-net doesn’t allow the mail server' };
  if (error.code === 'network_lookup_failed') return UNREACHABLE;
  throw error;
}

function earlier(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
