import type { KeyRange, Versionstamp } from '../../src/storage/contract.js';
import type {
  CommitGroup,
  CommitOutcome,
  HeadStamps,
  LogPage,
  LogSlice,
  ReadAnswer,
  ReadRequest,
  RemoteStore,
  StoreSnapshot,
} from '../../src/storage/remote/store.js';

/** Counts how often calls of a store are waited for one after another: those under way together count once. */
export class CountingStore implements RemoteStore {
  readonly name: string;
  readonly node: string;
  readonly maxKeyLength: number;
  readonly mostLoggedKeys: number;
  waits = 0;
  #underWay = 0;

  constructor(private readonly inner: RemoteStore) {
    this.name = inner.name;
    this.node = inner.node;
    this.maxKeyLength = inner.maxKeyLength;
    this.mostLoggedKeys = inner.mostLoggedKeys;
  }

  get known(): Versionstamp {
    return this.inner.known;
  }

  snapshot(): StoreSnapshot {
    const snapshot = this.inner.snapshot();
    return {
      read: (request: ReadRequest): Promise<ReadAnswer> => this.#counted(snapshot.read(request)),
      count: (range: KeyRange): Promise<number> => this.#counted(snapshot.count(range)),
      release: () => snapshot.release(),
    };
  }

  apply(group: CommitGroup): Promise<readonly CommitOutcome[]> {
    return this.#counted(this.inner.apply(group));
  }

  settle(group: CommitGroup): Promise<readonly CommitOutcome[] | 'not applied'> {
    return this.#counted(this.inner.settle(group));
  }

  /** Followers read the log beside what is waited for. */
  headsAbove(above: Versionstamp): Promise<HeadStamps> {
    return this.inner.headsAbove(above);
  }

  log(slices: readonly LogSlice[]): Promise<LogPage> {
    return this.inner.log(slices);
  }

  time(): Promise<bigint> {
    return this.inner.time();
  }

  prune(): Promise<boolean> {
    return this.inner.prune();
  }

  check(): Promise<void> {
    return this.#counted(this.inner.check());
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  async #counted<T>(answer: Promise<T>): Promise<T> {
    if (this.#underWay++ === 0) this.waits++;
    try {
      return await answer;
    } finally {
      this.#underWay--;
    }
  }
}
