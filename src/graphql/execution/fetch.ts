/**
 * What is read for all records of one level at once: the records that links lead to, one SELECT for each table, and the
 * edges of records, one SELECT for each field.
 */
import type { FieldNode } from 'graphql';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { asTesseraError, type TesseraError } from '../../errors/error.js';
import type { Select } from '../../language/ast.js';
import { toText } from '../../value/text/text.js';
import { isArray, isObject, newObject, type ObjectValue, Range, RecordId, type Value } from '../../value/value.js';
import { BudgetExceeded } from './budget.js';
import type { BoundCollectionQuery, CollectionQuery } from './collection-query.js';
import type { BatchedFetch, ExecutionContext, FetchRequest } from './execution-context.js';
import type { EdgesSource, RecordType, TypeOfRecord } from './field-source.js';
import { writeStepwise } from './json-writer.js';
import type { RecordPlan } from './record-plan.js';
import { columns, EDGES, select, selectEdges } from './select.js';
import type { ValueCompletion } from './value-completion.js';

/** The cost of following a link besides its fields, whether or not the record exists. */
const LINK_COST = 10;

/** By the table and by the key as text: keys of any kind may be equal as text only if they are the same. */
type Requested = Map<string, RequestedOfTable>;

interface RequestedOfTable {
  readonly plan: RecordPlan;
  readonly ids: Map<string | number, RecordId>;
  readonly rows: Map<string | number, Found>;
  error: TesseraError | undefined;
}

/** A record, and its JSON with what that costs, once it has been written. */
interface Found {
  readonly row: ObjectValue;
  json: string | undefined;
  cost: number;
}

/** Writes a record, at once or in steps. */
type WriteRecord<Text> = (plan: RecordPlan, row: ObjectValue, call: ExecutionContext) => Text;

const writeAtOnce: WriteRecord<string | undefined> = (plan, row, call) => plan.write(row, call);

/**
 * Writes a fetched record, or reuses its text: many links may lead to one record, whose text is the
 * same everywhere.
 */
function writeFound<Text extends PromiseOrValue<string | undefined>>(
  found: Found,
  plan: RecordPlan,
  call: ExecutionContext,
  write: WriteRecord<Text>,
): Text | string {
  if (found.json !== undefined) {
    call.writes.spend(found.cost);
    return found.json;
  }
  const failures = call.failures.length;
  const before = call.writes.left;
  const written = write(plan, found.row, call);
  if (written instanceof Promise) {
    return written.then((json: string | undefined) => {
      keep(found, json, failures, before, call);
      return json;
    }) as Text;
  }
  keep(found, written, failures, before, call);
  return written;
}

/** Keeps the JSON of a record, unless it has errors: those are located at each occurrence. */
function keep(
  found: Found,
  json: string | undefined,
  failures: number,
  before: number,
  { failures: { length }, writes }: ExecutionContext,
): void {
  if (length > failures) return;
  found.json = json;
  found.cost = before - writes.left;
}

/** The records that the links of one field lead to. */
export class LinkFetch implements BatchedFetch {
  readonly #slot: number;
  readonly #nodes: readonly FieldNode[];
  readonly #typeOf: TypeOfRecord;
  readonly #planOf: (type: RecordType) => RecordPlan;
  readonly #statements = new Map<string, Select>();

  constructor(
    slot: number,
    nodes: readonly FieldNode[],
    typeOf: TypeOfRecord,
    planOf: (type: RecordType) => RecordPlan,
  ) {
    this.#slot = slot;
    this.#nodes = nodes;
    this.#typeOf = typeOf;
    this.#planOf = planOf;
  }

  readonly gather: ValueCompletion['gather'] & {} = (value, call) => {
    if (value instanceof RecordId) this.#request(value, call);
    else if (isObject(value)) this.#planOfRow(value)?.gather?.(value, call);
  };

  readonly write: ValueCompletion['write'] = (value, call) => this.#write(value, call, writeAtOnce);

  readonly writeInSteps: ValueCompletion['writeInSteps'] & {} = (value, call) =>
    this.#write<PromiseOrValue<string | undefined>>(value, call, writeStepwise);

