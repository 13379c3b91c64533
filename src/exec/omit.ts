import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Expression, Idiom } from '../language/ast.js';
import { isObject, type Value } from '../value/value.js';
import type { Compiler, Frame } from './execution.js';
import { unsetPath } from './expression/assign.js';
import { pathsNamed } from './paths-named.js';

/** OMIT: leaves fields out of the rows. */
export function compileOmit(
  omitted: readonly Expression[],
  compiler: Compiler,
): (frame: Frame, rows: readonly Value[]) => PromiseOrValue<Value[]> {
  const paths = pathsNamed(omitted, compiler);
  return (frame, rows) =>
    andThen(paths(frame), (found) =>
      rows.map((row) =>
        found.reduce<Value>((rest, path: Idiom) => (isObject(rest) ? unsetPath(rest, path) : rest), row),
      ),
    );
}
