/**
 * The record users whom the rule of a table lets see a record, as far as its values alone say so: a change that is for
 * one user needn't be judged for a thousand others.
 */
import { Derived } from '../../base/derived.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { Expression, Permission } from '../../language/ast.js';
import { isFieldPath, operandsOf } from '../../plan/access/comparisons.js';
import { isTruthy } from '../../value/truthiness.js';
import { isArray, type ObjectValue, SetValue, type Value } from '../../value/value.js';
import { ANY, constantKey, type Equality, equalities, isReader, keyRead } from './watched-value.js';

/** Any user may see it, for all that is known. */
export const EVERYONE = Symbol('everyone');
/** The keys (`keyOfReader`) of the users who may; others may not. */
export type Audience = typeof EVERYONE | ReadonlySet<string>;

/** Elements of an array beyond which it isn't looked through. */
const MOST_ELEMENTS = 1_000;

/** A part of a rule that says something of a field at the top of the record. */
type Demand =
  | { readonly kind: 'truthy'; readonly field: string }
  /** Without a key the value is to be the user. */
  | (Pick<Equality, 'field' | 'isElement'> & { readonly kind: 'equal'; readonly key: string | undefined });

/** The alternatives of rules, of each of which all demands must hold; kept with the rule. */
const ALTERNATIVES = new Derived<Permission, readonly (readonly Demand[])[]>();

/**
 * Who may see a record of a table. In `computed` fields readers see something else than what is stored.
 *
 *     audienceOf(note, { owner: user:ann }, new Set())   // of WHERE owner = $auth.id: that of user:ann
 */
export function audienceOf(
  { definition }: TableEntry,
  record: Readonly<ObjectValue>,
  computed: ReadonlySet<string>,
): Audience {
  const { select } = definition.permissions;
  if (select.kind !== 'where') return select.kind === 'full' ? EVERYONE : new Set();
  const found = new Set<string>();
  for (const alternative of alternativesOf(select)) {
    const readers = readersBy(alternative, (field) => (computed.has(field) ? ANY : record[field]));
    if (readers === EVERYONE) return EVERYONE;
    for (const key of readers) found.add(key);
  }
  return found;
}

function alternativesOf(rule: Permission & { readonly kind: 'where' }): readonly (readonly Demand[])[] {
  const known = ALTERNATIVES.get(rule);
  if (known !== undefined) return known;
  const alternatives = operandsOf(rule.condition, '||').map(demandsIn);
  ALTERNATIVES.set(rule, alternatives);
  return alternatives;
}

function demandsIn(alternative: Expression): readonly Demand[] {
  const isKnown = (operand: Expression) => isReader(operand) || constantKey(operand) !== undefined;
  const equal = equalities(alternative, isKnown).map(
    ({ field, isElement, value }): Demand => ({ kind: 'equal', field, isElement, key: constantKey(value) }),
  );
  const truthy = operandsOf(alternative, '&&').flatMap((part): Demand[] => {
    const [first, ...rest] = isFieldPath(part) ? part.parts : [];
    return first?.kind === 'field' && rest.length === 0 ? [{ kind: 'truthy', field: first.name }] : [];
  });
  return [...equal, ...truthy];
}

/** Of one alternative. */
function readersBy(demands: readonly Demand[], valueIn: (field: string) => Value | typeof ANY): Audience {
  let readers: Audience = EVERYONE;
  for (const demand of demands) {
    const value = valueIn(demand.field);
    if (value === ANY) continue;
    if (demand.kind === 'truthy') {
      if (!isTruthy(value)) return new Set();
      continue;
    }
    const keys = demand.isElement ? keysIn(value) : keysOf(value);
    if (keys === ANY) continue;
    if (demand.key === undefined) readers = bothOf(readers, keys);
    else if (!keys.has(demand.key)) return new Set();
  }
  return readers;
}

function bothOf(audience: Audience, keys: ReadonlySet<string>): ReadonlySet<string> {
  return audience === EVERYONE ? keys : new Set([...audience].filter((key) => keys.has(key)));
}

function keysOf(value: Value): ReadonlySet<string> | typeof ANY {
  const key = keyRead(value);
  return key === ANY ? ANY : new Set(key === undefined ? [] : [key]);
}

/** The keys of the elements of an array or set. */
function keysIn(value: Value): ReadonlySet<string> | typeof ANY {
  if (value === undefined || value === null) return new Set();
  const elements = isArray(value) ? value : value instanceof SetValue ? value.items : undefined;
  if (elements === undefined || elements.length > MOST_ELEMENTS) return ANY;
  const keys = new Set<string>();
  for (const element of elements) {
    const key = keyRead(element);
    if (key === ANY) return ANY;
    if (key !== undefined) keys.add(key);
  }
  return keys;
}
