/**
 * How values become JSON, by their type in GraphQL (specification, §6.4.3 CompleteValue). Compiled once for each place in an operation. What
 * isn't part of the rows at hand (links, edges) is gathered first, level by level, and written when all of it is there.
 */
import {
  type FieldNode,
  type GraphQLInterfaceType,
  type GraphQLLeafType,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLUnionType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { failure } from '../../errors/error.js';
import { stringifyJson } from '../../value/json.js';
import { isArray, SetValue, type Value } from '../../value/value.js';
import { boundedText } from '../../value/walk.js';
import { SCALARS } from '../schema/scalars.js';
import { BudgetExceeded } from './budget.js';
import type { Call } from './call.js';

export interface Completion {
  /** How many fields each value gives beside itself; none where it has no fields, or where they are read and counted apart. */
  readonly weight?: number;
  /** Notes what has to be fetched before the value can be written. Absent where nothing ever has. */
  readonly gather?: (value: Value, call: Call) => void;
  /** The value as JSON; `undefined` where it is null though its type isn't, so that its parent becomes null. */
  readonly write: (value: Value, call: Call) => string | undefined;
}

export type CompositeType = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType;

/** Compiles what has fields. What it writes is never null. */
export type CompileComposite = (type: CompositeType) => Completion;

const NULL = 'null';

/** `field` names the field for errors: `person.age`. */
export function compileCompletion(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  field: string,
  composite: CompileComposite,
): Completion {
  const compilePresent = (inner: GraphQLOutputType & GraphQLNullableType): Completion => {
    if (isListType(inner)) return listOf(compileCompletion(inner.ofType, nodes, field, composite));
    return isLeafType(inner) ? leaf(inner, nodes) : composite(inner as CompositeType);
  };
  return isNonNullType(type)
    ? required(compilePresent(type.ofType), nodes, field)
    : optional(compilePresent(type as GraphQLOutputType & GraphQLNullableType));
}

function isMissing(value: Value): value is undefined | null {
  return value === undefined || value === null;
}

function optional(inner: Completion): Completion {
  const { write } = inner;
  return {
    ...inner,
    write: (value, call) => (isMissing(value) ? NULL : (write(value, call) ?? NULL)),
  };
}

function required(inner: Completion, nodes: readonly FieldNode[], field: string): Completion {
  const { write } = inner;
  return {
    ...inner,
    write: (value, call) => {
      const before = call.failures.length;
      const text = isMissing(value) ? undefined : write(value, call);
      // What has an error already needs no other.
      if (text !== undefined || call.failures.length > before) return text;
      return call.fail(
        failure('graphql_result', { message: `Cannot return null for non-nullable field ${field}.` }),
        nodes,
      );
    },
  };
}

function listOf({ gather, write, weight }: Completion): Completion {
  return {
    ...(weight !== undefined && { weight }),
    ...(gather && {
      gather: (value, call) => {
        const items = itemsOf(value);
        if (items !== undefined) for (const item of items) gather(item, call);
      },
    }),
    write: (value, call) => {
      const items = itemsOf(value);
      if (items === undefined) return undefined;
      let text = '[';
      for (let at = 0; at < items.length; at++) {
        const before = call.failures.length;
        const item = write(items[at], call);
        if (call.failures.length > before) call.place(before, at);
        if (item === undefined) return undefined;
        text = boundedText(at === 0 ? text + item : `${text},${item}`);
      }
      return `${text}]`;
    },
  };
}

function itemsOf(value: Value): readonly Value[] | undefined {
  const items = value instanceof SetValue ? value.items : value;
  return isArray(items) ? items : undefined;
}

/** What most values are is written without asking their type. */
const PLAIN: ReadonlyMap<GraphQLLeafType, (value: Value) => string | undefined> = new Map([
  [SCALARS.Boolean, (value) => (value === true ? 'true' : value === false ? 'false' : undefined)],
  [SCALARS.ID, textOf],
  [SCALARS.Int, (value) => (Number.isSafeInteger(value) ? String(value) : undefined)],
  [SCALARS.String, textOf],
]);

function textOf(value: Value): string | undefined {
  return typeof value === 'string' ? JSON.stringify(value) : undefined;
}

function leaf(type: GraphQLLeafType, nodes: readonly FieldNode[]): Completion {
  const plain = PLAIN.get(type);
  return {
    write: (value, call) => {
      const text = plain?.(value);
      if (text !== undefined) return text;
      try {
        return stringifyJson(type.serialize(value) as Value);
      } catch (thrown) {
        if (thrown instanceof BudgetExceeded) throw thrown;
        return call.fail(thrown, nodes);
      }
    },
  };
}
