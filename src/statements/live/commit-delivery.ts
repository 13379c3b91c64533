/** Delivers the changes of a log by commits: who listens with SINCE has to know which of a commit is the last. */
import type { LiveQuery } from '../../runtime/execution.js';
import type { ChangeMemory } from '../../runtime/live-changes.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import type { Versionstamp } from '../../storage/contract.js';
import type { LogPosition } from '../../storage/transaction/append.js';

/** A live query, and the position in the log up to which it has got changes. */
export interface LogReader {
  readonly query: LiveQuery;
  next: LogPosition;
  hasEnded: boolean;
}

export interface ReadChange {
  readonly change: WrittenRecord;
  readonly memory: ChangeMemory;
  readonly position: LogPosition;
  readonly stamp: Versionstamp;
}

/**
 * The changes of the commit that is read: the latest of each reader is held until the next one, or the end of the
 * commit. A reader's position counts what was delivered: what is held would be read again.
 */
export class CommitDelivery {
  readonly #since: number;
  #held = new Map<LogReader, ReadChange>();

  /** `since`: when this process learned of the commits, on the monotonic clock. */
  constructor(since: number) {
    this.#since = since;
  }

  take(reader: LogReader, change: ReadChange): void {
    this.flush(reader);
    this.#held.set(reader, change);
  }

  /** Delivers what is held for a reader; more of the commit follows. */
  flush(reader: LogReader): void {
    const before = this.#held.get(reader);
    if (before === undefined) return;
    this.#held.delete(reader);
    this.#deliver(reader, before, false);
  }

  /** The commit has no more changes. Returns the queries that have got its last ones. */
  complete(): ReadonlySet<LiveQuery> {
    const queries = new Set<LiveQuery>();
    for (const [reader, change] of this.#held) {
      this.#deliver(reader, change, true);
      queries.add(reader.query);
    }
    this.#held = new Map();
    return queries;
  }

  #deliver(reader: LogReader, { change, memory, position, stamp }: ReadChange, isLast: boolean): void {
    if (reader.hasEnded) return;
    const { query } = reader;
    reader.next = `${position}\0`;
    query.listener.changed(query, change, { stamp, memory, since: this.#since, isLast });
  }
}
