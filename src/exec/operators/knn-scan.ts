/** `v <|3,40|> $point`: the records of an HNSW index, nearest first. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { sortInSteps } from '../../base/sort-in-steps.js';
import { indexPrefix } from '../../catalog/keys.js';
import { components, type HnswKind, packComponents, recordOfVector, vectorRange } from '../../index/vectors.js';
import type { KnnScan } from '../../plan/nodes.js';
import type { Entry, Key } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { float } from '../../value/value.js';
import { type Distance, distanceOf, type Floats } from '../../vectors/distances.js';
import { type Metric, parseMetric } from '../../vectors/metric.js';
import { Nearest, type Neighbour } from '../../vectors/nearest.js';
import { PackedBlock } from '../../vectors/packed-block.js';
import { isScreened, Screen } from '../../vectors/screen.js';
import { unpackVector, type VectorType } from '../../vectors/vector-type.js';
import type { Candidate, Candidates } from '../record/candidates.js';
import { pausingOf } from '../runtime/cooperative-yielding.js';
import type { Compiler, Execution } from '../runtime/execution.js';
import type { Narrow } from './narrow.js';
import { compileVector } from './vector-operand.js';

/** Nearest first, as many as are asked for: other conditions and PERMISSIONS judge them, until enough are left. */
export function narrowByNearest({ index, vector, k, ef }: KnnScan, compiler: Compiler): Narrow {
  const operand = compileVector(vector, compiler);
  const { dimension, type, distance } = index.indexKind as HnswKind;
  const metric = parseMetric(distance);
  return (frame, { database }, { definition }) =>
    andThen(operand(frame), (value) => {
      // It is rounded as those that are stored were.
      const point = unpackVector(packComponents(components(value, dimension), type), type);
      const prefix = indexPrefix(database.id, definition.id, index.id);
      const search = { point, prefix, type, metric, first: Math.max(k, ef) };
      return { kind: 'candidates', candidates: new NearestVectors(frame.execution, search) };
    });
}

interface VectorSearch {
  readonly point: Floats;
  /** Of the index. */
  readonly prefix: string;
  readonly type: VectorType;
  readonly metric: Metric;
  /** How many candidates come first. */
  readonly first: number;
}

/** Where conditions and PERMISSIONS turn down too many, so many times as many are looked for next. */
const GROWTH = 16;
/** Entries, or candidates, a batch. */
const BATCH = 256;
/** What a candidate that is held takes, in bytes. */
const HELD = 128;
/** Longer vectors aren't kept packed, so that a batch of them takes no longer than a step may. */
const MOST_PACKED = 2 ** 12;

/** The vectors of an index by how near they lie, all of which are measured. */
class NearestVectors implements Candidates {
  readonly #execution: Execution;
  readonly #search: VectorSearch;
  readonly #distance: Distance;
  readonly #screen: Screen | undefined;
  readonly #charged: number;
  /** Nearest first, of which so many have been given. */
  #found: readonly Neighbour<Key>[] = [];
  #given = 0;
  /** There are no more than were found. */
  #isComplete = false;
  #wanted: number;

  constructor(execution: Execution, search: VectorSearch) {
    const { point, metric, first } = search;
    this.#execution = execution;
    this.#search = search;
    this.#distance = distanceOf(metric);
    const isKept = isScreened(metric) && point.length <= MOST_PACKED;
    this.#screen = isKept ? new Screen(metric, Float64Array.from(point)) : undefined;
    this.#wanted = first;
    this.#charged = execution.request.memory.used;
  }

  next(): PromiseOrValue<readonly Candidate[] | undefined> {
    const more = this.#given < this.#found.length ? undefined : this.#findMore();
    return andThen(more, () => {
      const batch = this.#found.slice(this.#given, this.#given + BATCH);
      this.#given += batch.length;
      return batch.length === 0 ? undefined : batch.map((neighbour) => this.#candidate(neighbour));
    });
  }

  close(): void {
    this.#execution.request.memory.releaseTo(this.#charged);
  }

  /** Those that were found before come first again. */
  #findMore(): PromiseOrValue<void> {
    const wanted = this.#wanted;
    if (this.#isComplete) return undefined;
    return andThen(this.#nearest(wanted), (sorted) => {
      this.#execution.request.memory.charge((sorted.length - this.#found.length) * HELD);
      this.#found = sorted;
      this.#isComplete = sorted.length < wanted;
      this.#wanted = wanted * GROWTH;
    });
  }

  #nearest(most: number): PromiseOrValue<readonly Neighbour<Key>[]> {
    const nearest = new Nearest<Key>(most, (a, b) => (a < b ? -1 : 1));
    const { context, interrupt } = this.#execution;
    const cursor = context.transaction.scan(vectorRange(this.#search.prefix), { batch: BATCH });
    let batches = 0;
    const measured = forEachBatch(cursor, (entries) => {
      this.#measure(entries, batches++, nearest);
      return andThen(interrupt.checkpoint(), () => false);
    });
    return andThen(measured, () => sortInSteps(nearest.items(), pausingOf(this.#execution), nearest.compare));
  }

  #measure(entries: readonly Entry[], batch: number, nearest: Nearest<Key>): void {
    const { point, type } = this.#search;
    const bounds = this.#bounds(entries, batch);
    for (let at = 0; at < entries.length; at++) {
      const [key, bytes] = entries[at] as Entry;
      if (bounds !== undefined && (bounds[at] as number) > nearest.bound) continue;
      const distance = this.#distance(unpackVector(bytes as Uint8Array, type), point);
      if (!(distance > nearest.bound)) nearest.offer(distance, key);
    }
  }

  /** A number for each of the vectors, beneath its distance. */
  #bounds(entries: readonly Entry[], batch: number): Float64Array | undefined {
    const screen = this.#screen;
    if (screen === undefined) return undefined;
    const { prefix, type, point } = this.#search;
    const sources = entries.map(([, bytes]) => bytes);
    const pack = (): PackedBlock => {
      const block = new PackedBlock(sources.length, point.length);
      sources.forEach((bytes, at) => {
        block.add(unpackVector(bytes as Uint8Array, type), at);
      });
      return block;
    };
    return screen.lowerBounds(this.#execution.services.packedVectors.block(prefix, batch, sources, pack));
  }

  #candidate({ distance, item }: Neighbour<Key>): Candidate {
    return { key: recordOfVector(this.#search.prefix, item), note: { distance: float(distance) } };
  }
}
