/**
 * Scores of rows. What scores are made with comes from the whole index for those who see all of it. For those whom
 * PERMISSIONS bind it comes from the rows that match and that they may see, so that no score shows anything hidden.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { indexPrefix } from '../../catalog/keys/store-keys.js';
import { failure } from '../../errors/error.js';
import { mayHideRecords } from '../../plan/access/facts.js';
import { noteOf } from '../../runtime/candidates.js';
import type { Execution } from '../../runtime/execution.js';
import type { Frame } from '../../runtime/frame.js';
import { MatchesByKey } from '../../search/query/matches.js';
import { nameOf, type SearchQuery } from '../../search/query/query.js';
import { openSearch, type Search } from '../../search/query/searcher.js';
import { lengthFactor, type Statistics, termScore } from '../../search/segments/bm25.js';
import { bm25Of, type MatchSite, matchRow } from './match.js';
import { MatchCandidates } from './match-candidates.js';
import { PermittedCandidates, type RowMatch } from './permitted-candidates.js';

/** How well a row matches; 0 where it doesn't. */
export function scoreOf({ execution, current }: Frame, site: MatchSite): PromiseOrValue<number> {
  return andThen(matchRow(execution, site), (match) => {
    if (!match.matches) return 0;
    return andThen(weightsFor(execution, site, noteOf(current)?.scan), (weights) => scored(site, match, weights));
  });
}

/** What terms weigh in scores. */
interface Weights {
  readonly statistics: Statistics;
  readonly of: ReadonlyMap<string, number>;
}

function scored({ index, query }: MatchSite, match: RowMatch, { statistics, of }: Weights): number {
  const bm25 = bm25Of(index);
  const factor = lengthFactor(bm25, statistics)(match.length);
  let score = 0;
  for (const [at, term] of query.terms.entries()) {
    const occurrences = match.occurrences[at] as number;
    const weight = of.get(nameOf(term)) ?? 0;
    if (occurrences > 0 && weight !== 0) score += termScore(weight, occurrences, factor, bm25);
  }
  return Math.fround(score);
}

/** By the scan that found the rows, and what is looked for. */
const remembered = new WeakMap<object, WeakMap<SearchQuery, PromiseOrValue<Weights>>>();

function weightsFor(execution: Execution, site: MatchSite, scan: object | undefined): PromiseOrValue<Weights> {
  const work = isHiddenInPart(execution, site) ? visibleWeights : indexWeights;
  if (scan === undefined) return work(execution, site, undefined);
  let known = remembered.get(scan);
  if (known === undefined) {
    known = new WeakMap();
    remembered.set(scan, known);
  }
  let weights = known.get(site.query);
  if (weights === undefined) {
    weights = work(execution, site, scan);
    known.set(site.query, weights);
  }
  return weights;
}

/** Whether statistics of the whole index would reveal what the reader may not see. */
function isHiddenInPart({ checks, services: { analyzers, reader } }: Execution, { table, index }: MatchSite): boolean {
  if (!checks.view || analyzers.sharesStatistics) return false;
  return mayHideRecords(table) || index.fields.some(({ parts }) => reader.mayHide(table, parts));
}

function searchOf(execution: Execution, { catalog, table, index, query }: MatchSite): PromiseOrValue<Search> {
  const prefix = indexPrefix(catalog.database.id, table.definition.id, index.id);
  const work = execution.interrupt;
  if (index.state === 'building') throw failure('index_building', { index: index.name });
  return andThen(openSearch(execution.context.transaction, prefix, query, work), (search) => {
    // One that an earlier version has kept without effect.
    if (search === undefined) throw failure('index_building', { index: index.name });
    return search;
  });
}

function indexWeights(execution: Execution, site: MatchSite): PromiseOrValue<Weights> {
  return andThen(searchOf(execution, site), ({ statistics, terms }) => ({
    statistics,
    of: new Map(terms.map(({ term, weight }) => [nameOf(term), weight])),
  }));
}

/**
 * A term that all of the rows hold weighs something as well. Where the scan that found a row lists all that may be
 * seen, those are counted, rather than all that match.
 */
function visibleWeights(execution: Execution, site: MatchSite, scan: object | undefined): PromiseOrValue<Weights> {
  return andThen(searchOf(execution, site), (search) => {
    const having = new Map<string, number>();
    let documents = 0;
    let all = 0;
    const candidates = scan instanceof PermittedCandidates ? scan.again() : allMatches(execution, site, search);
    const count = ({ length, occurrences }: RowMatch): void => {
      documents++;
      all += length;
      const held = site.query.terms.filter((_, at) => (occurrences[at] as number) > 0);
      for (const name of new Set(held.map(nameOf))) having.set(name, (having.get(name) ?? 0) + 1);
    };
    const read = execution.services.reader.scan(execution, { table: site.table.definition.name, candidates }, (rows) =>
      andThen(countAll(execution, site, rows, count), () => undefined),
    );
    return andThen(read, () => ({
      statistics: { documents, terms: all },
      of: new Map(Array.from(having, ([term, count]) => [term, Math.log(1 + documents / count)])),
    }));
  });
}

function allMatches(execution: Execution, site: MatchSite, search: Search): MatchCandidates {
  const matches = new MatchesByKey(execution.context.transaction, search, undefined, execution.interrupt);
  return new MatchCandidates(matches, site, undefined, true);
}

/** Hands over what is found in those rows that match, as far as they are seen. */
function countAll(
  execution: Execution,
  site: MatchSite,
  rows: readonly MatchSite['row'][],
  count: (match: RowMatch) => void,
): PromiseOrValue<void> {
  return forEachInOrder(rows, (row) =>
    andThen(matchRow(execution, { ...site, row }), (match) => {
      if (match.matches) count(match);
      return false;
    }),
  );
}
