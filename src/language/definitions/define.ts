/** DEFINE: read, printed, shown by INFO … STRUCTURE and walked over, for all kinds by their rows. */
import type { ObjectValue } from '../../value/value.js';
import type { ComputedClauses, DefineConfig, DefineStatement } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { codeText } from '../printer/clauses.js';
import { clauses, type Printer, type StatementPrinters } from '../printer/printer.js';
import { idiom } from '../visitor/expressions.js';
import { names } from '../visitor/names.js';
import { type Mapper, type NodeMappers, optional, update } from '../visitor/rebuild.js';
import {
  type ClauseTable,
  type DefinitionDraft,
  mapClauses,
  readClauses,
  readersOf,
  rowsOf,
  shownObject,
  shownOf,
  textOfClauses,
} from './clause.js';
import { DEFINITION_KINDS, kindOf } from './kinds.js';
import { mode } from './shared-clauses.js';

type Kind = DefineStatement['kind'];

const BY_WORD: ReadonlyMap<string, Kind> = new Map(
  DEFINITION_KINDS.flatMap((kind) => kindOf(kind).words.map((word) => [word, kind] as const)),
);

const READERS: ReadonlyMap<Kind, ClauseTable<DefineStatement>> = new Map(
  DEFINITION_KINDS.map((kind) => [kind, readersOf(kindOf(kind).clauses)] as const),
);

const UNSET: ReadonlyMap<Kind, Readonly<Record<string, unknown>>> = new Map(
  DEFINITION_KINDS.map((kind) => {
    const values = rowsOf(kindOf(kind).clauses).map(([member, { unset }]) => [member, unset] as const);
    return [kind, Object.fromEntries(values.filter(([, unset]) => unset !== undefined))] as const;
  }),
);

/** What members that are always there are without their clauses. */
export function unsetMembers(kind: Kind): Readonly<Record<string, unknown>> {
  return UNSET.get(kind) as Readonly<Record<string, unknown>>;
}

/** DEFINE, with what follows it. */
export function define(parser: Parser): DefineStatement {
  parser.advance();
  const kind = BY_WORD.get(parser.word);
  if (kind === undefined) return parser.unexpected('a define statement keyword', BY_WORD.keys());
  parser.advance();
  return definitionOf(kind, parser);
}

/** What follows `DEFINE CONFIG`. */
export function defineConfig(parser: Parser): DefineConfig {
  return definitionOf('define-config', parser) as DefineConfig;
}

function definitionOf(kind: Kind, parser: Parser): DefineStatement {
  const { subject, read = readClauses } = kindOf(kind);
  const node = {
    kind,
    ...mode(parser),
    ...subject.parse(parser),
    ...UNSET.get(kind),
  } as DefinitionDraft<DefineStatement>;
  return read(parser, READERS.get(kind) as ClauseTable<DefineStatement>, node);
}

/** The members that clauses have set: their values are others than without the clause. */
export function writtenMembers(node: DefineStatement): string[] {
  return rowsOf(kindOf(node.kind).clauses).flatMap(([member, { unset }]) => (node[member] === unset ? [] : [member]));
}

function defineText(node: DefineStatement, printer: Printer): string {
  const { words, subject, clauses: rows } = kindOf(node.kind);
  const head = clauses(
    node.mode === 'overwrite' && 'OVERWRITE',
    node.mode === 'if-not-exists' && 'IF NOT EXISTS',
    subject.text(node, printer),
  );
  return `DEFINE ${words[0]}${head}${textOfClauses(rows, node, printer, (code) => codeText(code, printer))}`;
}

/** A definition as an object, as INFO … STRUCTURE shows it: clauses that it lacks are left out. */
export function definitionObject(node: DefineStatement, printer: Printer): ObjectValue {
  const { subject, clauses: rows } = kindOf(node.kind);
  return shownObject({ ...subject.structure?.(node, printer), ...shownOf(rows, node, printer) });
}

/** A definition with its code mapped: in names, in clauses, and what stands in place of fixed values. */
export function mapDefinition<Node extends DefineStatement>(node: Node, mapper: Mapper): Node {
  let head: DefineStatement = names<DefineStatement>(node, mapper);
  if (head.kind === 'define-field') head = update(head, { path: idiom(head.path, mapper) });
  const computed = optional(head.computedClauses, (given) => mapComputed(given, mapper));
  const settled = update<DefineStatement>(head, { computedClauses: computed });
  return mapClauses(kindOf(node.kind).clauses, settled, mapper) as Node;
}

function mapComputed(computed: ComputedClauses, mapper: Mapper): ComputedClauses {
  const { expression } = mapper;
  return update(computed, {
    comment: optional(computed.comment, expression),
    durations: optional(computed.durations, (lifetimes) =>
      update(lifetimes, {
        grant: optional(lifetimes.grant, expression),
        token: optional(lifetimes.token, expression),
        session: optional(lifetimes.session, expression),
      }),
    ),
    jwt: optional(computed.jwt, (jwt) =>
      update(jwt, {
        key: optional(jwt.key, expression),
        url: optional(jwt.url, expression),
        issuerKey: optional(jwt.issuerKey, expression),
      }),
    ),
  });
}

/** Rows of the printer's table. */
export const DEFINITION_PRINTERS = Object.fromEntries(
  DEFINITION_KINDS.map((kind) => [kind, defineText]),
) as unknown as Pick<StatementPrinters, Kind>;

/** Rows of the visitor's table. */
export const DEFINITION_MAPPERS = Object.fromEntries(
  DEFINITION_KINDS.map((kind) => [kind, mapDefinition]),
) as unknown as NodeMappers<DefineStatement>;
