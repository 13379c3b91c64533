/** ALTER: the clauses of DEFINE individually, and `DROP` with the keyword of a clause; read and printed. */
import type { Alter, Alterable, AlterLevel, DefineStatement, Level } from '../ast.js';
import { ifExists } from '../parser/clauses.js';
import type { Parser } from '../parser/parser.js';
import { clauses, type Printer } from '../printer/printer.js';
import type { Altering, AnyRow, ClauseMember, ClauseTable, DefinitionDraft, DefinitionGrammar } from './clause.js';
import { unsetMembers } from './define.js';
import { alterConfig, alterConfigTexts } from './define-config.js';
import { DEFINITION_KINDS, kindOf } from './kinds.js';

/** The grammar of altering a kind of definition. */
interface AlterGrammar {
  readonly kind: Alterable['kind'];
  readonly word: string;
  readonly subject: DefinitionGrammar<DefineStatement>['subject'];
  readonly clauses: ClauseTable<DefineStatement>;
  /** The members that `DROP` removes, by keyword. */
  readonly drops: ReadonlyMap<string, string>;
  readonly altering: Altering<DefineStatement>;
}

/** By the keyword after ALTER. */
const GRAMMARS: ReadonlyMap<string, AlterGrammar> = new Map(
  DEFINITION_KINDS.flatMap((kind) => {
    const { words, subject, alter: altering, clauses: rows } = kindOf(kind);
    if (altering === undefined) return [];
    const row = (member: ClauseMember<DefineStatement>) => rows[member] as AnyRow<DefineStatement>;
    const readers = altering.clauses.flatMap((member) => {
      const { altered, parse } = row(member);
      return Object.entries({ ...parse, ...altered?.parse });
    });
    const grammar: AlterGrammar = {
      kind: kind as Alterable['kind'],
      word: words[0],
      subject: { ...subject, ...altering.subject },
      clauses: new Map(readers),
      drops: new Map(altering.drops.map((member) => [dropWord(row(member)), member])),
      altering,
    };
    return [[grammar.word, grammar] as const];
  }),
);

/** The keyword by which DROP names a clause. */
function dropWord({ altered, parse }: AnyRow<DefineStatement>): string {
  return altered?.dropWord ?? (Object.keys(parse)[0] as string);
}

const LEVELS: ReadonlyMap<string, Level> = new Map<string, Level>([
  ['SYSTEM', 'root'],
  ['NAMESPACE', 'namespace'],
  ['NS', 'namespace'],
  ['DATABASE', 'database'],
  ['DB', 'database'],
]);

/** ALTER, with what follows it. */
export function alter(parser: Parser): Alter | AlterLevel {
  parser.advance();
  const level = LEVELS.get(parser.word);
  const grammar = GRAMMARS.get(parser.word);
  const isConfig = parser.isWord('CONFIG');
  if (level === undefined && grammar === undefined && !isConfig) {
    return parser.unexpected('a alter statement keyword', [...GRAMMARS.keys(), ...LEVELS.keys(), 'CONFIG']);
  }
  parser.advance();
  if (level !== undefined) return alterLevel(parser, level);
  const exists = ifExists(parser);
  return grammar === undefined ? alterConfig(parser, exists) : alterClauses(parser, grammar, exists);
}

function alterClauses(
  parser: Parser,
  { kind, subject, clauses, drops, altering }: AlterGrammar,
  exists: boolean,
): Alter {
  const definition = { kind, ...subject.parse(parser), ...unsetMembers(kind) } as DefinitionDraft<Alterable>;
  const set = new Set<string>();
  const dropped = new Set<string>();
  let action: Alter['action'];
  for (;;) {
    if (drops.size > 0 && parser.acceptWord('DROP')) {
      const member = droppedMember(parser, drops);
      set.delete(member);
      dropped.add(member);
      continue;
    }
    if (altering.action !== undefined && parser.isWord(altering.action.words[0] as string)) {
      for (const word of altering.action.words) parser.acceptWord(word);
      action = altering.action.does;
      continue;
    }
    const read = clauses.get(parser.kind === 'punct' ? parser.text : parser.word);
    if (read === undefined) break;
    if (parser.kind !== 'punct') parser.advance();
    const given = read(parser, definition);
    Object.assign(definition, given);
    for (const member of Object.keys(given)) {
      if (member !== 'computedClauses') set.add(member);
      dropped.delete(member);
    }
  }
  if (altering.needed !== undefined && set.size + dropped.size === 0 && action === undefined) {
    parser.unexpected(altering.needed);
  }
  return {
    kind: 'alter',
    ifExists: exists,
    definition,
    set: [...set],
    dropped: [...dropped],
    ...(action !== undefined && { action }),
  };
}

