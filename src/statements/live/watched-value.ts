/**
 * The value that a field of a record must have for a live query to show it: `room = $room`. A change asks only the
 * queries that watch a value it has (`watching-queries.ts`), however many others there are.
 */
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
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
 */
export function watchedValue({ where, since }: Live, variables: Scope): WatchedValue | undefined {
  // Those with SINCE follow each commit.
  if (where === undefined || since !== undefined) return undefined;
  const known = (operand: Expression) => operandValue(operand, variables);
  const { all } = demandsOf(where, 'query', (operand) => known(operand) !== undefined);
  for (const { field, path, operator, value } of all) {
    const [part, ...rest] = field.parts;
    if (part?.kind !== 'field' || rest.length > 0 || (operator !== '=' && operator !== '==')) continue;
    // Otherwise the value is to be among the elements of the field.
    if (path !== printIdiom(field)) continue;
    const key = watchedKey(known(value)?.value);
    if (key !== undefined) return { field: part.name, key };
  }
  return undefined;
}

function operandValue(operand: Expression, variables: Scope): { readonly value: Value } | undefined {
  if (operand.kind !== 'param') return constantValue(operand);
  const { name, slot } = operand;
  if (slot !== undefined || ENGINE_PARAMS.has(name) || !variables.has(name)) return undefined;
  return { value: variables.get(name) };
}

/**
 * The key that all values share which equal a value; `undefined` if values of other kinds may equal it, as a text does
 * a regular expression, or if it is large.
 */
function watchedKey(value: Value): string | undefined {
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
  return value === undefined || value === null ? undefined : (watchedKey(value) ?? ANY);
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
