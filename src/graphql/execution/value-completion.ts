/**
 * How values become JSON, by their type in GraphQL (specification, §6.4.3 CompleteValue). Compiled once for each place
 * in an operation. What isn't part of the rows at hand (links, edges) is gathered first, level by level, and written
 * when all of it is there.
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
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import { stringifyJson } from '../../value/codecs/json.js';
import { MAX_ENCODED } from '../../value/limits.js';
import { isArray, SetValue, type Value } from '../../value/value.js';
import { tooLarge } from '../../value/walk.js';
import { SCALARS } from '../base/scalars.js';
import { BudgetExceeded } from './budget.js';
import type { ExecutionContext } from './execution-context.js';
import { type JsonWriter, writeStepwise } from './json-writer.js';

export interface ValueCompletion extends JsonWriter<Value> {
  /**
   * Number of fields of each value besides itself; 0 if it has no fields, or if they are read and counted
   * apart.
   */
  readonly weight?: number;
  /** Notes the links to fetch before the value can be written. Absent if there are never any. */
  readonly gather?: (value: Value, call: ExecutionContext) => void;
}

export type CompositeType = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType;

/** Compiles objects with fields. Their JSON is never null. */
export type CompileComposite = (type: CompositeType) => ValueCompletion;

const NULL = 'null';

/** `field` names the field for errors: `person.age`. */
export function compileValueCompletion(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  field: string,
  composite: CompileComposite,
): ValueCompletion {
  const compilePresent = (inner: GraphQLOutputType & GraphQLNullableType): ValueCompletion => {
    if (isListType(inner)) return listOf(compileValueCompletion(inner.ofType, nodes, field, composite));
    return isLeafType(inner) ? leaf(inner, nodes) : composite(inner as CompositeType);
  };
  return isNonNullType(type)
    ? required(compilePresent(type.ofType), nodes, field)
    : optional(compilePresent(type as GraphQLOutputType & GraphQLNullableType));
}

function isMissing(value: Value): value is undefined | null {
  return value === undefined || value === null;
}

function optional(inner: ValueCompletion): ValueCompletion {
  const { write, writeInSteps } = inner;
  return {
    ...inner,
    write: (value, call) => (isMissing(value) ? NULL : (write(value, call) ?? NULL)),
    ...(writeInSteps && {
      writeInSteps: (value, call) =>
        isMissing(value) ? NULL : andThen(writeInSteps(value, call), (text) => text ?? NULL),
    }),
  };
}

function required(inner: ValueCompletion, nodes: readonly FieldNode[], field: string): ValueCompletion {
  const { write, writeInSteps } = inner;
  const check = (text: string | undefined, call: ExecutionContext, before: number): string | undefined => {
    // One error for a value suffices.
    if (text !== undefined || call.failures.length > before) return text;
    return call.fail(
      failure('graphql_result', { message: `Cannot return null for non-nullable field ${field}.` }),
      nodes,
    );
  };
  return {
    ...inner,
    write: (value, call) => {
      const before = call.failures.length;
      return check(isMissing(value) ? undefined : write(value, call), call, before);
    },
    ...(writeInSteps && {
      writeInSteps: (value, call) => {
        const before = call.failures.length;
        const written = isMissing(value) ? undefined : writeInSteps(value, call);
        return andThen(written, (text) => check(text, call, before));
      },
    }),
  };
}

function listOf(member: ValueCompletion): ValueCompletion {
  const { gather, weight } = member;
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
      const list = new ListText(items, member, call);
      while (!list.isComplete) if (!list.add(MEMBERS)) return undefined;
      return list.text;
    },
    writeInSteps: (value, call) => {
      const items = itemsOf(value);
      if (items === undefined) return undefined;
      const list = new ListText(items, member, call);
      const add = () => (member.writeInSteps === undefined ? list.add(MEMBERS) : list.addInSteps(MEMBERS));
      const step = () =>
        andThen(add(), (isPresent) => !isPresent || list.isComplete || andThen(call.work.checkpoint(), () => false));
      return andThen(untilTrue(step), () => list.text);
    },
  };
}

