/**
 * The rows of which definitions are made. A clause is one row: how it is read, printed, shown by INFO … STRUCTURE and
 * walked over. DEFINE, ALTER, both printers, INFO and the visitor derive from the rows (`define.ts`, `alter.ts`).
 *
 * To add a clause: the member in the syntax tree, its row here, and what it does. A member without a row doesn't
 * compile.
 */
import { newObject, type ObjectValue, type Value } from '../../value/value.js';
import type { Alter, DefineStatement, Expression } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { clause, type Printer } from '../printer/printer.js';
import { type Mapper, update } from '../visitor/rebuild.js';

/** Members of definitions that aren't clauses: what stands before them, and expressions in place of fixed values. */
type Leading = 'kind' | 'mode' | 'computedClauses' | 'name' | 'table' | 'path' | 'level';

/** The members that clauses set. */
export type ClauseMember<D> = Exclude<keyof D & string, Leading>;

/** A definition that is being read. */
export type DefinitionDraft<D> = { -readonly [M in keyof D]: D[M] };

/** Reads what follows a keyword, which is taken, and gives the members that it sets. */
export type ReadClause<D> = (parser: Parser, node: DefinitionDraft<D>) => Partial<D>;

/** Readers by keyword, of clauses in any order. The last clause of a kind counts. */
export type ClauseTable<D> = ReadonlyMap<string, ReadClause<D>>;

/**
 * A clause as text, `undefined` if it isn't there. `code` prints an expression as the statement does: DEFINE puts what
 * would swallow the next clause for the reader's eye in parentheses.
 */
export type ClauseText<D> = (node: D, printer: Printer, code: (expression: Expression) => string) => string | undefined;

/** What INFO … STRUCTURE shows by name. What is `undefined` is left out; `NONE` is shown. */
export type ShownMembers = Readonly<Record<string, Value | typeof NONE>>;
export const NONE: unique symbol = Symbol('none');

/** The clause that sets a member. A member that is always there needs the value that it has without the clause. */
export type ClauseOf<D, M extends keyof D> = ClauseRow<D, NonNullable<D[M]>> &
  (Record<never, never> extends Pick<D, M> ? { readonly unset?: undefined } : { readonly unset: D[M] });

interface ClauseRow<D, Value> {
  /** By keyword; ALTER also knows punctuation. DROP names the clause by the first one. */
  readonly parse: Readonly<Record<string, ReadClause<D>>>;
  readonly text: ClauseText<D>;
  /** Where ALTER differs. */
  readonly altered?: {
    readonly parse?: Readonly<Record<string, ReadClause<D>>>;
    readonly text?: ClauseText<D>;
    readonly dropWord?: string;
  };
  structure?(node: D, printer: Printer): ShownMembers;
  /** Maps the code in the clause. Without it there is none. */
  map?(value: Value, mapper: Mapper): Value;
}

/** A row for each member that clauses set, in the order in which DEFINE prints them. */
export type ClauseRows<D> = { readonly [M in ClauseMember<D>]-?: ClauseOf<D, M> };

/** What a definition is called by: its name, and the table or level that it is defined on. */
export interface DefinitionSubject<D> {
  parse(parser: Parser): Omit<Pick<D, Extract<keyof D, Leading>>, 'kind' | 'mode' | 'computedClauses'>;
  text(node: D, printer: Printer): string | undefined;
  structure?(node: D, printer: Printer): ShownMembers;
}

/** The grammar of a kind of definition. */
export interface DefinitionGrammar<D extends DefineStatement> {
  /** The keywords after DEFINE. */
  readonly words: readonly [string, ...string[]];
  readonly subject: DefinitionSubject<D>;
  readonly clauses: ClauseRows<D>;
  /** Reads what follows the subject, if that isn't only clauses in any order. */
  readonly read?: (parser: Parser, table: ClauseTable<D>, node: DefinitionDraft<D>) => D;
  /** Absent for kinds that ALTER doesn't know. */
  readonly alter?: Altering<D>;
}

