/**
 * Parameters as the tables of functions write them: each carries the TypeScript type that a coerced argument has, so
 * that the bodies of functions need no casts.
 */
import type { Type } from '../../value/type.js';
import type {
  Closure,
  Datetime,
  Duration,
  FileReference,
  Geometry,
  NumberValue,
  ObjectValue,
  RecordId,
  SetValue,
  Uuid,
  Value,
} from '../../value/value.js';
import type { ParameterSpec } from './contract.js';

declare const ARGUMENT: unique symbol;

/** A parameter whose arguments are `T`. The marker exists for the compiler only. */
export interface TypedParameter<T> extends ParameterSpec {
  readonly [ARGUMENT]?: T;
}

/** The arguments that a list of parameters makes. */
export type ArgumentsOf<P extends readonly TypedParameter<unknown>[]> = {
  -readonly [K in keyof P]: P[K] extends TypedParameter<infer T> ? T : never;
};

function ofType<T>(type: Type): (name: string) => TypedParameter<T> {
  return (name) => ({ name, type });
}

export const any = ofType<Value>({ kind: 'any' });
export const bool = ofType<boolean>({ kind: 'bool' });
export const bytes = ofType<Uint8Array>({ kind: 'bytes' });
export const closure = ofType<Closure>({ kind: 'function' });
export const datetime = ofType<Datetime>({ kind: 'datetime' });
export const datetimes = ofType<readonly Datetime[]>({ kind: 'array', item: { kind: 'datetime' } });
export const duration = ofType<Duration>({ kind: 'duration' });
export const file = ofType<FileReference>({ kind: 'file', buckets: [] });
export const geometry = ofType<Geometry>({ kind: 'geometry', shapes: [] });
export const integer = ofType<number | bigint>({ kind: 'int' });
export const list = ofType<readonly Value[]>({ kind: 'array' });
export const number = ofType<NumberValue>({ kind: 'number' });
export const numbers = ofType<readonly NumberValue[]>({ kind: 'array', item: { kind: 'number' } });
/** Any number, though errors name a float. */
export const numeric = ofType<NumberValue>({ kind: 'float' });
export const object = ofType<ObjectValue>({ kind: 'object' });
export const record = ofType<RecordId>({ kind: 'record', tables: [] });
export const set = ofType<SetValue>({ kind: 'set' });
export const text = ofType<string>({ kind: 'string' });
export const textOrBytes = ofType<string | Uint8Array>({ kind: 'union', of: [{ kind: 'string' }, { kind: 'bytes' }] });
export const texts = ofType<readonly string[]>({ kind: 'array', item: { kind: 'string' } });
export const uuid = ofType<Uuid>({ kind: 'uuid' });

/**
 * A parameter that may be omitted; then its argument is `undefined`.
 *
 *     optional(text('format'))   // a text, or `undefined`
 */
export function optional<T>(parameter: TypedParameter<T>): TypedParameter<T | undefined> {
  return { name: parameter.name, type: parameter.type, optional: true };
}

/** May be left out, or be NONE. */
export function optionalInteger(name: string): TypedParameter<number | bigint | undefined> {
  return { name, type: { kind: 'union', of: [{ kind: 'none' }, { kind: 'int' }] }, optional: true };
}

/** Takes all remaining arguments, as an array. */
export function rest<T>(parameter: TypedParameter<T>): TypedParameter<readonly T[]> {
  return { name: parameter.name, type: parameter.type, rest: true };
}