/** Members of a list that are written in one step: each may be a record of many fields. */
const MEMBERS = 32;
/** Characters of a text whose putting together takes no time to speak of. */
const SHORT = 2 ** 16;

/**
 * A list that is being written. Its steps make a piece each: one text made of many others is put together as a whole in
 * the end.
 */
class ListText {
  readonly #pieces: string[] = [];
  #length = 2;
  #at = 0;
  #isNull = false;

  constructor(
    private readonly items: readonly Value[],
    private readonly member: ValueCompletion,
    private readonly call: ExecutionContext,
  ) {}

  get isComplete(): boolean {
    return this.#at >= this.items.length;
  }

  /** Nothing if a member is null that must not be. */
  get text(): string | undefined {
    if (this.#isNull) return undefined;
    // A short one is put together with the answer.
    if (this.#length < SHORT && this.#pieces.length > 0) {
      return `[${this.#pieces.reduce((before, piece) => `${before},${piece}`)}]`;
    }
    return `[${this.#pieces.join(',')}]`;
  }

  /** Writes the next members; returns whether the list isn't null so far. @throws TesseraError `value_too_large` */
  add(count: number): boolean {
    const { items, member, call } = this;
    const end = Math.min(this.#at + count, items.length);
    const texts: string[] = [];
    while (this.#at < end) {
      const before = call.failures.length;
      if (!this.#take(texts, member.write(items[this.#at], call), before)) return false;
    }
    this.#addPiece(texts);
    return true;
  }

  /** The same, yielding within members that are long. */
  addInSteps(count: number): PromiseOrValue<boolean> {
    const { items, member, call } = this;
    const end = Math.min(this.#at + count, items.length);
    const texts: string[] = [];
    const step = (): PromiseOrValue<boolean> => {
      while (this.#at < end) {
        const before = call.failures.length;
        const written = writeStepwise(member, items[this.#at], call);
        if (written instanceof Promise) return written.then((text) => !this.#take(texts, text, before));
        if (!this.#take(texts, written, before)) return true;
      }
      this.#addPiece(texts);
      return true;
    };
    return andThen(untilTrue(step), () => !this.#isNull);
  }

  /** Takes the text of the next member, after `before` failures; returns whether it is allowed. */
  #take(texts: string[], text: string | undefined, before: number): boolean {
    if (this.call.failures.length > before) this.call.locateFailures(before, this.#at);
    this.#at++;
    if (text === undefined) {
      this.#isNull = true;
      return false;
    }
    texts.push(text);
    return true;
  }

  #addPiece(texts: readonly string[]): void {
    if (texts.length === 0) return;
    // The text of a record consists of many small ones that V8 puts together when it has to: in a long list here,
    // rather than all of them in the end.
    const piece = this.#length > SHORT ? texts.join(',') : texts.reduce((before, text) => `${before},${text}`);
    this.#length += piece.length + 1;
    if (this.#length > MAX_ENCODED) throw tooLarge(MAX_ENCODED);
    this.#pieces.push(piece);
  }
}

function itemsOf(value: Value): readonly Value[] | undefined {
  const items = value instanceof SetValue ? value.items : value;
  return isArray(items) ? items : undefined;
}

/** The most frequent kinds are written without a lookup of their type. */
const PLAIN: ReadonlyMap<GraphQLLeafType, (value: Value) => string | undefined> = new Map([
  [SCALARS.Boolean, (value) => (value === true ? 'true' : value === false ? 'false' : undefined)],
  [SCALARS.ID, textOf],
  [SCALARS.Int, (value) => (Number.isSafeInteger(value) ? String(value) : undefined)],
  [SCALARS.String, textOf],
]);

function textOf(value: Value): string | undefined {
  return typeof value === 'string' ? JSON.stringify(value) : undefined;
}

function leaf(type: GraphQLLeafType, nodes: readonly FieldNode[]): ValueCompletion {
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
