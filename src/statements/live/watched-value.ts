/**
 * The value that a field of a record must have for a live query to show it: `room = $room`. A change asks only the
 * queries that watch a value it has (`watching-queries.ts`), however many others there are.
 */
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { Identity } from '../../catalog/principal.js';
import type { Expression, Live } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { ENGINE_PARAMS } from '../../language/engine-params.js';
import { printIdiom } from '../../language/print.js';
import { demandsOf } from '../../plan/access/comparisons.js';
import type { WatchedValue } from '../../runtime/live-changes.js';
import type { Scope } from '../../runtime/scope.js';
import { encodeOrder } from '../../value/codecs/key-codec.js';
import { isNumber, RecordId, Uuid, type Value } from '../../value/value.js';

/** Characters of a text beyond which it isn't watched. */
const LONGEST = 256;

/**
 * What a live query watches, with the variables that it keeps; `undefined` if its condition asks for no such value, or
 * for one that can't be compared by a key.
 *
 * @param reader the record user who reads it (`keyOfReader`)
 */
export function watchedValue(
  { where, since }: Live,
  variables: Scope,
  reader: string | undefined,
): WatchedValue | undefined {
  // Those with SINCE follow each commit.
  if (where === undefined || since !== undefined) return undefined;
  const keyOf = (operand: Expression) => (isReader(operand) ? reader : operandKey(operand, variables));
  for (const { field, isElement, value } of equalities(where, (operand) => keyOf(operand) !== undefined)) {
    const key = keyOf(value);
    // Otherwise the value is to be among the elements of the field.
    if (key !== undefined && !isElement) return { field, key };
  }
  return undefined;
}

/** A part of a condition that asks for a value in a field at the top of the record. */
export interface Equality {
  readonly field: string;
  /** The value is to be one of the elements of the field. */
  readonly isElement: boolean;
  readonly value: Expression;
}

/** Of those that a condition asks for all of, the ones whose value is known. */
export function equalities(condition: Expression, isKnown: (operand: Expression) => boolean): readonly Equality[] {
  return demandsOf(condition, 'query', isKnown).all.flatMap(({ field, path, operator, value }) => {
    const [part, ...rest] = field.parts;
    if (part?.kind !== 'field' || rest.length > 0 || (operator !== '=' && operator !== '==')) return [];
    return [{ field: part.name, isElement: path !== printIdiom(field), value }];
  });
}

/** Whether an expression is the record user who reads: `$auth`, `$auth.id`. */
export function isReader(operand: Expression): boolean {
  if (operand.kind === 'param') return operand.name === 'auth' && operand.slot === undefined;
  if (operand.kind !== 'idiom' || operand.start === undefined || !isReader(operand.start)) return false;
  const [part, ...rest] = operand.parts;
  return part?.kind === 'field' && part.name === 'id' && rest.length === 0;
}

/** The key of the record user whom an identity is; `undefined` for others, and in a view, which ends amid a session. */
export function keyOfReader({ principal, viewer, auth }: Identity): string | undefined {
  return principal.kind === 'record' && viewer === undefined ? valueKey(auth) : undefined;
}

function operandKey(operand: Expression, variables: Scope): string | undefined {
  if (operand.kind !== 'param') return constantKey(operand);
  const { name, slot } = operand;
  return slot !== undefined || ENGINE_PARAMS.has(name) ? undefined : valueKey(variables.get(name));
}

/** The key of a value that is written out. */
export function constantKey(operand: Expression): string | undefined {
  return valueKey(constantValue(operand)?.value);
}

/**
 * The key that all values share which equal a value; `undefined` if values of other kinds may equal it, as a text does
 * a regular expression, or if it is large.
 */
function valueKey(value: Value): string | undefined {
  const plain = value instanceof RecordId ? value.key : value;
  const isShort = typeof plain === 'string' && plain.length <= LONGEST;
  return isShort || isNumber(plain) || typeof plain === 'boolean' || plain instanceof Uuid
    ? encodeOrder(value)
    : undefined;
}

/** What equals any value, for all that is known of it. */
export const ANY = Symbol('any value');

/** The key of what a record has in a field; none where it has nothing, which is what readers see of a hidden field. */
export function keyRead(value: Value): string | typeof ANY | undefined {
  return value === undefined || value === null ? undefined : (valueKey(value) ?? ANY);
}

/** The fields of a table in which readers see something else than what is stored. They stand at the top of records. */
export function computedNames({ fields }: TableEntry): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { path, computed } of fields) {
    const [part] = path.parts;
    if (computed !== undefined && part?.kind === 'field') names.add(part.name);
  }
  return names;
}
