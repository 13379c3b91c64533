/**
 * Sessions that are attached over HTTP before their client has signed in: names that hold nothing, each until the first
 * credential that presents it owns it (`stored-sessions.ts`). What is set in one ends with its request.
 */
import type { Clock } from '../env/environment.js';
import { failure } from '../errors/error.js';

/** How many there may be, of a source and in all. */
const MOST_OF_SOURCE = 64;
const MOST = 1_024;
/** Milliseconds until one ends that no request names. */
const IDLE = 60_000;

interface OpenSession {
  readonly source: string;
  readonly usedAt: number;
}

export class OpenSessions {
  readonly #clock: Clock;
  /** By id, ordered by last use. */
  readonly #sessions = new Map<string, OpenSession>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param source where the request comes from, by which they are counted
   * @throws TesseraError `session_exists`, `too_many_stored_sessions`
   */
  attach(id: string, source: string): void {
    this.#endIdle();
    if (this.#sessions.has(id)) throw failure('session_exists', { id });
    const ofSource = [...this.#sessions.values()].filter((session) => session.source === source).length;
    if (ofSource >= MOST_OF_SOURCE) throw failure('too_many_stored_sessions', { limit: MOST_OF_SOURCE, of: 'source' });
    if (this.#sessions.size >= MOST) throw failure('too_many_stored_sessions', { limit: MOST, of: 'server' });
    this.#sessions.set(id, { source, usedAt: this.#clock.monotonic() });
  }

  /** @throws TesseraError `session_missing` */
  use(id: string): void {
    this.#endIdle();
    const session = this.#sessions.get(id);
    if (session === undefined) throw failure('session_missing', { id });
    this.#sessions.delete(id);
    this.#sessions.set(id, { ...session, usedAt: this.#clock.monotonic() });
  }

  /** Ends one; whether it was open until now. */
  take(id: string): boolean {
    this.#endIdle();
    return this.#sessions.delete(id);
  }

  clear(): void {
    this.#sessions.clear();
  }

  #endIdle(): void {
    const over = this.#clock.monotonic() - IDLE;
    for (const [id, { usedAt }] of this.#sessions) {
      if (usedAt > over) break;
      this.#sessions.delete(id);
    }
  }
}
