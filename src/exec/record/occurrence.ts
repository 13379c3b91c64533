/** Field definitions name places in a record (`a.b`, `tags.*`, `lines[0].sum`); this walks all places that a path names. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Part } from '../../language/ast.js';
import { withField } from '../../value/paths.js';
import { isArray, isObject, type Value } from '../../value/value.js';

/** Gives the new value of a place; the values of the same place in the companions come with it. */
export type Rewrite = (value: Value, companions: readonly Value[]) => PromiseOrValue<Value>;

/**
 * Rewrites each place that `parts` name in `value`, leaving the original untouched. `companions` are other versions of the same
 * value (as it was before, as it was given), walked in step. NONE removes the place; a missing parent is made only when there is
 * something to put into it.
 */
export function rewriteAt(
  value: Value,
  companions: readonly Value[],
  parts: readonly Part[],
  rewrite: Rewrite,
  from = 0,
): PromiseOrValue<Value> {
  const part = parts[from];
  if (part === undefined) return rewrite(value, companions);
  if (part.kind === 'field') {
    if (value !== undefined && !isObject(value)) return value;
    const { name } = part;
    const old = value?.[name];
    const below = companions.map((each) => (isObject(each) ? each[name] : undefined));
    return andThen(rewriteAt(old, below, parts, rewrite, from + 1), (fresh) =>
      fresh === old ? value : withField(value, name, fresh),
    );
  }
  if (part.kind === 'all') {
    if (isArray(value)) {
      const elements = mapInOrder(value, (element, index) =>
        rewriteAt(
          element,
          companions.map((each) => (isArray(each) ? each[index] : undefined)),
          parts,
          rewrite,
          from + 1,
        ),
      );
      return andThen(elements, (fresh) => {
        if (sameItems(fresh, value)) return value;
        return fresh.filter((element, index) => element !== undefined || value[index] === undefined);
      });
    }
    if (isObject(value)) {
      const names = Object.keys(value);
      const members = mapInOrder(names, (name) =>
        rewriteAt(
          value[name],
          companions.map((each) => (isObject(each) ? each[name] : undefined)),
          parts,
          rewrite,
          from + 1,
        ),
      );
      return andThen(members, (fresh) =>
        names.reduce<Value>((all, name, at) => withField(all, name, fresh[at]), value),
      );
    }
    return value;
  }
  if (
    part.kind === 'index' &&
    part.index.kind === 'literal' &&
    typeof part.index.value === 'number' &&
    isArray(value)
  ) {
    const at = part.index.value;
    if (at >= value.length) return value;
    const below = companions.map((each) => (isArray(each) ? each[at] : undefined));
    return andThen(rewriteAt(value[at], below, parts, rewrite, from + 1), (fresh) =>
      fresh === value[at] ? value : value.with(at, fresh),
    );
  }
  return value;
}

function sameItems(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
