/** Fair scheduling of background work among databases, such as asynchronous events. */
import type { Id } from '../../catalog/keys/key-bytes.js';

/** The work of a line; databases of one group share what a group may have. Unknown at first: then it is of none. */
export interface GroupedWork {
  readonly group: string | undefined;
}

export interface MovingLines {
  readonly atOnce: number;
  /** Of a group, so that one with many databases leaves lines to others. */
  readonly atOnceInGroup: number;
}

/**
 * Background work of many databases. Each has a line of its own, in which one thing follows another. A few lines move
 * at once, each for a turn, then those that wait, the next of the group that moves least: what one database or group
 * has queued holds up no other.
 */
export class FairLines<T extends GroupedWork> {
  readonly #lines: MovingLines;
  readonly #turn: (database: Id, work: T) => Promise<T | undefined>;
  readonly #ended: (database: Id) => void;
  /** In the order of their next turns. */
  readonly #waiting = new Map<Id, T>();
  readonly #moving = new Map<Id, { readonly group: string | undefined; readonly turn: Promise<void> }>();

  /**
   * `turn` does some of the work of a line and returns what is left; it must not throw. `ended` is called when nothing
   * is.
   */
  constructor(
    lines: MovingLines,
    turn: (database: Id, work: T) => Promise<T | undefined>,
    ended: (database: Id) => void,
  ) {
    this.#lines = lines;
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
    await Promise.all([...this.#moving.values()].map(({ turn }) => turn));
  }

  #move(): void {
    while (this.#moving.size < this.#lines.atOnce) {
      const next = this.#next();
      if (next === undefined) return;
      const [database, work] = next;
      this.#waiting.delete(database);
      this.#moving.set(database, { group: work.group, turn: this.#take(database, work) });
    }
  }

  /** The first of those that wait whose group has the fewest lines moving, unless it has as many as it may. */
  #next(): readonly [Id, T] | undefined {
    const moving = new Map<string, number>();
    for (const { group } of this.#moving.values()) {
      if (group !== undefined) moving.set(group, (moving.get(group) ?? 0) + 1);
    }
    let next: readonly [Id, T] | undefined;
    let fewest = this.#lines.atOnceInGroup;
    for (const waiting of this.#waiting) {
      const { group } = waiting[1];
      const many = group === undefined ? 0 : (moving.get(group) ?? 0);
      if (many >= fewest) continue;
      next = waiting;
      fewest = many;
      if (many === 0) break;
    }
    return next;
  }

  async #take(database: Id, work: T): Promise<void> {
    const rest = await this.#turn(database, work);
    this.#moving.delete(database);
    if (rest !== undefined) this.#waiting.set(database, rest);
    else this.#ended(database);
    this.#move();
  }
}
