/**
 * The fields of a document that called functions of the database read, whose bodies see the document of their caller.
 */
import { Derived } from '../base/derived.js';
import type { FunctionDefinition } from '../catalog/definitions/definition.js';
import type { Block } from '../language/ast.js';
import { ALL_FIELDS, type FieldsRead, fieldsNamed, fieldsRead } from './fields-read.js';

/** By their names without `fn::`. */
export type Functions = ReadonlyMap<string, FunctionDefinition>;

/** `asked`, and what the functions read that it calls, and those that they call. The same object for the same two. */
export function withFunctions(asked: FieldsRead, functions: Functions): FieldsRead {
  if (asked.all || asked.functions.size === 0) return asked;
  let known = WITH_FUNCTIONS.get(functions);
  if (known === undefined) {
    known = new WeakMap();
    WITH_FUNCTIONS.set(functions, known);
  }
  let reads = known.get(asked);
  if (reads === undefined) {
    reads = together(asked, functions);
    known.set(asked, reads);
  }
  return reads;
}

const WITH_FUNCTIONS = new WeakMap<Functions, WeakMap<FieldsRead, FieldsRead>>();

function together(asked: FieldsRead, functions: Functions): FieldsRead {
  const names = new Set(asked.names);
  const called = new Set(asked.functions);
  // Functions added during the iteration are visited, too.
  for (const name of called) {
    const definition = functions.get(name);
    // To call it fails.
    if (definition === undefined) continue;
    const reads = fieldsOfBody(definition.body);
    if (reads.all) return ALL_FIELDS;
    for (const field of reads.names) names.add(field);
    for (const other of reads.functions) called.add(other);
  }
  return fieldsNamed(names);
}

function fieldsOfBody(body: Block): FieldsRead {
  let reads = BODIES.get(body);
  if (reads === undefined) {
    reads = fieldsRead([body]);
    BODIES.set(body, reads);
  }
  return reads;
}

const BODIES = new Derived<Block, FieldsRead>();
