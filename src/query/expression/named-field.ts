/** `type::field(name)` and `type::fields(names)`: paths of the current document, given as text. */
import { andThen, mapInOrder } from '../../base/promise-or-value.js';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import { failure } from '../../errors/error.js';
import { invalidArguments, wrongType } from '../../functions/calls/arguments.js';
import type { Call, Idiom, Part } from '../../language/ast.js';
import { parseIdiom } from '../../language/parse.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { toText } from '../../value/text/text.js';
import { isArray, type Value } from '../../value/value.js';

const FIELD = 'type::field';
const FIELDS = 'type::fields';

/**
 * The evaluation of a call of one of the two; `undefined` for any other call.
 * @throws TesseraError `invalid_arguments`, when it runs
 */
export function compileNamedField({ path, args }: Call, compiler: Compiler): Evaluate | undefined {
  if (path !== FIELD && path !== FIELDS) return undefined;
  const [name] = args;
  if (name === undefined || args.length > 1) {
    return () => {
      throw invalidArguments(path, 'Expected 1 argument');
    };
  }
  const evaluate = compiler.expression(name);
  const read = (given: string, frame: Frame) => compiler.expression(plainPath(given))(frame);
  if (path === FIELD) return (frame) => andThen(evaluate(frame), (given) => read(nameGiven(given), frame));
  return (frame) => andThen(evaluate(frame), (given) => mapInOrder(namesGiven(given), (each) => read(each, frame)));
}

/**
 * The names in the argument of `type::field` or `type::fields`.
 * @throws TesseraError `invalid_arguments`
 */
export function namesOfCall(path: string, given: Value): readonly string[] {
  return path === FIELD ? [nameGiven(given)] : namesGiven(given);
}

function nameGiven(given: Value): string {
  if (typeof given === 'string') return given;
  throw wrongType(FIELD, 1, { kind: 'string' }, given);
}

function namesGiven(given: Value): readonly string[] {
  if (!isArray(given)) throw wrongType(FIELDS, 1, { kind: 'array', item: { kind: 'string' } }, given);
  const wrong = given.findIndex((each) => typeof each !== 'string');
  if (wrong >= 0) throw wrongType(FIELDS, 1, { kind: 'string' }, given[wrong], 'array<string>');
  return given as readonly string[];
}

/** Parts that run nothing, since the text is untrusted. */
function isPlain(part: Part): boolean {
  switch (part.kind) {
    case 'field':
    case 'all':
    case 'flatten':
    case 'last':
    case 'optional':
      return true;
    case 'index':
      return part.index.kind === 'literal';
    default:
      return false;
  }
}

/** Characters of recently used names in the cache, plus an overhead for each; at most twice as many are kept. */
const KEPT_CHARACTERS = 2 ** 16;
const ENTRY_CHARACTERS = 32;
const paths = new TwoGenerationCache<string, Idiom>(KEPT_CHARACTERS, (text) => text.length + ENTRY_CHARACTERS);

/**
 * The path of a name. The text is untrusted, so that only fields are accepted.
 * @throws TesseraError `parse_error`, `invalid_path`
 */
export function plainPath(text: string): Idiom {
  let path = paths.get(text);
  if (path === undefined) {
    path = parseIdiom(text);
    if (path.start !== undefined || !path.parts.every(isPlain)) throw failure('invalid_path', { value: toText(text) });
    paths.set(text, path);
  }
  return path;
}
