/** Paths that FETCH and OMIT take from texts and params, as well as written out. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { failure } from '../../../errors/error.js';
import type { Expression, Idiom } from '../../../language/ast.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import { flattenDeep } from '../../../value/flatten.js';
import { toText } from '../../../value/text/text.js';
import type { Value } from '../../../value/value.js';
import { plainPath } from '../../expression/named-field.js';

/** `type::field($name)` and `type::fields($names)` denote paths in some clauses rather than the values at them. */
export function fieldNames(expression: Expression): Expression | undefined {
  if (expression.kind !== 'call') return undefined;
  return expression.path === 'type::field' || expression.path === 'type::fields' ? expression.args[0] : undefined;
}

/** The paths that a FETCH or OMIT clause names: written out, or as text by a param or `type::field(s)`. */
export function pathsNamed(
  expressions: readonly Expression[],
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<Idiom[]> {
  const compiled = expressions.map((expression) => {
    if (expression.kind === 'idiom' && expression.start === undefined) return () => [expression];
    const named = fieldNames(expression);
    const evaluate = compiler.expression(named ?? expression);
    return (frame: Frame) => andThen(evaluate(frame), named === undefined ? pathOf : pathsOf);
  });
  return (frame) =>
    andThen(
      mapInOrder(compiled, (paths) => paths(frame)),
      (groups) => groups.flat(),
    );
}

/** What `type::field(s)` name. @throws TesseraError `parse_error`, `invalid_path`, `invalid_arguments` */
function pathsOf(value: Value): Idiom[] {
  return flattenDeep(value).map((path) => {
    if (typeof path === 'string') return plainPath(path);
    const reason = `Argument 1 was the wrong type. Expected \`string\` but found \`${toText(path)}\``;
    throw failure('invalid_arguments', { name: 'type::field', reason });
  });
}

/** @throws TesseraError `parse_error`, `invalid_path`, `fetch_path` */
function pathOf(value: Value): Idiom[] {
  if (typeof value === 'string') return [plainPath(value)];
  throw failure('fetch_path', { value: toText(value) });
}
