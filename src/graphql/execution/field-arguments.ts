/** The arguments of one field in an operation, and the statements that are made of them. */
import { type FieldNode, type GraphQLField, getArgumentValues, Kind, visit } from 'graphql';
import { LruCache } from '../../base/lru-cache.js';
import type { Statement } from '../../language/ast.js';
import type { Call } from './call.js';
import { type Bound, Conditions, Params } from './select.js';

export type GivenArguments = Readonly<Record<string, unknown>>;

/** Statements kept for one field whose arguments differ in more than the values of variables. */
const KEPT_STATEMENTS = 16;

export class FieldArguments {
  readonly #field: GraphQLField<unknown, unknown>;
  readonly #node: FieldNode;
  readonly #prefix: string;
  /** Without variables in them the arguments are the same in each run. */
  readonly #isStatic: boolean;
  readonly #statements = new LruCache<string, Statement>(KEPT_STATEMENTS);
  #given: GivenArguments | undefined;
  #kept: { readonly bound: Bound<Statement>; readonly conditions: number } | undefined;

  /** `prefix` is that of the params, unique in the operation. */
  constructor(field: GraphQLField<unknown, unknown>, node: FieldNode, prefix: string) {
    this.#field = field;
    this.#node = node;
    this.#prefix = prefix;
    this.#isStatic = !hasVariables(node);
  }

  /** The coerced arguments. @throws GraphQLError */
  given(call: Call): GivenArguments {
    if (this.#given !== undefined) return this.#given;
    const given = getArgumentValues(this.#field, this.#node, call.variables);
    if (this.#isStatic) this.#given = given;
    return given;
  }

  /**
   * A statement made of the arguments. It is the same object in each run as long as only values differ, so that it is compiled once.
   * `build` must give equal statements for equal arguments.
   */
  bound<S extends Statement, B extends Bound<S>>(
    call: Call,
    build: (given: GivenArguments, conditions: Conditions) => B,
  ): B {
    const { conditions: counted } = call;
    if (this.#kept !== undefined) {
      counted.add(this.#kept.conditions);
      return this.#kept.bound as unknown as B;
    }
    const before = counted.value;
    const built = build(this.given(call), new Conditions(new Params(this.#prefix), counted));
    if (this.#isStatic) {
      this.#kept = { bound: built, conditions: counted.value - before };
      return built;
    }
    const text = JSON.stringify(built.statement);
    const known = this.#statements.get(text);
    if (known !== undefined) return { ...built, statement: known };
    this.#statements.set(text, built.statement);
    return built;
  }
}

function hasVariables(node: FieldNode): boolean {
  let found = false;
  for (const argument of node.arguments ?? []) {
    visit(argument, {
      [Kind.VARIABLE]: () => {
        found = true;
      },
    });
  }
  return found;
}
