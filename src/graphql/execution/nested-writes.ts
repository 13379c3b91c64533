/** The writes of one root field besides the records that it returns: the records and edges nested in its input. */
import type { Random } from '../../env/environment.js';
import { randomKey } from '../../functions/identifiers.js';
import type { Block, Expression, For, Idiom, Output, Statement } from '../../language/ast.js';
import { newObject, type ObjectValue, RecordId, Table } from '../../value/value.js';
import type { Params } from './conditions.js';
import { fieldIdiom } from './select.js';

export interface NewRecord {
  readonly id: RecordId;
  readonly data: ObjectValue;
}

export interface NewEdge {
  readonly table: string;
  readonly from: RecordId;
  readonly to: RecordId;
  readonly data: ObjectValue;
}

export class NestedWrites {
  readonly #random: Random;
  readonly #records: ObjectValue[] = [];
  readonly #edges: ObjectValue[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  get isEmpty(): boolean {
    return this.#records.length === 0 && this.#edges.length === 0;
  }

  /** An id for a record that gets none from its input, drawn before it is written, so that others can lead to it. */
  newId(table: string): RecordId {
    return new RecordId(table, randomKey(this.#random));
  }

  /** Those that it leads to come first. */
  addRecord({ id, data }: NewRecord): void {
    const record = newObject();
    record['id'] = id;
    record['data'] = data;
    this.#records.push(record);
  }

  addEdge({ table, from, to, data }: NewEdge): void {
    const edge = newObject();
    edge['table'] = new Table(table);
    edge['from'] = from;
    edge['to'] = to;
    edge['data'] = data;
    this.#edges.push(edge);
  }

  /** Statements that write the records. They are the same however many there are, so that they are compiled once. */
  records(params: Params): readonly Statement[] {
    if (this.#records.length === 0) return [];
    const create: Statement = {
      kind: 'create',
      only: false,
      targets: [member('record', 'id')],
      data: { kind: 'content', value: member('record', 'data') },
      output: NOTHING,
    };
    return [forEach('record', params.bind(this.#records), create)];
  }

  /** The same for the edges, whose ends are there by then. */
  edges(params: Params): readonly Statement[] {
    if (this.#edges.length === 0) return [];
    const relate: Statement = {
      kind: 'relate',
      only: false,
      orUpdate: false,
      from: member('edge', 'from'),
      edge: member('edge', 'table'),
      to: member('edge', 'to'),
      data: { kind: 'content', value: member('edge', 'data') },
      output: NOTHING,
    };
    return [forEach('edge', params.bind(this.#edges), relate)];
  }
}

export const NOTHING: Output = { kind: 'none' };

/** `FOR $variable IN over { statements }`. */
export function forEach(variable: string, over: Expression, ...statements: Statement[]): For {
  return { kind: 'for', variable, over, body: { kind: 'block', statements } };
}

/** `$variable.name`, or further down. */
export function member(variable: string, ...names: string[]): Idiom {
  return { kind: 'idiom', start: { kind: 'param', name: variable }, parts: fieldIdiom(names).parts };
}

/** A statement in parentheses, as an expression. */
export function subquery(statement: Statement): Expression {
  return { kind: 'subquery', statement };
}

/** A block as a statement, which is one transaction. */
export function blockOf(statements: readonly Statement[]): Statement {
  const block: Block = { kind: 'block', statements };
  return { kind: 'expression', expression: block };
}
