/** The operator of OMIT. */
import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { mapItems } from '../../../base/work/loops.js';
import type { Expression, Part } from '../../../language/ast.js';
import type { Omit } from '../../../plan/nodes.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import { withField } from '../../../value/paths.js';
import { isArray, isObject, type Value } from '../../../value/value.js';
import { destructuredPath } from '../../expression/assign.js';
import type { List, OperatorContext } from '../operator.js';
import { replaced } from './follow-links.js';
import { pathsNamed } from './paths-named.js';

/** OMIT: leaves fields out. */
export function compileOmitNode({ fields, input: below }: Omit, context: OperatorContext): List {
  const input = context.list(below);
  const omit = compileOmit(fields, context.compiler);
  return (frame, demand) => andThen(input(frame, demand), (rows) => omit(frame, rows));
}

/**
 * OMIT: leaves fields out of the rows. An element of an array becomes NONE, so that
 * the others keep their places.
 */
function compileOmit(
  omitted: readonly Expression[],
  compiler: Compiler,
): (frame: Frame, rows: readonly Value[]) => PromiseOrValue<Value[]> {
  const paths = pathsNamed(omitted, compiler);
  return (frame, rows) =>
    andThen(paths(frame), (found) =>
      mapItems(rows, frame.execution.interrupt, (row) =>
        found.reduce<Value>((rest, { parts }) => without(rest, parts, 0), row),
      ),
    );
}

/** The elements of an array are named by `[0]`, `.*` or `[*]`: a field by itself isn't one of theirs. */
function without(value: Value, parts: readonly Part[], from: number): Value {
  const part = parts[from];
  const isLast = from + 1 === parts.length;
  switch (part?.kind) {
    case 'field':
      if (!isObject(value) || !(part.name in value)) return value;
      return isLast
        ? withField(value, part.name, undefined)
        : replaced(value, part.name, without(value[part.name], parts, from + 1));
    case 'index': {
      const { index } = part;
      if (!isArray(value) || index.kind !== 'literal') return value;
      return value.map((item, at) => (at !== index.value ? item : isLast ? undefined : without(item, parts, from + 1)));
    }
    case 'all':
      if (isArray(value)) return isLast ? [] : value.map((item) => without(item, parts, from + 1));
      if (!isObject(value)) return value;
      return Object.keys(value).reduce<Value>(
        (rest, name) => without(rest, [{ kind: 'field', name }, ...parts.slice(from + 1)], 0),
        value,
      );
    case 'destructure':
      if (!isObject(value)) return value;
      return part.fields.reduce<Value>((rest, field) => without(rest, destructuredPath(field), 0), value);
    default:
      return value;
  }
}
