/**
 * Reads for one request. What is asked for in one turn of the event loop goes out together: links become one SELECT for each table,
 * edges one for each field, and all SELECTs go to the session in one call, which gives them one deadline.
 */
import { invariant } from '../../base/invariant.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Select } from '../../language/ast.js';
import type { Session, StatementResult } from '../../session/contract.js';
import { toText } from '../../value/text/text.js';
import { type ArrayValue, isArray, isObject, type ObjectValue, type RecordId, type Value } from '../../value/value.js';
import type { Budget } from './budget.js';
import { type Clauses, columns, EDGES, type EdgeDirection, type Params, select, selectEdges } from './select.js';
import type { Selection } from './selection.js';

/** The edges that a field shows: the same object for each record on which the field stands. */
export interface EdgePlan {
  readonly table: string;
  readonly direction: EdgeDirection;
  readonly selection: Selection;
  readonly clauses: Clauses;
}

interface Waiting<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** A SELECT on its way and who waits for its result. */
interface Order extends Waiting<StatementResult> {
  readonly select: Select;
}

interface RecordRequest extends Waiting<ObjectValue | undefined> {
  readonly id: RecordId;
}

interface EdgeRequest extends Waiting<ArrayValue> {
  readonly id: RecordId;
}

export interface Rows {
  readonly rows: ArrayValue;
  /** How long the statement took, in nanoseconds. */
  readonly time: bigint;
}

/** What following a link costs beside the fields that it gives. */
const LINK_WEIGHT = 10;

export class Loader {
  readonly params: Params;
  readonly #session: Session;
  readonly #budget: Budget;
  #orders: Order[] = [];
  #records = new Map<string, { readonly columns: Set<string>; readonly requests: RecordRequest[] }>();
  #edges = new Map<EdgePlan, EdgeRequest[]>();
  #isScheduled = false;

  constructor(session: Session, budget: Budget, params: Params) {
    this.#session = session;
    this.#budget = budget;
    this.params = params;
  }

  /** The rows of a SELECT. */
  async rows(statement: Select, weight: number): Promise<Rows> {
    const { rows, time } = rowsOf(await this.#order(statement));
    return { rows: this.#budget.allows(rows.length, weight) ? rows : [], time };
  }

  /** A record, or nothing if it doesn't exist or is hidden. */
  record(id: RecordId, selection: Selection): PromiseOrValue<ObjectValue | undefined> {
    // Waiting for a record costs far more than a field, whether or not there is one in the end.
    if (!this.#budget.allows(1, selection.weight + LINK_WEIGHT)) return undefined;
    return new Promise((resolve, reject) => {
      let batch = this.#records.get(id.table);
      if (batch === undefined) {
        batch = { columns: new Set(), requests: [] };
        this.#records.set(id.table, batch);
      }
      for (const column of selection.columns) batch.columns.add(column);
      batch.requests.push({ id, resolve, reject });
      this.#schedule();
    });
  }

  /** The edges of a record. */
  edges(id: RecordId, plan: EdgePlan): PromiseOrValue<ArrayValue> {
    if (!this.#budget.allows(1, LINK_WEIGHT)) return [];
    return new Promise((resolve, reject) => {
      const requests = this.#edges.get(plan);
      if (requests === undefined) this.#edges.set(plan, [{ id, resolve, reject }]);
      else requests.push({ id, resolve, reject });
      this.#schedule();
    });
  }

  #order(statement: Select): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.#orders.push({ select: statement, resolve, reject });
      this.#schedule();
    });
  }

  /** All that is asked for by promises which are settled now belongs to the same turn. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => process.nextTick(() => void this.#send()));
  }

  async #send(): Promise<void> {
    this.#isScheduled = false;
    const records = this.#records;
    const edges = this.#edges;
    this.#records = new Map();
    this.#edges = new Map();
    for (const { columns: names, requests } of records.values()) this.#orderRecords(names, requests);
    for (const [plan, requests] of edges) this.#orderEdges(plan, requests);
    // Ordering them has scheduled a turn, but they go out in this one.
    const orders = this.#orders;
    this.#orders = [];
    if (orders.length === 0) return;
    try {
      const results = await this.#session.execute(
        orders.map((order) => order.select),
        this.params.values,
      );
      for (const [at, order] of orders.entries()) {
        const result = results[at];
        invariant(result !== undefined, 'each statement has a result');
        order.resolve(result);
      }
    } catch (error) {
      for (const { reject } of orders) reject(error);
    }
  }

  /** One SELECT for all records of a table, with the columns that any of them needs. */
  #orderRecords(names: ReadonlySet<string>, requests: readonly RecordRequest[]): void {
    const ids = distinct(requests.map(({ id }) => id));
    const statement = select(columns(names), this.params.bind(Array.from(ids.values())));
    this.#deliver(statement, requests, (found) => {
      for (const { id, resolve } of requests) resolve(found.get(toText(id)));
    });
  }

  #orderEdges({ table, direction, selection, clauses }: EdgePlan, requests: readonly EdgeRequest[]): void {
    const ids = distinct(requests.map(({ id }) => id));
    const statement = selectEdges(
      this.params.bind(Array.from(ids.values())),
      { table, direction },
      columns(selection.columns),
      clauses,
    );
    this.#deliver(statement, requests, (found) => {
      for (const { id, resolve } of requests) {
        const edges = found.get(toText(id))?.[EDGES];
        const rows = isArray(edges) ? edges.filter(isObject) : [];
        resolve(this.#budget.allows(rows.length, selection.weight) ? rows : []);
      }
    });
  }

  /** Hands the rows of a SELECT, by their ids, to those who wait for them. */
  #deliver(
    statement: Select,
    requests: readonly Waiting<never>[],
    deliver: (found: ReadonlyMap<string, ObjectValue>) => void,
  ): void {
    const fail = (error: unknown) => {
      for (const { reject } of requests) reject(error);
    };
    const resolve = (result: StatementResult) => {
      try {
        const found = new Map<string, ObjectValue>();
        for (const row of rowsOf(result).rows) if (isObject(row)) found.set(toText(row['id']), row);
        deliver(found);
      } catch (error) {
        fail(error);
      }
    };
    this.#orders.push({ select: statement, resolve, reject: fail });
  }
}

function distinct(ids: readonly RecordId[]): Map<string, RecordId> {
  return new Map(ids.map((id) => [toText(id), id]));
}

/** @throws TesseraError what the statement failed with */
function rowsOf({ outcome, time }: StatementResult): Rows {
  if (!outcome.ok) throw outcome.error;
  const value: Value = outcome.value;
  return { rows: isArray(value) ? value : [], time };
}
