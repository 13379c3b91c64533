/** The candidates of full-text indexes: in the order of their keys, or the best ones first. */
import { andThen, mapInOrder, type PromiseOrValue, untilTrue } from '../../../base/promise-or-value.js';
import type { TableEntry } from '../../../catalog/definitions/database-catalog.js';
import { indexPrefix } from '../../../catalog/keys/store-keys.js';
import type { FullTextScan } from '../../../plan/nodes.js';
import { analyzerOf, bm25Of } from '../../../records/search/match.js';
import { MatchCandidates } from '../../../records/search/match-candidates.js';
import { PermittedCandidates } from '../../../records/search/permitted-candidates.js';
import { searchQueryOf } from '../../../records/search/search-query.js';
import type { Candidate, Candidates } from '../../../runtime/candidates.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import { bestMatches, type Matches, MatchesByKey, mostMatches } from '../../../search/query/matches.js';
import { openSearch, type Search } from '../../../search/query/searcher.js';
import type { Match } from '../../../search/query/window-scan.js';
import { encodeKey } from '../../../value/codecs/key-codec.js';
import type { RecordKey } from '../../../value/value.js';
import type { Demand } from '../operator.js';
import { compileFewListed } from './few-listed.js';
import type { Narrow } from './narrow.js';
import { compileOperand } from './operand.js';

/** Reads the records that a full-text index finds. */
export function narrowByFullText(scan: FullTextScan, compiler: Compiler): Narrow {
  const begin = compileFullTextScan(scan, compiler);
  return (frame, catalog, entry, demand) =>
    andThen(
      begin(frame, catalog, entry, demand),
      (candidates) =>
        candidates && { kind: 'candidates', candidates, ...(scan.direction && { direction: scan.direction }) },
    );
}

/** Reads the records that one full-text index or another finds, and those that other indexes list, each once. */
export function narrowByFullTexts(
  scans: readonly FullTextScan[],
  others: Narrow | undefined,
  compiler: Compiler,
): Narrow {
  const begin = scans.map((scan) => compileFullTextScan(scan, compiler));
  return (frame, catalog, entry) =>
    andThen(others?.(frame, catalog, entry), (narrowed) => {
      if (others !== undefined && narrowed?.kind !== 'index') return undefined;
      const ranges = narrowed?.kind === 'index' ? narrowed.ranges : [];
      return andThen(
        mapInOrder(begin, (each) => each(frame, catalog, entry)),
        (all) => {
          const found = all.filter((each) => each !== undefined);
          if (found.length < all.length) return undefined;
          const { transaction } = frame.execution.context;
          const cursors = ranges.map((range) => listed(() => transaction.scan(range)));
          return { kind: 'candidates', candidates: new UnitedCandidates([...found, ...cursors]) };
        },
      );
    });
}

/** `undefined` where the index can't answer. */
type Begin = (...site: Parameters<Narrow>) => PromiseOrValue<Candidates | undefined>;

/** To look at the text of a row takes up to so many times as long as to read a match and judge it. */
const LOOKING = 8;

function compileFullTextScan(scan: FullTextScan, compiler: Compiler): Begin {
  const search = compileSearch(scan, compiler);
  const matching = compileMatching(scan);
  const listed = scan.permitted && compileFewListed([scan.permitted], compiler);
  return (frame, catalog, entry, demand) =>
    andThen(search(frame, catalog.database.id, entry), (opened) => {
      if (opened === undefined) return undefined;
      const most = mostMatches(opened);
      return andThen(most > LOOKING ? listed?.(frame, catalog, entry) : undefined, (keys) =>
        keys !== undefined && keys.length * LOOKING < most
          ? new PermittedCandidates(keys.toSorted(), scan.condition)
          : matching(frame, opened, demand),
      );
    });
}

