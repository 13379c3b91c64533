/**
 * Searches the vectors of a range of keys by how they are kept packed: reads what isn't kept, or has changed since, and
 * measures the rest where it lies, without reading it.
 */
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Execution } from '../../runtime/execution.js';
import type { Entry, Key, KeyRange, Stored } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import type { Floats } from '../../vectors/distances.js';
import type { PackedPart, PackedSite } from '../../vectors/packed-table.js';
import type { Screen } from '../../vectors/screen.js';
import { ScreenedKeys } from '../../vectors/screened-keys.js';

/** Components of a part: its vectors are read in one step, a few milliseconds of a store on disk. */
const COMPONENTS = 2 ** 16;
const MOST_VECTORS = 512;
/** A part is joined with the next if it has less than one in so many of the vectors that there is room for. */
const SPARSE = 4;

export interface PackedSource {
  /** Of the field; no other has it in this range. */
  readonly name: string;
  readonly dimension: number;
  readonly range: KeyRange;
  /** The vector in what is stored, until the next is read; `undefined` if there is none to be compared. */
  readonly read: (stored: Stored) => Floats | undefined;
}

/** Whether a search may rely on what is kept of ranges. */
export function canSearchPacked({ context: { transaction } }: Execution): boolean {
  return transaction.tracksRevisions;
}

/**
 * The keys of what may be the nearest, as many as are wanted and some more, in no order; `undefined` where too
 * many others are as near for all that is known.
 * @param screen made for the vector in question
 */
export function searchPacked(
  execution: Execution,
  source: PackedSource,
  screen: Screen,
  most: number,
): PromiseOrValue<readonly Key[] | undefined> {
  const { interrupt, request } = execution;
  const { memory } = request;
  const keys = new ScreenedKeys(screen, most);
  const parts = new PackedParts(execution, source);
  const { range } = source;
  let at = range.from;
  let held = 0;
  const step = (): PromiseOrValue<boolean> => {
    if (at >= range.to || keys.isBeyond) return true;
    return andThen(parts.from(at), (part) => {
      keys.add(part);
      at = part.to;
      if (keys.size > held) memory.charge(keys.size - held);
      held = Math.max(held, keys.size);
      return andThen(interrupt.checkpoint(), () => false);
    });
  };
  const done = memory.within(() => untilTrue(step));
  return andThen(done, () => (keys.isBeyond ? undefined : keys.keys()));
}

/** The parts of a source one after the other, as the transaction sees them. */
class PackedParts {
  readonly #execution: Execution;
  readonly #source: PackedSource;
  readonly #site: PackedSite;

  constructor(execution: Execution, source: PackedSource) {
    const { dimension, name, range } = source;
    const capacity = Math.max(1, Math.min(MOST_VECTORS, Math.floor(COMPONENTS / dimension)));
    this.#execution = execution;
    this.#source = source;
    this.#site = { name: `${range.from} ${name} ${dimension}`, dimension, capacity };
  }

  /** The one that begins at a key. */
  from(at: Key): PromiseOrValue<PackedPart> {
    const part = this.#table.at(at);
    if (part !== undefined && this.#revision(part) === part.revision) return part;
    const range = { from: at, to: this.#endOf(at, part) };
    return andThen(this.#read(range), (entries) => {
      const last = entries.length < this.#site.capacity ? undefined : entries.at(-1);
      // The least key above the last.
      const to = last === undefined ? range.to : `${last[0]}\0`;
      return this.#pack({ from: at, to }, entries);
    });
  }

  get #table() {
    return this.#execution.services.packedVectors.table(this.#site);
  }

  #revision(range: KeyRange): number | undefined {
    return this.#execution.context.transaction.rangeRevision(range);
  }

  /** Where a part is to end at most that is packed again, or of which there was none. */
  #endOf(at: Key, part: PackedPart | undefined): Key {
    const next = this.#table.behind(at);
    const end = part?.to ?? next?.from ?? this.#source.range.to;
    const isSparse = part !== undefined && SPARSE * part.keys.length < this.#site.capacity;
    return isSparse && next?.from === end ? next.to : end;
  }

  #read(range: KeyRange): PromiseOrValue<readonly Entry[]> {
    const { capacity } = this.#site;
    const options = { batch: capacity, limit: capacity };
    const entries: Entry[] = [];
    const read = forEachBatch(this.#execution.context.transaction.scan(range, options), (batch) => {
      entries.push(...batch);
      return false;
    });
    return andThen(read, () => entries);
  }

  #pack({ from, to }: KeyRange, entries: readonly Entry[]): PackedPart {
    const range = { from, to, revision: this.#revision({ from, to }) };
    const { read } = this.#source;
    const found = entries.filter(([, stored]) => read(stored) !== undefined);
    const keys = found.map(([key]) => key);
    return this.#execution.services.packedVectors.pack(this.#site, range, keys, (block) => {
      for (const [, stored] of found) block.add(read(stored) as Floats);
    });
  }
}
