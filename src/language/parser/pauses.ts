/**
 * Parsing in steps although the parser is recursive: after a step it throws `PAUSE` from within a list, at any depth,
 * and later restarts the statement. The lists keep their items, so that it resumes immediately at the same position.
 */
/** Thrown when the parser pauses. Not an error: only the driver of the parser may catch it. */
export const PAUSE: unique symbol = Symbol('pause');

/** A list that is being read, and where the parser stood behind its last item. */
export interface OpenList<T> {
  readonly items: T[];
  /** Number of pauses when it began. */
  readonly begun: number;
  state: ParserState | undefined;
}

/** All that the parser knows at one position. */
export interface ParserState {
  readonly start: number;
  readonly previousStart: number;
  readonly previousEnd: number;
  readonly depth: number;
  readonly height: number;
  readonly tokens: number;
  readonly data: number;
}

/** Characters that are read before others may have a turn: half a millisecond's work. */
const PIECE = 2 * 1024;

export class Pauses {
  /** The lists of the statement that have items of before a pause, or are open, by where they begin. */
  readonly #lists = new Map<number, OpenList<unknown>>();
  readonly #piece: number;
  #pauseAt: number;
  /** Number of pauses in this statement. */
  #count = 0;

  /** Pauses after so many characters. */
  constructor(piece: number = PIECE) {
    this.#piece = piece;
    this.#pauseAt = piece;
  }

  /** A list that begins at `key`, as it was when the parser was there the last time. */
  list<T>(key: number, items: T[]): OpenList<T> {
    const known = this.#lists.get(key) as OpenList<T> | undefined;
    if (known !== undefined) return known;
    const list: OpenList<T> = { items, begun: this.#count, state: undefined };
    this.#lists.set(key, list);
    return list;
  }

  /** Whether it is time to pause. */
  isDue(offset: number): boolean {
    return offset >= this.#pauseAt;
  }

  /** A list has ended. One that no pause was in is short, and may be read again. */
  close(key: number, { begun }: OpenList<unknown>): void {
    if (this.#count === begun) this.#lists.delete(key);
  }

  /** The parser continues until the end of the next step. */
  goOn(offset: number): void {
    this.#pauseAt = offset + this.#piece;
    this.#count++;
  }

  /** The next statement begins. */
  forget(): void {
    this.#lists.clear();
  }
}
