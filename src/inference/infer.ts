/** Infers the types of statements from the definitions of a database. */
import type { Query } from '../language/ast.js';
import type { Type } from '../value/type.js';
import { expressionType } from './expressions.js';
import { RecordTypes } from './record-types.js';
import type { Definitions } from './schema.js';
import { Inference, type Inferrer, type SchemaFault, type TypeScope } from './scope.js';
import { selectType } from './select.js';
import { statementType } from './statements.js';
import { ANY, NONE, unionOf } from './types.js';

/** What is known of a text before it runs. */
export interface InferredQuery {
  /** Of each statement, in order. */
  readonly results: readonly Type[];
  /** Of the parameters that it doesn't set itself, by their names. */
  readonly parameters: ReadonlyMap<string, Type>;
  /** What it names that isn't there. */
  readonly faults: readonly SchemaFault[];
}

const INFERRER: Inferrer = { expression: expressionType, statement: statementType };

/**
 * The types of a database.
 *
 *     new DatabaseTypes(allOf(schema)).infer(parseQuery('SELECT name FROM person')).results   // array<{ name: string }>
 */
export class DatabaseTypes {
  readonly records: RecordTypes;

  constructor(private readonly definitions: Definitions) {
    this.records = new RecordTypes(definitions, {
      computed: ({ computed }, row) => (computed === undefined ? ANY : this.#scope().within(row).type(computed)),
      view: ({ definition: { view } }) => {
        const rows = view === undefined ? NONE : selectType(view, this.#scope());
        return rows.kind === 'array' ? (rows.item ?? ANY) : ANY;
      },
    });
  }

  /** Twice: what parameters are follows from all of the text, and what it gives follows from them. */
  infer(query: Query): InferredQuery {
    const first = this.#scope();
    for (const statement of query.statements) first.statement(statement);
    const { parameters } = first.inference;
    const scope = this.#scope();
    for (const [name, type] of parameters) scope.set(name, type);
    const { returns, faults } = scope.inference;
    const results = query.statements.map((statement) => {
      returns.length = 0;
      const type = scope.statement(statement);
      return unionOf([type, ...returns]);
    });
    return { results, parameters, faults };
  }

  #scope(): TypeScope {
    return new Inference(this.definitions.read, this.records, INFERRER).scope();
  }
}
