/**
 * Reads the variables of a request as its operation declares them. The library's own reader prints the value
 * around each fault into its error, so that refusing one megabyte with many faults takes seconds; here an error says
 * where the fault is.
 */
import {
  coerceInputValue,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { isArray, isObject, type ObjectValue, type Value } from '../../value/value.js';
import type { EffectiveLimits } from '../base/effective-limits.js';
import { failureOf, type GraphqlFailure } from '../base/errors.js';
import { redactedError } from './error-redaction.js';

export type ReadVariables =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly failures: readonly GraphqlFailure[] };

/** Maximum number of errors reported per request. */
const MAX_ERRORS = 20;

/** @throws TesseraError `graphql_limit` */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: ObjectValue | undefined,
  allowance: EffectiveLimits,
): ReadVariables {
  if (given !== undefined && countOf(given, allowance.limits.inputs) > allowance.limits.inputs) {
    throw allowance.beyond('inputs');
  }
  const isClosed = allowance.introspectionForbiddenBy !== undefined;
  const reading = new Reading(isClosed);
  const values: Record<string, unknown> = Object.create(null);
  for (const definition of variableDefinitions) {
    if (reading.isFull) break;
    const { value: name } = definition.variable.name;
    const type = typeFromAST(schema, definition.type);
    // Validation rejects variables of other types.
    if (!isInputType(type)) continue;
    const value = given?.[name];
    if (value !== undefined) values[name] = reading.read(definition, type, value);
    else if (definition.defaultValue !== undefined) values[name] = valueFromAST(definition.defaultValue, type);
    else if (isNonNullType(type)) {
      reading.fault(definition, `Variable "$${name}" of required type "${type}" was not provided.`);
    }
  }
  if (reading.errors.length === 0) return { ok: true, values };
  const redacted = reading.errors.map((error) => redactedError(error, schema, isClosed));
  return { ok: false, failures: redacted.map((error) => failureOf(error, 'graphql_variables')) };
}

/** The number of nested values; counting stops at `enough`. The nesting depth is bounded by the request's decoder. */
function countOf(value: Value, enough: number): number {
  const within = isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  let count = within.length;
  for (const each of within) {
    if (count > enough) break;
    count += countOf(each, enough - count);
  }
  return count;
}

class Reading {
  readonly errors: GraphQLError[] = [];
  readonly #hideSuggestions: boolean;

  constructor(hideSuggestions: boolean) {
    this.#hideSuggestions = hideSuggestions;
  }

  get isFull(): boolean {
    return this.errors.length >= MAX_ERRORS;
  }

  fault(definition: VariableDefinitionNode, message: string, originalError?: GraphQLError): void {
    this.errors.push(new GraphQLError(message, { nodes: definition, ...(originalError && { originalError }) }));
  }

  read(definition: VariableDefinitionNode, type: GraphQLInputType, value: Value): unknown {
    const { value: name } = definition.variable.name;
    try {
      return coerceInputValue(
        value,
        type,
        (path, _value, error) => {
          const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
          this.fault(definition, `Variable "$${name}" got invalid value at "${name}${place}"; ${error.message}`, error);
          if (this.isFull) throw error;
        },
        this.#hideSuggestions,
      );
    } catch (thrown) {
      if (this.isFull) return undefined;
      throw thrown;
    }
  }
}
