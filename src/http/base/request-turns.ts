/**
 * Begins few requests in each round of the event loop: a round accepts one connection, but reads all those that have
 * sent something. Where many come at once, those that aren't accepted yet would wait for all the others.
 */
import type { Timers } from '../../env/environment.js';

/** Requests that are begun in a round of the event loop, of all connections together. */
export const MOST_AT_ONCE = 8;

/** Begins a request; returns false, without it, if nothing is left to be done. */
type Begin = () => boolean;

export class RequestTurns {
  readonly #timers: Pick<Timers, 'nextRound'>;
  /** By connection, in the order of turns. */
  readonly #waiting = new Map<object, Begin[]>();
  /** Requests begun in the present round. */
  #begun = 0;
  /** What is left for the end of the present round. */
  #ends: (() => void)[] = [];
  #endIsDue = false;

  constructor(timers: Pick<Timers, 'nextRound'>) {
    this.#timers = timers;
  }

  /** Begins a request of a connection, now or when it is the turn of that connection. */
  begin(connection: object, begin: Begin): void {
    if (this.#begun < MOST_AT_ONCE && this.#waiting.size === 0) {
      this.#run(begin);
      return;
    }
    const others = this.#waiting.get(connection);
    if (others === undefined) this.#waiting.set(connection, [begin]);
    else others.push(begin);
  }

  /** Calls back at the end of the round, before others begin. */
  atEnd(work: () => void): void {
    this.#ends.push(work);
    this.#awaitEnd();
  }

  #run(begin: Begin): void {
    if (!begin()) return;
    this.#begun++;
    this.#awaitEnd();
  }

  #awaitEnd(): void {
    if (this.#endIsDue) return;
    this.#endIsDue = true;
    void this.#timers.nextRound().then(() => this.#nextRound());
  }

  #nextRound(): void {
    this.#endIsDue = false;
    this.#begun = 0;
    const ends = this.#ends;
    this.#ends = [];
    for (const end of ends) end();
    for (const [connection, requests] of this.#waiting) {
      if (this.#begun === MOST_AT_ONCE) return;
      this.#waiting.delete(connection);
      const next = requests.shift();
      if (next === undefined) continue;
      // Behind the others, which this loop comes to before it.
      if (requests.length > 0) this.#waiting.set(connection, requests);
      this.#run(next);
    }
  }
}
