/** The arguments of one field in an operation, and the statements that are made of them. */
import { BREAK, type FieldNode, type GraphQLField, getArgumentValues, Kind, type ValueNode, visit } from 'graphql';
import type { Statement } from '../../language/ast.js';
import { Conditions, Params } from './conditions.js';
import type { ExecutionContext } from './execution-context.js';
import type { BoundStatement, BoundStatements } from './select.js';

export type GivenArguments = Readonly<Record<string, unknown>>;

/** The arguments as the document writes them, where it matters whether it says a thing itself. */
export interface WrittenArguments {
  /** Whether an argument is the literal `{}`. */
  isEmptyObject(name: string): boolean;
  /** The first variable without a value that an argument refers to. */
  variableWithoutValue(name: string): string | undefined;
}

/** Makes statements of the arguments, with their values bound to params. */
export type Build<B> = (given: GivenArguments, conditions: Conditions) => B;

export class FieldArguments {
  readonly #field: GraphQLField<unknown, unknown>;
  readonly #node: FieldNode;
  readonly #prefix: string;
  /** Without variables in them the arguments are the same in each run. */
  readonly #isStatic: boolean;
  #given: GivenArguments | undefined;
  #kept: { readonly bound: unknown; readonly conditions: number } | undefined;

  /** `prefix` is that of the params, unique in the operation. */
  constructor(field: GraphQLField<unknown, unknown>, node: FieldNode, prefix: string) {
    this.#field = field;
    this.#node = node;
    this.#prefix = prefix;
    this.#isStatic = !hasVariables(node);
  }

  /** The coerced arguments. @throws GraphQLError */
  given(call: ExecutionContext): GivenArguments {
    if (this.#given !== undefined) return this.#given;
    // Arguments that aren't given may be called as something that every object inherits.
    const given = Object.assign(Object.create(null), getArgumentValues(this.#field, this.#node, call.variables));
    if (this.#isStatic) this.#given = given;
    return given;
  }

  written({ variables }: Pick<ExecutionContext, 'variables'>): WrittenArguments {
    const valueAt = (name: string) => this.#node.arguments?.find((each) => each.name.value === name)?.value;
    return {
      isEmptyObject: (name) => {
        const value = valueAt(name);
        return value?.kind === Kind.OBJECT && value.fields.length === 0;
      },
      variableWithoutValue: (name) => {
        const value = valueAt(name);
        return value && variableIn(value, (variable) => variables[variable] === undefined);
      },
    };
  }

  /**
   * A statement made of the arguments. It is the same object in each run as long as only values differ, so that it is
   * compiled once. `build` must give equal statements for equal arguments.
   */
  bound<S extends Statement, B extends BoundStatement<S>>(call: ExecutionContext, build: Build<B>): B {
    return this.#bound(call, build, (built) => ({ ...built, statement: call.statements.same(built.statement) }));
  }

  /** The same for several statements, which share their params. */
  boundAll<B extends BoundStatements>(call: ExecutionContext, build: Build<B>): B {
    return this.#bound(call, build, (built) => ({
      ...built,
      statements: built.statements.map((statement) => call.statements.same(statement)),
    }));
  }

  #bound<B>(call: ExecutionContext, build: Build<B>, withKnown: (built: B) => B): B {
    const { conditions: counted } = call;
    if (this.#kept !== undefined) {
      counted.add(this.#kept.conditions);
      return this.#kept.bound as B;
    }
    const before = counted.value;
    const built = this.#build(call, build);
    if (!this.#isStatic) return withKnown(built);
    this.#kept = { bound: built, conditions: counted.value - before };
    return built;
  }

  /** As `bound`, where the values differ in each run though the arguments don't: ids are drawn. */
  boundAnew<S extends Statement, B extends BoundStatement<S>>(call: ExecutionContext, build: Build<B>): B {
    const built = this.#build(call, build);
    return { ...built, statement: call.statements.same(built.statement) };
  }

  #build<B>(call: ExecutionContext, build: Build<B>): B {
    return build(this.given(call), new Conditions(new Params(this.#prefix), call.conditions));
  }
}

function hasVariables({ arguments: args = [] }: FieldNode): boolean {
  return args.some(({ value }) => variableIn(value, () => true) !== undefined);
}

/** The first variable in a value that a condition on its name admits. */
function variableIn(value: ValueNode, admits: (name: string) => boolean): string | undefined {
  let found: string | undefined;
  visit(value, {
    [Kind.VARIABLE]: ({ name }) => {
      if (!admits(name.value)) return undefined;
      found = name.value;
      return BREAK;
    },
  });
  return found;
}
