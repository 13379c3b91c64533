/** Calls of functions on a match: `search::score`, `search::highlight`, `search::offsets`. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { mapItems } from '../../base/work/loops.js';
import { failure } from '../../errors/error.js';
import { checkLength } from '../../functions/calls/output-limit.js';
import type { Binary, Call } from '../../language/ast.js';
import { indexedValue } from '../../records/index/full-text.js';
import { compileMatchSite, type MatchSite } from '../../records/search/match.js';
import { scoreOf } from '../../records/search/score.js';
import { noteOf } from '../../runtime/candidates.js';
import { chargedWork } from '../../runtime/charged-work.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { SearchQuery } from '../../search/query/query.js';
import { CodePoints, type Span, SpanCollector, united } from '../../search/text/highlight.js';
import { textsOf } from '../../search/text/indexed-texts.js';
import { toText } from '../../value/text/text.js';
import { isTruthy } from '../../value/truthiness.js';
import { float, isArray, isObject, objectFrom, type Value } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import { compileList } from './collection.js';

/** The implementation of a function for a row and its arguments. */
type MatchFunction = (frame: Frame, site: MatchSite, args: readonly Value[]) => PromiseOrValue<Value>;

interface FunctionOnMatch {
  /** Number of required arguments. */
  readonly least: number;
  readonly run: MatchFunction;
}

const FUNCTIONS: Readonly<Record<string, FunctionOnMatch>> = {
  'search::score': { least: 1, run: (frame, site) => andThen(scoreOf(frame, site), float) },
  'search::highlight': { least: 3, run: highlight },
  'search::offsets': { least: 1, run: offsets },
};

/**
 * Compiles a function on a full-text condition (`search::score`, `search::highlight`, …), joined to it by its
 * reference.
 * @throws TesseraError `too_few_arguments`, when it runs
 */
export function compileMatchCall(call: Call, condition: Binary, compiler: Compiler): Evaluate {
  const { least, run } = FUNCTIONS[call.path] as FunctionOnMatch;
  const args = compileList(call.args, compiler);
  const siteOf = compileMatchSite(condition, compiler);
  const { operator } = condition;
  const reference = (typeof operator === 'object' && operator.kind === 'matches' ? operator.reference : undefined) ?? 0;
  const isScore = call.path === 'search::score';
  return (frame) => {
    if (call.args.length < least) throw failure('too_few_arguments', { name: call.path, least });
    frame.execution.services.functions?.check(call.path);
    const note = noteOf(frame.current);
    const known = isScore && note?.condition === condition ? note.scores?.get(reference) : undefined;
    if (known !== undefined) return float(known);
    const made = andThen(args(frame), (values) => andThen(siteOf(frame), (site) => run(frame, site, values)));
    if (isScore) return made;
    // Many small spans are much together.
    return andThen(made, (value) => frame.execution.request.memory.charged(value, weightOf));
  };
}

/** A text with the parts of it that match. */
interface Found {
  readonly text: string;
  readonly spans: readonly Span[];
}

/** The terms to mark: those of the query, and those with a prefix. */
function wantedTerms({ terms }: SearchQuery): (term: string) => boolean {
  const whole = new Set(terms.flatMap(({ term, isPrefix }) => (isPrefix ? [] : term)));
  const prefixes = terms.flatMap(({ term, isPrefix }) => (isPrefix ? term : []));
  return (term) => whole.has(term) || prefixes.some((prefix) => term.startsWith(prefix));
}

function foundIn(
  { execution }: Frame,
  site: MatchSite,
  value: Value,
  partial: boolean,
): PromiseOrValue<readonly Found[]> {
  const isWanted = wantedTerms(site.query);
  const { analyzer, source } = site.analyzer;
  return mapInOrder(textsOf(value), (given) =>
    andThen(source(given), (text) => {
      const collector = new SpanCollector(text, isWanted, partial);
      const { spans } = collector;
      const work = chargedWork(execution, () => spans.length);
      const done = analyzer.tokens(text, work, (terms, start, end) => collector.visit(terms, start, end));
      return andThen(done, () => ({ text, spans }));
    }),
  );
}

/** A text with a prefix and a suffix around each of some parts, of which those that overlap are one. */
function marked({ execution }: Frame, { text, spans }: Found, prefix: string, suffix: string): PromiseOrValue<string> {
  const parts = united(spans);
  checkLength('search::highlight', parts.length * (prefix.length + suffix.length));
  let written = 0;
  const done = mapItems(parts, execution.interrupt, ({ start, end }) => {
    const piece = `${text.slice(written, start)}${prefix}${text.slice(start, end)}${suffix}`;
    written = end;
    return piece;
  });
  return andThen(done, (pieces) => pieces.join('') + text.slice(written));
}

function hasHighlights({ index: { indexKind } }: MatchSite): boolean {
  return indexKind.kind === 'fulltext' && indexKind.highlights;
}

function highlight(frame: Frame, site: MatchSite, args: readonly Value[]): PromiseOrValue<Value> {
  const value = indexedValue({ definition: site.index }, site.row);
  if (!hasHighlights(site)) return value;
  const [prefix = '', suffix = ''] = args.map((each) => (typeof each === 'string' ? each : toText(each)));
  return andThen(foundIn(frame, site, value, isTruthy(args[3])), (found) =>
    andThen(
      mapInOrder(found, (each) => marked(frame, each, prefix, suffix)),
      (texts): Value => (isArray(value) || isObject(value) ? texts : texts[0]),
    ),
  );
}

function offsets(frame: Frame, site: MatchSite, args: readonly Value[]): PromiseOrValue<Value> {
  if (!hasHighlights(site)) return undefined;
  const value = indexedValue({ definition: site.index }, site.row);
  return andThen(foundIn(frame, site, value, isTruthy(args[1])), (found) =>
    andThen(
      mapInOrder(found, ({ text, spans }) => {
        const points = new CodePoints(text);
        return mapItems(spans, frame.execution.interrupt, (span) => {
          const { start, end } = points.of(span);
          return objectFrom([
            ['e', end],
            ['s', start],
          ]);
        });
      }),
      (all) =>
        objectFrom(all.flatMap((each, at): [string, Value][] => (each.length === 0 ? [] : [[String(at), each]]))),
    ),
  );
}