/** What ALTER can do with a kind of definition. */
export interface Altering<D> {
  /** Where it isn't that of DEFINE. */
  readonly subject?: Partial<Pick<DefinitionSubject<D>, 'parse' | 'text'>>;
  /** The clauses that it takes, in the order in which they are printed. */
  readonly clauses: readonly ClauseMember<D>[];
  /** Those that it drops, in the order in which errors name them. */
  readonly drops: readonly ClauseMember<D>[];
  /** An action other than clauses. */
  readonly action?: { readonly words: readonly string[]; readonly does: NonNullable<Alter['action']> };
  /** The expected token if nothing is changed; without it that is allowed. */
  readonly needed?: string;
}

/** A row of a member that is known only when the program runs. */
export type AnyRow<D> = ClauseRow<D, unknown> & { readonly unset?: unknown };

/** The rows with the members that they set. */
export function rowsOf<D>(clauses: ClauseRows<D>): [member: ClauseMember<D>, row: AnyRow<D>][] {
  return Object.entries(clauses) as unknown as [ClauseMember<D>, AnyRow<D>][];
}

/** The readers of rows. */
export function readersOf<D>(clauses: ClauseRows<D>): ClauseTable<D> {
  return new Map(rowsOf(clauses).flatMap(([, row]) => Object.entries(row.parse)));
}

/** The clauses of a definition as text, each with a blank before it. */
export function textOfClauses<D>(
  clauses: ClauseRows<D>,
  node: D,
  printer: Printer,
  code: (expression: Expression) => string,
): string {
  let result = '';
  for (const [, row] of rowsOf(clauses)) {
    const text = row.text(node, printer, code);
    if (text !== undefined) result += ` ${text}`;
  }
  return result;
}

/** What STRUCTURE shows of the clauses of a definition. */
export function shownOf<D>(clauses: ClauseRows<D>, node: D, printer: Printer): ShownMembers {
  return Object.assign({}, ...rowsOf(clauses).map(([, row]) => row.structure?.(node, printer)));
}

/** The node with the code in its clauses mapped; itself if none has changed. */
export function mapClauses<D extends object>(clauses: ClauseRows<D>, node: D, mapper: Mapper): D {
  const mapped: { [M in keyof D]?: D[M] } = {};
  for (const [member, row] of rowsOf(clauses)) {
    const value = node[member];
    if (value !== undefined && row.map !== undefined) mapped[member] = row.map(value, mapper) as D[typeof member];
  }
  return update(node, mapped);
}

/** Reads clauses in any order into `node`, as long as the table has a reader for the next word. */
export function readClauses<Node extends object>(parser: Parser, table: ClauseTable<Node>, node: Node): Node {
  for (let read = table.get(parser.word); read !== undefined; read = table.get(parser.word)) {
    parser.advance();
    Object.assign(node, read(parser, node));
  }
  return node;
}

/** Code as STRUCTURE shows it: a subquery as the statement that it is, without its parentheses. */
export function shownCode(expression: Expression, printer: Printer): string {
  return expression.kind === 'subquery' ? printer.statement(expression.statement) : printer.expression(expression);
}

/** The object of what STRUCTURE shows, in the order of names. */
export function shownObject(members: ShownMembers): ObjectValue {
  const object = newObject();
  for (const name of Object.keys(members).sort()) {
    const value = members[name];
    if (value !== undefined) object[name] = value === NONE ? undefined : value;
  }
  return object;
}

/** A row of a member that may be absent, before it is known which. */
type OptionalRow<D, Value> = ClauseRow<D, Value> & { readonly unset?: undefined };

/** The row of a clause that is an expression behind a keyword; STRUCTURE shows it under that. */
export function codeClause<D>(
  keyword: string,
  get: (node: D) => Expression | undefined,
  members: (code: Expression) => Partial<D>,
): OptionalRow<D, Expression> {
  return {
    parse: { [keyword]: (parser) => members(parser.expression()) },
    text: (node, _, code) => clause(keyword, get(node), code),
    structure(node, printer) {
      const given = get(node);
      return { [keyword.toLowerCase()]: given && shownCode(given, printer) };
    },
    map: (given, mapper) => mapper.expression(given),
  };
}

/** The row of a clause that is its keyword alone. */
export function flagClause<D>(
  keyword: string,
  get: (node: D) => boolean,
  members: Partial<D>,
): ClauseRow<D, boolean> & { readonly unset: boolean } {
  return {
    unset: false,
    parse: { [keyword]: () => members },
    text: (node) => (get(node) ? keyword : undefined),
  };
}
