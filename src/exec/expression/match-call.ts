/** Calls of functions on a match: `search::score`, `search::highlight`, `search::offsets`. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Binary, Call } from '../../language/ast.js';
import { inCodePoints, marked, type Span, spansOf } from '../../search/highlight.js';
import { textsOf } from '../../search/indexed-texts.js';
import type { SearchQuery } from '../../search/query.js';
import { toText } from '../../value/text/text.js';
import { isTruthy } from '../../value/truthiness.js';
import { float, isArray, isObject, objectFrom, type Value } from '../../value/value.js';
import { indexedValue } from '../index/full-text.js';
import { noteOf } from '../runtime/candidates.js';
import type { Compiler, Evaluate, Execution, Frame } from '../runtime/execution.js';
import { compileMatchSite, type MatchSite } from '../search/match.js';
import { scoreOf } from '../search/score.js';
import { termsOf } from './analyzers.js';
import { compileList } from './collection.js';

/** What a function makes of a row and its arguments. */
type MatchFunction = (frame: Frame, site: MatchSite, args: readonly Value[]) => PromiseOrValue<Value>;

interface FunctionOnMatch {
  /** How many arguments can't be left out. */
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
    return andThen(args(frame), (values) => andThen(siteOf(frame), (site) => run(frame, site, values)));
  };
}

/** A text with the parts of it that match. */
interface Found {
  readonly text: string;
  readonly spans: readonly Span[];
}

/** Which terms are marked: those that are looked for, and those with a prefix. */
function wantedTerms({ terms }: SearchQuery): (term: string) => boolean {
  const whole = new Set(terms.flatMap(({ term, isPrefix }) => (isPrefix ? [] : term)));
  const prefixes = terms.flatMap(({ term, isPrefix }) => (isPrefix ? term : []));
  return (term) => whole.has(term) || prefixes.some((prefix) => term.startsWith(prefix));
}

function foundIn(execution: Execution, site: MatchSite, value: Value, partial: boolean): PromiseOrValue<Found[]> {
  const isWanted = wantedTerms(site.query);
  return mapInOrder(textsOf(value), (text) =>
    andThen(termsOf(execution, site.analyzer, text), ({ source, terms }) => ({
      text: source,
      spans: spansOf(source, terms, isWanted, partial),
    })),
  );
}

function hasHighlights({ index: { indexKind } }: MatchSite): boolean {
  return indexKind.kind === 'fulltext' && indexKind.highlights;
}

function highlight({ execution }: Frame, site: MatchSite, args: readonly Value[]): PromiseOrValue<Value> {
  const value = indexedValue({ definition: site.index }, site.row);
  if (!hasHighlights(site)) return value;
  const [prefix, suffix] = args.map((each) => (typeof each === 'string' ? each : toText(each)));
  return andThen(foundIn(execution, site, value, isTruthy(args[3])), (found): Value => {
    const texts = found.map(({ text, spans }) => marked(text, spans, prefix as string, suffix as string));
    return isArray(value) || isObject(value) ? texts : texts[0];
  });
}

function offsets({ execution }: Frame, site: MatchSite, args: readonly Value[]): PromiseOrValue<Value> {
  if (!hasHighlights(site)) return undefined;
  const value = indexedValue({ definition: site.index }, site.row);
  return andThen(foundIn(execution, site, value, isTruthy(args[1])), (found) =>
    objectFrom(
      found.flatMap(({ text, spans }, at): [string, Value][] =>
        spans.length === 0
          ? []
          : [
              [
                String(at),
                inCodePoints(text, spans).map(({ start, end }) =>
                  objectFrom([
                    ['e', end],
                    ['s', start],
                  ]),
                ),
              ],
            ],
      ),
    ),
  );
}
