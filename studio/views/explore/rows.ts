/** The rows of a table in pages, of which those loaded last are kept. */
import { BoundExcluded, type RecordId, RecordIdRange } from 'surrealdb';
import { identifier } from '../../connection/surrealql.js';

export type Row = Readonly<Record<string, unknown>> & { readonly id: RecordId };

export interface Order {
  readonly field: string;
  readonly descending: boolean;
}

/** The source of rows: a connection. */
interface Source {
  query<Values extends unknown[]>(text: string, variables?: Readonly<Record<string, unknown>>): Promise<Values>;
}

/** Which rows of a table are shown, and how they are ordered. */
export interface Selection {
  readonly table: string;
  /** A condition in SurrealQL; empty: all rows. */
  readonly filter: string;
  /** Absent: by id. */
  readonly order?: Order;
}

const PAGE = 100;
const KEPT_PAGES = 30;

/** The clauses behind FROM. A comment in the filter ends with its line. */
function conditionOf({ filter }: Selection): string {
  return filter.trim() === '' ? '' : ` WHERE (${filter}\n)`;
}

export async function countRows(connection: Source, selection: Selection): Promise<number> {
  const [rows] = await connection.query<[readonly { readonly count: number }[]]>(
    `SELECT count() FROM ${identifier(selection.table)}${conditionOf(selection)} GROUP ALL`,
  );
  return rows[0]?.count ?? 0;
}

export class RowPages {
  readonly #connection: Source;
  readonly #selection: Selection;
  readonly #changed: (error?: Error) => void;
  /** By number, the latest at the end. `undefined` while it is being loaded, and where it could not be. */
  readonly #pages = new Map<number, readonly Row[] | undefined>();

  /** `changed` is called when a page has come, or couldn't be loaded. */
  constructor(connection: Source, selection: Selection, changed: (error?: Error) => void) {
    this.#connection = connection;
    this.#selection = selection;
    this.#changed = changed;
  }

  /** The row at a place, `undefined` until its page has come. */
  row(at: number): Row | undefined {
    const number = Math.floor(at / PAGE);
    if (!this.#pages.has(number)) void this.#load(number);
    return this.#pages.get(number)?.[at % PAGE];
  }

  async #load(number: number): Promise<void> {
    this.#pages.set(number, undefined);
    const oldest = this.#pages.keys().next();
    if (this.#pages.size > KEPT_PAGES && !oldest.done) this.#pages.delete(oldest.value);
    try {
      const rows = await this.#read(number);
      // One that was given up meanwhile stays so, however many are under way.
      if (this.#pages.has(number)) this.#pages.set(number, rows);
      this.#changed();
    } catch (error) {
      this.#changed(error as Error);
    }
  }

  /** Behind a page that is known from its last id on, so that the server needn't look at all the rows before. */
  async #read(number: number): Promise<Row[]> {
    const { table, order } = this.#selection;
    const condition = conditionOf(this.#selection);
    const before = order === undefined ? this.#pages.get(number - 1)?.at(-1) : undefined;
    if (before !== undefined) {
      const range = new RecordIdRange(table, new BoundExcluded(before.id.id), undefined);
      const [rows] = await this.#connection.query<[Row[]]>(`SELECT * FROM $range${condition} LIMIT ${PAGE}`, { range });
      return rows;
    }
    const ordered = order === undefined ? '' : ` ORDER BY ${identifier(order.field)}${order.descending ? ' DESC' : ''}`;
    const [rows] = await this.#connection.query<[Row[]]>(
      `SELECT * FROM ${identifier(table)}${condition}${ordered} LIMIT ${PAGE} START ${number * PAGE}`,
    );
    return rows;
  }
}
