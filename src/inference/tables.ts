/** What the schema must have: tables, fields and functions that a text names. */
import { failure } from '../errors/error.js';
import type { TypeScope } from './scope.js';
import { type ObjectType, objectType } from './types.js';

/** There is a table of that name, or a fault at the node that names it. */
export function expectTable(name: string, at: object, { inference }: TypeScope): void {
  if (!inference.records.has(name)) inference.fault(failure('table_missing', { name }).message, at);
}

/** The fault of a field that records of a schemafull table can't have. */
export function missingField(name: string, table: string, at: object, { inference }: TypeScope): void {
  inference.fault(failure('undeclared_field', { field: name, table }).message, at);
}

export function missingFunction(name: string, at: object, { inference }: TypeScope): void {
  inference.fault(failure('function_not_defined', { name }).message, at);
}

/** What rows of anything may be. */
export const ANY_OBJECT: ObjectType = objectType([], true);
