/** The rows of a table in pages, of which those loaded last are kept. */
import type { RecordId } from 'surrealdb';
import type { Order } from '../../components/grid-order.js';
import type { StatementSource } from '../../connection/statement-source.js';
import { identifier } from '../../connection/surrealql.js';

export type Row = Readonly<Record<string, unknown>> & { readonly id: RecordId };

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
export function conditionOf({ filter }: Pick<Selection, 'filter'>): string {
  return filter.trim() === '' ? '' : ` WHERE (${filter}\n)`;
}

export async function countRows(connection: Pick<StatementSource, 'query'>, selection: Selection): Promise<number> {
  const [rows] = await connection.query<[readonly { readonly count: number }[]]>(
    `SELECT count() FROM ${identifier(selection.table)}${conditionOf(selection)} GROUP ALL`,
  );
  return rows[0]?.count ?? 0;
}

export function rowsInWords(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;
}

interface Page {
  readonly rows: readonly Row[];
  /** The codes of their ids. */
  readonly codes: readonly string[];
}

/** Code that is the text of a record id, rather than a call or a cast that makes one. */
const IS_TEXT = /^(?!type::|<)/;

interface PageWanted {
  readonly number: number;
  readonly size: number;
  /** The code of the id before it, if it is known. */
  readonly before: string | undefined;
}

/** Reads a page of rows: from the last id on, if that is known, so that the server needn't look at all the rows before. */
export function pageStatement(selection: Selection, { number, size, before }: PageWanted): string {
  const { table, order } = selection;
  const condition = conditionOf(selection);
  if (order === undefined && before !== undefined && IS_TEXT.test(before)) {
    return `SELECT * FROM ${before}>..${condition} LIMIT ${size}`;
  }
  const ordered = order === undefined ? '' : ` ORDER BY ${identifier(order.field)}${order.descending ? ' DESC' : ''}`;
  return `SELECT * FROM ${identifier(table)}${condition}${ordered} LIMIT ${size} START ${number * size}`;
}

export class RowPages {
  readonly #connection: Pick<StatementSource, 'query'>;
  readonly #selection: Selection;
  readonly #changed: (error?: Error) => void;
  /** By number, the latest at the end. `undefined` while it is being loaded, and where it could not be. */
  readonly #pages = new Map<number, Page | undefined>();

  /** `changed` is called when a page has come, or couldn't be loaded. */
  constructor(connection: Pick<StatementSource, 'query'>, selection: Selection, changed: (error?: Error) => void) {
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

  /** The codes of all rows that are kept. */
  loadedCodes(): readonly string[] {
    return [...this.#pages.values()].flatMap((page) => page?.codes ?? []);
  }

  /** The codes of the rows from one place to another, of which those not loaded are read. @throws Error with what the server refuses */
  async codesBetween(first: number, last: number): Promise<readonly string[]> {
    const codes: string[] = [];
    const start = Math.floor(first / PAGE);
    for (let number = start; number * PAGE <= last; number++) {
      codes.push(...(this.#pages.get(number) ?? (await this.#read(number))).codes);
    }
    return codes.slice(first - start * PAGE, last - start * PAGE + 1);
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

  #read(number: number): Promise<Page> {
    const before = this.#pages.get(number - 1)?.codes.at(-1);
    return this.#select(pageStatement(this.#selection, { number, size: PAGE, before }));
  }

  async #select(statement: string): Promise<Page> {
    const [, rows, codes] = await this.#connection.query<[null, Row[], string[]]>(
      `LET $rows = (${statement}); RETURN $rows; RETURN $rows.map(|$row| value::quote($row.id))`,
    );
    return { rows, codes };
  }
}
