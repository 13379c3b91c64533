/** The rows of a table in pages, of which those loaded last are kept. */
import type { RecordId } from 'surrealdb';
import type { Order } from '../../components/grid-order.js';
import { identifier } from '../../connection/surrealql.js';

export type Row = Readonly<Record<string, unknown>> & { readonly id: RecordId };

/** The source of rows: a connection. */
interface Source {
  query<Values extends unknown[]>(text: string): Promise<Values>;
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

interface Page {
  readonly rows: readonly Row[];
  /** The codes of their ids. */
  readonly codes: readonly string[];
}

/** Code that is the text of a record id, rather than a call or a cast that makes one. */
const IS_TEXT = /^(?!type::|<)/;

export class RowPages {
  readonly #connection: Source;
  readonly #selection: Selection;
  readonly #changed: (error?: Error) => void;
  /** By number, the latest at the end. `undefined` while it is being loaded, and where it could not be. */
  readonly #pages = new Map<number, Page | undefined>();

  /** `changed` is called when a page has come, or couldn't be loaded. */
  constructor(connection: Source, selection: Selection, changed: (error?: Error) => void) {
    this.#connection = connection;
    this.#selection = selection;
    this.#changed = changed;
  }

  /** The row at a place, `undefined` until its page has come. */
  row(at: number): Row | undefined {
    return this.#page(at)?.rows[at % PAGE];
  }

  /** The code of its id. */
  code(at: number): string | undefined {
    return this.#page(at)?.codes[at % PAGE];
  }

  /** Its id as text. */
  id(at: number): string | undefined {
    const code = this.code(at);
    return code === undefined || IS_TEXT.test(code) ? code : this.row(at)?.id.toString();
  }

  #page(at: number): Page | undefined {
    const number = Math.floor(at / PAGE);
    if (!this.#pages.has(number)) void this.#load(number);
    return this.#pages.get(number);
  }

  async #load(number: number): Promise<void> {
    this.#pages.set(number, undefined);
    const oldest = this.#pages.keys().next();
    if (this.#pages.size > KEPT_PAGES && !oldest.done) this.#pages.delete(oldest.value);
    try {
      const page = await this.#read(number);
      // One that was given up meanwhile stays so, however many are under way.
      if (this.#pages.has(number)) this.#pages.set(number, page);
      this.#changed();
    } catch (error) {
      this.#changed(error as Error);
    }
  }

  /** Behind a page that is known from its last id on, so that the server needn't look at all the rows before. */
  async #read(number: number): Promise<Page> {
    const { table, order } = this.#selection;
    const condition = conditionOf(this.#selection);
    const before = order === undefined ? this.#pages.get(number - 1)?.codes.at(-1) : undefined;
    if (before !== undefined && IS_TEXT.test(before)) {
      return this.#select(`SELECT * FROM ${before}>..${condition} LIMIT ${PAGE}`);
    }
    const ordered = order === undefined ? '' : ` ORDER BY ${identifier(order.field)}${order.descending ? ' DESC' : ''}`;
    return this.#select(
      `SELECT * FROM ${identifier(table)}${condition}${ordered} LIMIT ${PAGE} START ${number * PAGE}`,
    );
  }

  async #select(statement: string): Promise<Page> {
    const [, rows, codes] = await this.#connection.query<[null, Row[], string[]]>(
      `LET $rows = (${statement}); RETURN $rows; RETURN $rows.map(|$row| value::quote($row.id))`,
    );
    return { rows, codes };
  }
}
