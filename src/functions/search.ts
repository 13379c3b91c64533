/** Full-text search. What belongs to a condition with MATCHES is run by `records/search` where there is one. */
import { otherwise } from '../base/promise-or-value.js';
import { failure, TesseraError } from '../errors/error.js';
import { float, type Value } from '../value/value.js';
import type { FunctionContext, FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { MAX_INPUT_IN_PIECES } from './calls/input-limit.js';
import { any, rest, text } from './calls/parameters.js';
import { fusionFunctions } from './search/fusion.js';

const NO_REFERENCE = 'index_ref argument must be a literal integer in range 0..255';

function isReference(value: Value): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

/** A function on the match found by a condition, which the planner gives to it (`plan/match-calls.ts`). */
function ofMatch(
  name: string,
  least: number,
  returns: string,
  description: string,
  resultOf: (args: readonly Value[], context: FunctionContext) => Value = () => undefined,
): FunctionRow {
  const path = `search::${name}`;
  return define(
    path,
    [rest(any('arguments'))],
    returns,
    description,
    (args, context) => {
      if (args.length < least) throw failure('too_few_arguments', { name: path, least });
      const value = resultOf(args, context);
      if (value !== undefined) return value;
      if (!isReference(args[least - 1])) throw failure('misplaced_function', { name: path, reason: NO_REFERENCE });
      throw failure('misplaced_function', { name: path, reason: 'no MATCHES clause found in WHERE condition' });
    },
    { deterministic: false },
  );
}

export const searchFunctions: readonly FunctionRow[] = [
  ...fusionFunctions,
  define(
    'search::analyze',
    [text('analyzer'), text('value')],
    'array<string>',
    'The terms that an analyzer makes of a text.',
    (name, value, context) =>
      otherwise<Value>(
        () => context.analyze(name, value),
        (error) => {
          const isMissing = error instanceof TesseraError && error.code === 'analyzer_missing';
          throw isMissing ? failure('analyzer_not_found', { name }) : error;
        },
      ),
    {
      largest: MAX_INPUT_IN_PIECES,
      deterministic: false,
      expects: {
        count: 'two arguments: analyzer name and value',
        each: ['a string analyzer name', 'a string value'],
      },
    },
  ),
  ofMatch('highlight', 3, 'string', 'A text with the terms that were found marked.'),
  ofMatch('offsets', 1, 'object', 'Where in a text the terms were found.'),
  ofMatch('score', 1, 'float', 'How well a record matches.', ([reference], { indexNote }) => {
    const score = typeof reference === 'number' ? indexNote?.scores?.get(reference) : undefined;
    return score === undefined ? undefined : float(score);
  }),
];
