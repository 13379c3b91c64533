/**
 * Reads for one request. What is asked for in one turn of the event loop goes out together: links become one SELECT for each table,
 * edges one for each field. SELECTs go to the session in one call, which gives them one deadline, as long as what they may find at most is
 * within the budget; what could exceed it waits until it is known what the others have found.
 */
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
  /** How many edges of one record at most. */
  readonly most: number;
}

interface Waiting<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** A SELECT on its way, and what becomes of its result. */
interface Order {
  readonly select: Select;
  /** What it may spend of the budget at most. */
  readonly most: number;
  /** Throws what it can't deliver. */
  deliver(result: Rows): void;
  reject(error: unknown): void;
}

interface Request<T> extends Waiting<T> {
  readonly id: RecordId;
  /** The id as text, by which its row is found. */
  readonly key: string;
}
type RecordRequest = Request<ObjectValue | undefined>;
type EdgeRequest = Request<ArrayValue>;

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

  /** The rows of a SELECT: so many at most, each of so many fields. */
  rows(statement: Select, most: number, weight: number): Promise<Rows> {
    return new Promise((resolve, reject) => {
      const deliver = ({ rows, time }: Rows) =>
        resolve({ rows: this.#budget.allows(rows.length, weight) ? rows : [], time });
      this.#orders.push({ select: statement, most: most * weight, deliver, reject });
      this.#schedule();
    });
  }

  /** A record, or nothing if it doesn't exist or is hidden. */
  record(id: RecordId, selection: Selection): PromiseOrValue<ObjectValue | undefined> {
    // Waiting for a record costs far more than a field, whether or not there is one in the end.
    if (!this.#budget.allows(1, selection.weight + LINK_WEIGHT)) return undefined;
    const key = toText(id);
    return new Promise((resolve, reject) => {
      let batch = this.#records.get(id.table);
      if (batch === undefined) {
        batch = { columns: new Set(), requests: [] };
        this.#records.set(id.table, batch);
      }
      for (const column of selection.columns) batch.columns.add(column);
      batch.requests.push({ id, key, resolve, reject });
      this.#schedule();
    });
  }

  /** The edges of a record. */
  edges(id: RecordId, plan: EdgePlan): PromiseOrValue<ArrayValue> {
    if (!this.#budget.allows(1, LINK_WEIGHT)) return [];
    const key = toText(id);
    return new Promise((resolve, reject) => {
      const requests = this.#edges.get(plan);
      if (requests === undefined) this.#edges.set(plan, [{ id, key, resolve, reject }]);
      else requests.push({ id, key, resolve, reject });
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
    const orders = this.#orders;
    this.#orders = [];
    let batch: Order[] = [];
    let most = 0;
    for (const order of orders) {
      if (batch.length > 0 && most + order.most > this.#budget.left) {
        await this.#execute(batch);
        batch = [];
        most = 0;
      }
      batch.push(order);
      most += order.most;
    }
    if (batch.length > 0) await this.#execute(batch);
  }

  async #execute(orders: readonly Order[]): Promise<void> {
    try {
      const statements = orders.map((order) => order.select);
      const isOver = this.#budget.exceeded !== undefined;
      const results = isOver ? [] : await this.#session.execute(statements, this.params.values);
      for (const [at, order] of orders.entries()) deliver(order, results[at]);
    } catch (error) {
      for (const { reject } of orders) reject(error);
    }
  }

  /** One SELECT for all records of a table, with the columns that any of them needs. */
  #orderRecords(names: ReadonlySet<string>, requests: readonly RecordRequest[]): void {
    const ids = distinct(requests);
    const statement = select(columns(names), this.params.bind(ids));
    // Links were paid for when they were asked for.
    this.#deliver(statement, 0, requests, (found) => {
      for (const { key, resolve } of requests) resolve(found.get(key));
    });
  }

  #orderEdges({ table, direction, selection, clauses, most }: EdgePlan, requests: readonly EdgeRequest[]): void {
    const ids = distinct(requests);
    const statement = selectEdges(this.params.bind(ids), { table, direction }, columns(selection.columns), clauses);
    this.#deliver(statement, ids.length * most * selection.weight, requests, (found) => {
      for (const { key, resolve } of requests) {
        const edges = found.get(key)?.[EDGES];
        const rows = isArray(edges) ? edges.filter(isObject) : [];
        resolve(this.#budget.allows(rows.length, selection.weight) ? rows : []);
      }
    });
  }

  /** Hands the rows of a SELECT, by their ids, to those who wait for them. */
  #deliver(
    statement: Select,
    most: number,
    requests: readonly Waiting<never>[],
    handOver: (found: ReadonlyMap<string, ObjectValue>) => void,
  ): void {
    this.#orders.push({
      select: statement,
      most,
      deliver: ({ rows }) => {
        const found = new Map<string, ObjectValue>();
        for (const row of rows) if (isObject(row)) found.set(toText(row['id']), row);
        handOver(found);
      },
      reject: (error) => {
        for (const { reject } of requests) reject(error);
      },
    });
  }
}

/** Without a result, nothing was read any more. */
function deliver(order: Order, result: StatementResult | undefined): void {
  try {
    order.deliver(result === undefined ? { rows: [], time: 0n } : rowsOf(result));
  } catch (error) {
    order.reject(error);
  }
}

function distinct(requests: readonly Request<never>[]): RecordId[] {
  return Array.from(new Map(requests.map(({ key, id }) => [key, id])).values());
}

/** @throws TesseraError what the statement failed with */
function rowsOf({ outcome, time }: StatementResult): Rows {
  if (!outcome.ok) throw outcome.error;
  const value: Value = outcome.value;
  return { rows: isArray(value) ? value : [], time };
}