/** What the index itself finds. */
function compileMatching(scan: FullTextScan): (frame: Frame, opened: Search, demand?: Demand) => Candidates {
  const { index, operator, condition } = scan;
  const bm25 = bm25Of(index);
  return ({ execution }, opened, demand) => {
    const { transaction } = execution.context;
    const work = execution.interrupt;
    const isRanked = scan.direction !== undefined;
    const matches = isRanked
      ? new BestFirst((most) => bestMatches(transaction, opened, bm25, most, work), opened, demand?.inOrder)
      : new MatchesByKey(transaction, opened, scan.scored ? bm25 : undefined, work);
    const reference = isRanked || scan.scored ? (operator.reference ?? 0) : undefined;
    const isUncertain = scan.isUncertain || opened.query.phrases.length > 0;
    return new MatchCandidates(matches, condition, reference, isUncertain);
  };
}

/** Opens the search of a scan; `undefined` where the index can't answer. */
export function compileSearch(
  { index, operator, query }: FullTextScan,
  compiler: Compiler,
): (frame: Frame, database: number, entry: TableEntry) => PromiseOrValue<Search | undefined> {
  const operand = compileOperand(query, compiler);
  return (frame, database, entry) => {
    const { execution } = frame;
    const work = execution.interrupt;
    return andThen(analyzerOf(execution, index), (analyzer) =>
      andThen(operand(frame), (text) =>
        andThen(searchQueryOf(execution, analyzer, text, operator), (wanted) => {
          const prefix = indexPrefix(database, entry.definition.id, index.id);
          return openSearch(execution.context.transaction, prefix, wanted, work);
        }),
      ),
    );
  };
}

/** Number of matches to rank if the number of rows is unknown. */
const FEW = 64;
/** Factor by which more are ranked, if they weren't enough. */
const MORE = 8;

/** Matches that are handed on together. */
const BATCH = 256;

/** Best matches first. Those behind the first ones are ranked when they are asked for. */
class BestFirst implements Matches {
  #best: readonly Match[] = [];
  #taken = 0;
  #most: number;
  #isOver: boolean;

  constructor(
    private readonly rank: (most: number) => PromiseOrValue<readonly Match[]>,
    search: Search,
    most: number | undefined,
  ) {
    this.#most = Math.max(1, most ?? FEW);
    this.#isOver = search.terms.length === 0;
  }

  next(): PromiseOrValue<readonly Match[] | undefined> {
    if (this.#taken < this.#best.length) return this.#take();
    if (this.#isOver) return undefined;
    const most = this.#most;
    return andThen(this.rank(most), (best) => {
      this.#best = best;
      this.#most = most * MORE;
      this.#isOver = best.length < most;
      return this.#taken < best.length ? this.#take() : undefined;
    });
  }

  #take(): readonly Match[] {
    const batch = this.#best.slice(this.#taken, this.#taken + BATCH);
    this.#taken += batch.length;
    return batch;
  }
}

/** What another index lists, about which it says nothing. */
function listed(scan: () => ReturnType<Frame['execution']['context']['transaction']['scan']>): Candidates {
  let cursor: ReturnType<typeof scan> | undefined;
  return {
    next() {
      cursor ??= scan();
      return andThen(cursor.next(), (entries) =>
        entries?.map(([, key]): Candidate => ({ key: key as RecordKey, note: {} })),
      );
    },
    close: () => cursor?.close(),
  };
}

/** Those of several, one after the other, each record once. */
class UnitedCandidates implements Candidates {
  readonly #seen = new Set<string>();
  #at = 0;

  constructor(private readonly parts: readonly Candidates[]) {}

  next(): PromiseOrValue<readonly Candidate[] | undefined> {
    let batch: readonly Candidate[] | undefined;
    const done = untilTrue(() => {
      const part = this.parts[this.#at];
      if (part === undefined) return true;
      return andThen(part.next(), (found) => {
        if (found === undefined) {
          this.#at++;
          return false;
        }
        batch = found.filter(({ key }) => this.#isNew(encodeKey(key)));
        return batch.length > 0;
      });
    });
    return andThen(done, () => (batch?.length === 0 ? undefined : batch));
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  close(): void {
    for (const part of this.parts) part.close();
  }
}
