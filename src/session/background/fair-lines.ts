import type { Id } from '../../catalog/keys/key-bytes.js';

/**
 * Background work of many databases. Each has a line of its own, in which one thing follows another. A few lines move
 * at once, each for a turn, then those that wait: what one database has queued holds up no other.
 */
export class FairLines<T> {
  readonly #atOnce: number;
  readonly #turn: (database: Id, work: T) => Promise<T | undefined>;
  readonly #ended: (database: Id) => void;
  /** In the order of their next turns. */
  readonly #waiting = new Map<Id, T>();
  readonly #moving = new Map<Id, Promise<void>>();

  /**
   * `turn` does some of the work of a line and returns what is left; it must not throw. `ended` is called when nothing
   * is.
   */
  constructor(atOnce: number, turn: (database: Id, work: T) => Promise<T | undefined>, ended: (database: Id) => void) {
    this.#atOnce = atOnce;
    this.#turn = turn;
    this.#ended = ended;
  }

  has(database: Id): boolean {
    return this.#waiting.has(database) || this.#moving.has(database);
  }

  /** Begins the line of a database that has none. */
  add(database: Id, work: T): void {
    this.#waiting.set(database, work);
    this.#move();
  }

  /** Drops what waits, and resolves when the turns under way have ended. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    await Promise.all(this.#moving.values());
  }

  #move(): void {
    for (const [database, work] of this.#waiting) {
      if (this.#moving.size >= this.#atOnce) return;
      this.#waiting.delete(database);
      this.#moving.set(database, this.#take(database, work));
    }
  }

  async #take(database: Id, work: T): Promise<void> {
    const rest = await this.#turn(database, work);
    this.#moving.delete(database);
    if (rest !== undefined) this.#waiting.set(database, rest);
    else this.#ended(database);
    this.#move();
  }
}
