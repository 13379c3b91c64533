/** The audit log of a running database: accepts events synchronously and writes their records to a sink in order. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import { failure, type TesseraError } from '../errors/error.js';
import { Chain, type ChainLink, faultOf, readChainLink } from './chain.js';
import type { AuditEvent } from './event.js';
import type { AuditSink, LogContent } from './sink.js';
import { type AuditVerdict, verifyAuditLog } from './verify.js';

export interface AuditOptions {
  readonly sink: AuditSink;
  /** The HMAC-SHA-256 key of the chain, at least 32 bytes. Without it the chain is an unkeyed hash. */
  readonly key?: Uint8Array;
}

/** Maximum number of queued events; further ones are counted as lost. */
const MOST_WAITING = 10_000;
/** Queue length from which requests wait, */
const MANY_WAITING = 5_000;
/** for at most so many milliseconds. */
const PATIENCE = 1_000;
/** Records per write. */
const BATCH = 1_000;
/** Milliseconds until a failed write is retried. */
const RETRY = 1_000;

interface Waiting {
  readonly event: AuditEvent;
  readonly at: bigint;
}

export class AuditLog {
  readonly #sink: AuditSink;
  readonly #chain: Chain;
  readonly #key: Uint8Array | undefined;
  readonly #environment: Environment;
  readonly #report: (error: TesseraError) => void;
  #waiting: Waiting[] = [];
  #lost = 0;
  #work: Promise<void> | undefined;
  #isFailing = false;
  #isClosing = false;
  #tryNow: () => void = () => undefined;
  #room: Promise<void> | undefined;
  #thereIsRoom: () => void = () => undefined;

  /**
   * Opens a log and continues the chain of its sink. `node` identifies this process among those that use the store.
   * @throws TesseraError `audit_log_unusable` if the sink's last record is invalid or was written with another key
   */
  static async open(
    { sink, key }: AuditOptions,
    environment: Environment,
    report: (error: TesseraError) => void,
    node?: string,
  ): Promise<AuditLog> {
    const { last, torn } = await resume(sink, key).catch(async (error: unknown) => {
      await sink.close?.();
      throw error;
    });
    const log = new AuditLog({ sink, key }, new Chain(key, last, node), environment, report);
    log.record({
      action: 'audit-start',
      outcome: 'ok',
      who: { kind: 'server' },
      what: torn === 0 ? undefined : { tornBytes: torn },
    });
    return log;
  }

  private constructor(
    { sink, key }: { readonly sink: AuditSink; readonly key: Uint8Array | undefined },
    chain: Chain,
    environment: Environment,
    report: (error: TesseraError) => void,
  ) {
    this.#sink = sink;
    this.#key = key;
    this.#chain = chain;
    this.#environment = environment;
    this.#report = report;
  }

  /** Queues an event. Never waits or fails. */
  record(event: AuditEvent): void {
    if (this.#isClosing) return;
    this.#take(event);
  }

  /** Counts events that were dropped before they reached the log. */
  lose(count: number): void {
    this.#lost += count;
  }

  /** Backpressure: resolves when the queue has room, or after a bounded time. Awaited before a request is accepted. */
  room(): PromiseOrValue<void> {
    if (this.#waiting.length < MANY_WAITING) return undefined;
    this.#room ??= new Promise<void>((resolve) => {
      const cancel = this.#environment.timers.after(PATIENCE, resolve);
      this.#thereIsRoom = () => {
        cancel();
        resolve();
      };
    }).finally(() => {
      this.#room = undefined;
    });
    return this.#room;
  }

  /**
   * Opens the written log for reading, queued events included unless writing them takes long.
   * @throws TesseraError `audit_log_unreadable` if the sink can't be read
   */
  async content(): Promise<LogContent> {
    if (this.#sink.content === undefined) {
      throw failure('audit_log_unreadable', { reason: 'it is not written to a file' });
    }
    if (this.#work !== undefined && !this.#isFailing) await this.#soon(this.#work);
    return this.#sink.content();
  }

  /** Why a line isn't as this log has written it, by its own hash; `undefined` if it is. */
  faultOf(line: string): string | undefined {
    return faultOf(line, this.#key);
  }

  /** Verifies lines by the key of this log, as `verifyAuditLog`. */
  verify(lines: AsyncIterable<string>): Promise<AuditVerdict> {
    return verifyAuditLog(lines, { key: this.#key });
  }

  /** Waits for `work`, for a bounded time. */
  async #soon(work: Promise<void>): Promise<void> {
    let cancel: () => void = () => undefined;
    const patience = new Promise<void>((resolve) => {
      cancel = this.#environment.timers.after(PATIENCE, resolve);
    });
    await Promise.race([work, patience]);
    cancel();
  }

  /** Writes all queued records, retrying once, and closes the sink. */
  async close(): Promise<void> {
    this.record({ action: 'audit-stop', outcome: 'ok', who: { kind: 'server' } });
    this.#isClosing = true;
    this.#tryNow();
    await this.#work;
    await this.#sink.close?.();
  }

  #take(event: AuditEvent): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting.push({ event, at: this.#environment.clock.now() });
    this.#work ??= this.#handOver();
  }

  /** Writes queued records in batches. Never fails. */
  async #handOver(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Events of the same turn of the event loop share one write, and long batches yield.
      await this.#environment.timers.nextRound();
      const batch = this.#waiting.splice(0, BATCH);
      const lines = batch.map(({ event, at }) => this.#chain.seal(event, at));
      if (this.#waiting.length < MANY_WAITING) this.#thereIsRoom();
      if (!(await this.#store(lines))) break;
      if (this.#lost > 0 && this.#waiting.length < MOST_WAITING) this.#confess();
    }
    this.#work = undefined;
  }

  /** Records how many events were lost. */
  #confess(): void {
    const what = { events: this.#lost };
    this.#lost = 0;
    this.#take({ action: 'audit-lost', outcome: 'failed', who: { kind: 'server' }, what });
  }

  /** Writes lines and retries until it succeeds; returns false if it fails while the log is being closed. */
  async #store(lines: readonly string[]): Promise<boolean> {
    for (;;) {
      try {
        await this.#sink.write(lines);
        this.#isFailing = false;
        return true;
      } catch (error) {
        if (!this.#isFailing) this.#report(unwritable(error));
        this.#isFailing = true;
      }
      if (this.#isClosing) return false;
      await new Promise<void>((resolve) => {
        const cancel = this.#environment.timers.after(RETRY, resolve);
        this.#tryNow = () => {
          cancel();
          resolve();
        };
      });
    }
  }
}

/** Reads where the chain of a sink continues. */
async function resume(
  sink: AuditSink,
  key: Uint8Array | undefined,
): Promise<{ last: ChainLink | undefined; torn: number }> {
  const { line, torn } = (await sink.resume?.()) ?? { line: undefined, torn: 0 };
  const last = line === undefined ? undefined : readChainLink(line, key);
  if (last === undefined || !('fault' in last)) return { last, torn };
  throw failure('audit_log_unusable', { reason: `its last record can't be continued: ${last.fault}` });
}

function unwritable(error: unknown): TesseraError {
  const reason = error instanceof Error ? error.message : 'it failed';
  return failure('audit_log_unusable', { reason }, { cause: error });
}