  #write<Text extends PromiseOrValue<string | undefined>>(
    value: Value,
    call: ExecutionContext,
    write: WriteRecord<Text>,
  ): Text | string | undefined {
    if (isObject(value)) {
      const plan = this.#planOfRow(value);
      return plan && write(plan, value, call);
    }
    if (!(value instanceof RecordId) || value.key instanceof Range) return undefined;
    const type = this.#typeOf(value);
    // Of a table that isn't exposed nothing is read: the id is in the link.
    if (type.table === undefined) return write(this.#planOf(type), idAlone(value), call);
    const requested = this.#requested(call).get(type.table);
    if (requested?.error !== undefined) return call.fail(requested.error, this.#nodes);
    const found = requested?.rows.get(keyOf(value));
    return requested && found && writeFound(found, requested.plan, call, write);
  }

  *requests(call: ExecutionContext): Iterable<FetchRequest> {
    for (const [table, requested] of this.#requested(call)) {
      const { plan, ids } = requested;
      const values = newObject();
      const name = `link_${this.#slot}_${table}`;
      values[name] = [...ids.values()];
      let statement = this.#statements.get(table);
      if (statement === undefined) {
        statement = select(columns(plan.columns), { kind: 'param', name });
        this.#statements.set(table, statement);
      }
      yield {
        statement,
        values,
        // Links were charged when they were requested.
        most: 0,
        deliver: (rows) => {
          for (const row of rows) {
            const { id } = row;
            if (!(id instanceof RecordId)) continue;
            requested.rows.set(keyOf(id), { row, json: undefined, cost: 0 });
            plan.gather?.(row, call);
          }
        },
        fail: (error) => {
          requested.error = error;
        },
      };
    }
  }

  #planOfRow({ id }: ObjectValue): RecordPlan | undefined {
    return id instanceof RecordId ? this.#planOf(this.#typeOf(id)) : undefined;
  }

  #request(id: RecordId, call: ExecutionContext): void {
    const type = this.#typeOf(id);
    if (type.table === undefined || id.key instanceof Range) return;
    const requested = this.#requested(call);
    if (requested.size === 0) call.waiting.push(this);
    let ofTable = requested.get(type.table);
    if (ofTable === undefined) {
      ofTable = { plan: this.#planOf(type), ids: new Map(), rows: new Map(), error: undefined };
      requested.set(type.table, ofTable);
    }
    const key = keyOf(id);
    if (ofTable.ids.has(key)) return;
    call.reads.spend(ofTable.plan.weight + LINK_COST);
    ofTable.ids.set(key, id);
  }

  #requested(call: ExecutionContext): Requested {
    return call.state<Requested>(this.#slot, () => new Map());
  }
}

interface RequestedEdges {
  readonly ids: Map<string, RecordId>;
  /** The edges read for each record. */
  readonly found: Map<string, Value>;
  /** The same for a record that is gone. */
  none: Value;
  error: TesseraError | undefined;
}

/** The read of one field on the edges of records. */
export class EdgeFetch implements BatchedFetch {
  readonly #slot: number;
  readonly #nodes: readonly FieldNode[];
  readonly #reading: CollectionQuery;
  readonly #edges: Pick<EdgesSource, 'table' | 'direction'>;

  constructor(
    slot: number,
    nodes: readonly FieldNode[],
    reading: CollectionQuery,
    edges: Pick<EdgesSource, 'table' | 'direction'>,
  ) {
    this.#slot = slot;
    this.#nodes = nodes;
    this.#reading = reading;
    this.#edges = edges;
  }

  gather(row: ObjectValue, call: ExecutionContext): void {
    const { id } = row;
    if (!(id instanceof RecordId)) return;
    const requested = this.#requested(call);
    if (requested.ids.size === 0) call.waiting.push(this);
    const key = toText(id);
    if (requested.ids.has(key)) return;
    call.reads.spend(LINK_COST);
    requested.ids.set(key, id);
  }

  write(row: ObjectValue, call: ExecutionContext): string | undefined {
    return this.#reading.completion.write(this.#valueOf(row, call), call);
  }

  writeInSteps(row: ObjectValue, call: ExecutionContext): PromiseOrValue<string | undefined> {
    return writeStepwise(this.#reading.completion, this.#valueOf(row, call), call);
  }

  /** The edges read for a record. */
  #valueOf(row: ObjectValue, call: ExecutionContext): Value {
    const { error, found, none } = this.#requested(call);
    if (error === undefined) return found.get(toText(row['id'])) ?? none;
    call.fail(error, this.#nodes);
    return undefined;
  }

  *requests(call: ExecutionContext): Iterable<FetchRequest> {
    const requested = this.#requested(call);
    const ids = { kind: 'param', name: `edges_${this.#slot}` } as const;
    let bound: BoundCollectionQuery;
    try {
      bound = this.#reading.bind(call, (parts) => [selectEdges(ids, this.#edges, parts)]);
    } catch (thrown) {
      requested.error = asTesseraError(thrown);
      return;
    }
    requested.none = bound.result([]);
    const values = newObject();
    Object.assign(values, bound.values);
    values[ids.name] = [...requested.ids.values()];
    for (const statement of bound.statements) {
      yield {
        statement,
        values,
        most: requested.ids.size * bound.most,
        deliver: (rows) => this.#deliver(rows, bound, call),
        fail: (error) => {
          requested.error = error;
        },
      };
    }
  }

  #deliver(rows: readonly ObjectValue[], { result }: BoundCollectionQuery, call: ExecutionContext): void {
    const requested = this.#requested(call);
    try {
      for (const row of rows) {
        const found = row[EDGES];
        if (!isArray(found)) continue;
        const value = result(found);
        requested.found.set(toText(row['id']), value);
        this.#reading.completion.gather?.(value, call);
      }
    } catch (thrown) {
      if (thrown instanceof BudgetExceeded) throw thrown;
      requested.error = asTesseraError(thrown);
    }
  }

  #requested(call: ExecutionContext): RequestedEdges {
    return call.state<RequestedEdges>(this.#slot, () => ({
      ids: new Map(),
      found: new Map(),
      none: undefined,
      error: undefined,
    }));
  }
}

/** Strings and numbers are their own keys; other keys use their text, which differs from that of any string key. */
function keyOf({ key }: RecordId): string | number {
  return typeof key === 'number' ? key : typeof key === 'string' ? `"${key}` : toText(key as Value);
}

function idAlone(id: RecordId): ObjectValue {
  const row = newObject();
  row['id'] = id;
  return row;
}
