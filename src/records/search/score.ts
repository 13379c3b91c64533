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
import { nameOf, occurrencesOf } from '../../search/query/query.js';
import { openSearch, type Search } from '../../search/query/searcher.js';
import { lengthFactor, type Statistics, termScore } from '../../search/segments/bm25.js';
import type { DocumentTerms } from '../../search/text/document-terms.js';
import { bm25Of, isMatch, type MatchSite, rowTerms } from './match.js';
import { MatchCandidates } from './match-candidates.js';

/** How well a row matches; 0 where it doesn't. */
export function scoreOf({ execution, current }: Frame, site: MatchSite): PromiseOrValue<number> {
  return andThen(rowTerms(execution, site), (terms) => {
    return andThen(isMatch(execution, site, terms), (matches) => {
      if (!matches) return 0;
      return andThen(weightsFor(execution, site, noteOf(current)?.scan), (weights) => scored(site, terms, weights));
    });
  });
}

/** What terms weigh in scores. */
interface Weights {
  readonly statistics: Statistics;
  readonly of: ReadonlyMap<string, number>;
}

function scored({ index, query }: MatchSite, terms: DocumentTerms, { statistics, of }: Weights): number {
  const bm25 = bm25Of(index);
  const factor = lengthFactor(bm25, statistics)(terms.length);
  let score = 0;
  for (const term of query.terms) {
    const occurrences = occurrencesOf(term, terms);
    const weight = of.get(nameOf(term)) ?? 0;
    if (occurrences > 0 && weight !== 0) score += termScore(weight, occurrences, factor, bm25);
  }
  return Math.fround(score);
}

/** By the scan that found the rows, and what is looked for. */
const remembered = new WeakMap<object, Map<string, PromiseOrValue<Weights>>>();

function weightsFor(execution: Execution, site: MatchSite, scan: object | undefined): PromiseOrValue<Weights> {
  const work = isHiddenInPart(execution, site) ? visibleWeights : indexWeights;
  if (scan === undefined) return work(execution, site);
  let known = remembered.get(scan);
  if (known === undefined) {
    known = new Map();
    remembered.set(scan, known);
  }
  const name = JSON.stringify([site.index.id, site.query]);
  let weights = known.get(name);
  if (weights === undefined) {
    weights = work(execution, site);
    known.set(name, weights);
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

/** A term that all of the rows hold weighs something as well. */
function visibleWeights(execution: Execution, site: MatchSite): PromiseOrValue<Weights> {
  return andThen(searchOf(execution, site), (search) => {
    const work = execution.interrupt;
    const matches = new MatchesByKey(execution.context.transaction, search, undefined, work);
    const having = new Map<string, number>();
    let documents = 0;
    let all = 0;
    const candidates = new MatchCandidates(matches, site, undefined, true);
    const count = (terms: DocumentTerms): void => {
      documents++;
      all += terms.length;
      for (const { term } of search.terms) {
        if (occurrencesOf(term, terms) > 0) having.set(nameOf(term), (having.get(nameOf(term)) ?? 0) + 1);
      }
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

/** Hands over the terms of those rows that match, as far as they are seen. */
function countAll(
  execution: Execution,
  site: MatchSite,
  rows: readonly MatchSite['row'][],
  count: (terms: DocumentTerms) => void,
): PromiseOrValue<void> {
  return forEachInOrder(rows, (row) => {
    const there = { ...site, row };
    return andThen(rowTerms(execution, there), (terms) =>
      andThen(isMatch(execution, there, terms), (matches) => {
        if (matches) count(terms);
        return false;
      }),
    );
  });
}