/** The member of the clause that the keyword after DROP names. */
function droppedMember(parser: Parser, drops: ReadonlyMap<string, string>): string {
  const words = [...drops.keys()];
  const word = parser.acceptOneOf(...words);
  if (word !== undefined) return drops.get(word) as string;
  const quoted = words.map((each) => `\`${each}\``);
  const last = quoted.pop() as string;
  if (quoted.length === 0) return parser.unexpected(last);
  return parser.unexpected(`${quoted.join(', ')}${quoted.length > 1 ? ',' : ''} or ${last}`);
}

function alterLevel(parser: Parser, at: Level): AlterLevel {
  let compact = parser.acceptWord('COMPACT');
  if (at !== 'root') {
    if (!compact) parser.unexpected('`COMPACT`');
    return { kind: 'alter-level', level: at, compact };
  }
  if (!compact && !parser.isName()) parser.unexpected('`COMPACT`, `DROP` or `QUERY_TIMEOUT`');
  let queryTimeout: AlterLevel['queryTimeout'];
  const drops = parser.acceptWord('DROP');
  if (parser.acceptWord('QUERY_TIMEOUT')) queryTimeout = drops ? 'drop' : parser.expression();
  else if (drops || !compact) parser.unexpected('`QUERY_TIMEOUT`');
  compact ||= parser.acceptWord('COMPACT');
  return { kind: 'alter-level', level: at, compact, ...(queryTimeout !== undefined && { queryTimeout }) };
}

// ─── As text ───

const ACTIONS = { compact: 'COMPACT', 'prepare-remove': 'PREPARE REMOVE', 'rotate-key': 'ROTATE KEY' } as const;

/** The clauses that it sets or drops, in the order in which the reference engine prints them. */
export function alterText(statement: Alter, printer: Printer): string {
  const { definition, ifExists: exists } = statement;
  const { words } = kindOf(definition.kind);
  const parts =
    definition.kind === 'define-config'
      ? [definition.config.kind.toUpperCase(), ...alterConfigTexts(definition, statement, printer)]
      : alteredTexts(statement, printer);
  return `ALTER ${words[0]}${clauses(exists && 'IF EXISTS', ...parts)}`;
}

function alteredTexts({ definition, set, dropped, action }: Alter, printer: Printer): (string | undefined)[] {
  const { subject, clauses: rows, alter: altering } = kindOf(definition.kind);
  const parts = (altering?.clauses ?? []).map((member) => {
    const row = rows[member] as AnyRow<DefineStatement>;
    if (set.includes(member)) return (row.altered?.text ?? row.text)(definition, printer, printer.expression);
    return dropped.includes(member) ? `DROP ${dropWord(row)}` : undefined;
  });
  const done = action && ACTIONS[action];
  return [
    { ...subject, ...altering?.subject }.text(definition, printer),
    // The reference engine prints PREPARE REMOVE before the clauses and COMPACT behind them.
    ...(action === 'compact' ? [...parts, done] : [done, ...parts]),
  ];
}

const LEVEL_WORDS = { root: 'SYSTEM', namespace: 'NAMESPACE', database: 'DATABASE' } as const;

export function alterLevelText({ level, compact, queryTimeout }: AlterLevel, printer: Printer): string {
  return `ALTER ${LEVEL_WORDS[level]}${clauses(
    queryTimeout === 'drop' && 'DROP QUERY_TIMEOUT',
    typeof queryTimeout === 'object' && `QUERY_TIMEOUT ${printer.expression(queryTimeout)}`,
    compact && 'COMPACT',
  )}`;
}
