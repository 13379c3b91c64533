/** Bounds whose values are known, and the keys that lie between them. */
import { prefixRange } from '../../../catalog/keys/key-bytes.js';
import type { Bound, Bounds } from '../../../plan/nodes.js';
import type { KeyRange } from '../../../storage/contract.js';
import { Range, RecordId, type Value } from '../../../value/value.js';

/** A bound, once its value is known. */
export interface RangeEnd {
  readonly value: Value;
  readonly inclusive: boolean;
}

export interface RangeEnds {
  readonly from: RangeEnd | undefined;
  readonly to: RangeEnd | undefined;
}

/** The ends of a range of an index scan, with the values of its operands. */
export function rangeEnds({ from, to }: Bounds, low: Value, high: Value): RangeEnds {
  return {
    from: from && { value: low, inclusive: from.inclusive },
    to: to && { value: high, inclusive: to.inclusive },
  };
}

/**
 * The same among the ids of a table. A value that isn't an id of its records is no bound: the condition handles
 * it.
 */
export function idRangeEnds({ from, to }: Bounds, table: string, low: Value, high: Value): RangeEnds {
  const edge = (bound: Bound | undefined, id: Value): RangeEnd | undefined =>
    bound !== undefined && id instanceof RecordId && id.table === table && !(id.key instanceof Range)
      ? { value: id.key, inclusive: bound.inclusive }
      : undefined;
  return { from: edge(from, low), to: edge(to, high) };
}

/** Those of the keys whose next value lies between the edges; `at` tells where the keys with a value begin. */
export function keysWithin(all: KeyRange, at: (value: Value) => string, { from, to }: RangeEnds): KeyRange {
  const behind = (value: Value) => prefixRange(at(value)).to;
  return {
    from: from === undefined ? all.from : (from.inclusive ? at : behind)(from.value),
    to: to === undefined ? all.to : (to.inclusive ? behind : at)(to.value),
  };
}
