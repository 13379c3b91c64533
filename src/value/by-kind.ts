/** Tables with one row for each kind: a kind that is forgotten doesn't compile. */
import type {
  ArrayValue,
  Closure,
  Datetime,
  Decimal,
  Duration,
  FileReference,
  Float,
  Geometry,
  Kind,
  ObjectValue,
  Range,
  RecordId,
  Regex,
  SetValue,
  Table,
  Uuid,
  Value,
} from './value.js';
import { kindOf } from './value.js';

/** The JavaScript representation of each kind. */
export interface KindTypes {
  none: undefined;
  null: null;
  bool: boolean;
  int: number | bigint;
  float: number | Float;
  decimal: Decimal;
  string: string;
  duration: Duration;
  datetime: Datetime;
  uuid: Uuid;
  array: ArrayValue;
  set: SetValue;
  object: ObjectValue;
  geometry: Geometry;
  bytes: Uint8Array;
  table: Table;
  record: RecordId;
  file: FileReference;
  regex: Regex;
  range: Range;
  function: Closure;
}

/** A row for each kind, called with a value of that kind and one thing more, such as the depth. */
export type ByKind<Result, Extra = undefined> = {
  readonly [K in Kind]: (value: KindTypes[K], extra: Extra) => Result;
};

/** Calls the function that a table has for the kind of a value, and returns its result. */
export function byKind<Result>(table: ByKind<Result>, value: Value): Result;
export function byKind<Result, Extra>(table: ByKind<Result, Extra>, value: Value, extra: Extra): Result;
export function byKind<Result, Extra>(table: ByKind<Result, Extra>, value: Value, extra?: Extra): Result {
  return (table[kindOf(value)] as (value: Value, extra?: Extra) => Result)(value, extra);
}
