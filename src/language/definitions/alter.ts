/** ALTER: the clauses of DEFINE individually, and `DROP` with the keyword of a clause. */
import {
  type Alter,
  type Alterable,
  type AlterLevel,
  type DefineStatement,
  FIELD_ACTIONS,
  type Level,
} from '../ast.js';
import { block } from '../parser/block.js';
import { level, onTable } from '../parser/clauses.js';
import { functionParameters } from '../parser/expression/closure.js';
import type { Parser } from '../parser/parser.js';
import { type } from '../parser/type.js';
import { ACCESS_CLAUSES } from './define-access.js';
import { ANALYZER_CLAUSES } from './define-analyzer.js';
import { alterConfig } from './define-config.js';
import { EVENT_CLAUSES } from './define-event.js';
import { FIELD_CLAUSES } from './define-field.js';
import { FUNCTION_CLAUSES, functionName } from './define-function.js';
import { PARAM_CLAUSES } from './define-param.js';
import { sequenceNode } from './define-sequence.js';
import { TABLE_CLAUSES, tableNode } from './define-table.js';
import { USER_CLAUSES } from './define-user.js';
import { GRAPHQL_DROPS, IN_GRAPHQL } from './graphql-clauses.js';
import { type ClauseTable, fixedComment, ifExists, permission, permissions } from './shared-clauses.js';

type AnyClauses = ReadonlyMap<string, (parser: Parser, node: never) => object>;

/** The grammar of altering a kind of definition. */
interface Kind<D extends Alterable = Alterable, Member extends string = string> {
  /** The definition to alter, with members that are unset until a clause sets them. */
  begin(parser: Parser): D;
  readonly clauses: AnyClauses;
  /** The members that `DROP` removes, by keyword. */
  readonly drops: Readonly<Record<string, Member>>;
  /** Actions other than clauses, by their first keyword, with the following keywords. */
  readonly action?: { readonly words: readonly string[]; readonly does: NonNullable<Alter['action']> };
  /** Takes no COMMENT. */
  readonly uncommented?: true;
  /** The expected token if nothing is changed; without it that is allowed. */
  readonly needed?: string;
}

type KindOf<K extends Alterable['kind'], D extends Alterable = Extract<Alterable, { kind: K }>> = Kind<
  D,
  keyof D & string
>;

const NONE = { kind: 'none' } as const;

const TABLE: KindOf<'define-table'> = {
  begin: (parser) => tableNode({ name: parser.name() }),
  clauses: new Map<string, (parser: Parser, node: never) => object>([
    ...only(TABLE_CLAUSES, 'CHANGEFEED PERMISSIONS TYPE SCHEMALESS'),
    ...IN_GRAPHQL,
    ['SCHEMAFULL', () => ({ schemafull: true })],
    ['SCHEMAFUL', () => ({ schemafull: true })],
  ]),
  drops: { COMMENT: 'comment', CHANGEFEED: 'changefeed', ...GRAPHQL_DROPS },
  action: { words: ['COMPACT'], does: 'compact' },
};

const FIELD: KindOf<'define-field'> = {
  begin(parser) {
    if (!parser.isName()) parser.unexpected('an identifier');
    const path = parser.idiom();
    onTable(parser);
    return { kind: 'define-field', path, table: parser.name(), flexible: false, readonly: false };
  },
  clauses: new Map<string, (parser: Parser, node: never) => object>([
    ...only(FIELD_CLAUSES, 'TYPE READONLY VALUE ASSERT DEFAULT REFERENCE'),
    ...IN_GRAPHQL,
    ['FLEXIBLE', () => ({ flexible: true })],
    ['FLEXI', () => ({ flexible: true })],
    // Unlike in DEFINE FIELD, actions that are left out are NONE.
    ['PERMISSIONS', (parser) => ({ permissions: permissions(parser, FIELD_ACTIONS, 'none') })],
  ]),
  drops: {
    FLEXIBLE: 'flexible',
    TYPE: 'type',
    READONLY: 'readonly',
    VALUE: 'value',
    ASSERT: 'assert',
    DEFAULT: 'default',
    COMMENT: 'comment',
    REFERENCE: 'reference',
    ...GRAPHQL_DROPS,
  },
};

const INDEX: KindOf<'define-index'> = {
  begin(parser) {
    const name = parser.name();
    onTable(parser);
    const plain = { kind: 'plain' } as const;
    return { kind: 'define-index', name, table: parser.name(), fields: [], indexKind: plain, concurrently: false };
  },
  clauses: new Map(),
  drops: { COMMENT: 'comment' },
  action: { words: ['PREPARE', 'REMOVE'], does: 'prepare-remove' },
  needed: '`PREPARE`, `DROP` or `COMMENT`',
};

const SEQUENCE: KindOf<'define-sequence'> = {
  begin: (parser) => sequenceNode(parser.name()),
  clauses: new Map<string, (parser: Parser) => object>([
    ['TIMEOUT', (parser) => ({ timeout: parser.expression() })],
    ['PERMISSIONS', (parser) => ({ permissions: permission(parser) })],
  ]),
  drops: {},
  uncommented: true,
};

const EVENT: KindOf<'define-event'> = {
  begin(parser) {
    const name = parser.definitionName();
    onTable(parser);
    return { kind: 'define-event', name, table: parser.definitionName(), then: [] };
  },
  clauses: EVENT_CLAUSES,
  drops: { ASYNC: 'async', WHEN: 'when', COMMENT: 'comment' },
};

const PARAM: KindOf<'define-param'> = {
  begin: (parser) => ({
    kind: 'define-param',
    name: parser.param(),
    value: { kind: 'literal', value: undefined },
    permissions: NONE,
  }),
  clauses: PARAM_CLAUSES,
  drops: { COMMENT: 'comment' },
};

const FUNCTION: KindOf<'define-function'> = {
  begin: (parser) => ({
    kind: 'define-function',
    name: functionName(parser),
    parameters: [],
    body: { kind: 'block', statements: [] },
    permissions: NONE,
  }),
  clauses: new Map<string, (parser: Parser, node: never) => object>([
    ...FUNCTION_CLAUSES,
    ['(', (parser) => ({ parameters: functionParameters(parser) })],
    [
      '->',
      (parser) => {
        parser.expectPunct('->');
        return { returns: type(parser) };
      },
    ],
    ['{', (parser) => ({ body: block(parser) })],
  ]),
  drops: { RETURNS: 'returns', COMMENT: 'comment', ...GRAPHQL_DROPS },
};

const ANALYZER: KindOf<'define-analyzer'> = {
  begin: (parser) => ({ kind: 'define-analyzer', name: parser.definitionName(), tokenizers: [], filters: [] }),
  clauses: ANALYZER_CLAUSES,
  drops: { FUNCTION: 'function', TOKENIZERS: 'tokenizers', FILTERS: 'filters', COMMENT: 'comment' },
};

const USER: KindOf<'define-user'> = {
  begin: (parser) => ({ kind: 'define-user', ...nameAtLevel(parser), roles: [], durations: {} }),
  clauses: USER_CLAUSES,
  drops: { COMMENT: 'comment' },
};

const ACCESS: KindOf<'define-access'> = {
  begin: (parser) => ({
    kind: 'define-access',
    ...nameAtLevel(parser),
    accessKind: { kind: 'bearer', subject: 'user' },
    durations: {},
  }),
  clauses: ACCESS_CLAUSES,
  drops: { AUTHENTICATE: 'authenticate', ERRORS: 'errors', COMMENT: 'comment' },
};

/** By the keyword after ALTER. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>(
  Object.entries({ ACCESS, ANALYZER, EVENT, FIELD, FUNCTION, INDEX, PARAM, SEQUENCE, TABLE, USER }),
);

const LEVELS: ReadonlyMap<string, Level> = new Map<string, Level>([
  ['SYSTEM', 'root'],
  ['NAMESPACE', 'namespace'],
  ['NS', 'namespace'],
  ['DATABASE', 'database'],
  ['DB', 'database'],
]);

export function alter(parser: Parser): Alter | AlterLevel {
  parser.advance();
  const level = LEVELS.get(parser.word);
  const kind: Kind | undefined = KINDS.get(parser.word);
  const isConfig = parser.isWord('CONFIG');
  if (level === undefined && kind === undefined && !isConfig) {
    return parser.unexpected('a alter statement keyword', [...KINDS.keys(), ...LEVELS.keys(), 'CONFIG']);
  }
  parser.advance();
  if (level !== undefined) return alterLevel(parser, level);
  const exists = ifExists(parser);
  return kind === undefined ? alterConfig(parser, exists) : alterKind(parser, kind, exists);
}

function alterKind(parser: Parser, kind: Kind, exists: boolean): Alter {
  const definition: Alterable = kind.begin(parser);
  const set = new Set<string>();
  const dropped = new Set<string>();
  let action: Alter['action'];
  const drops = Object.keys(kind.drops).length > 0;
  for (;;) {
    if (drops && parser.acceptWord('DROP')) {
      const member = droppedMember(parser, kind);
      set.delete(member);
      dropped.add(member);
      continue;
    }
    if (kind.action !== undefined && parser.isWord(kind.action.words[0] as string)) {
      for (const word of kind.action.words) parser.acceptWord(word);
      action = kind.action.does;
      continue;
    }
    const commented = parser.isWord('COMMENT') && kind.uncommented === undefined;
    const read = commented ? fixedComment : kind.clauses.get(parser.kind === 'punct' ? parser.text : parser.word);
    if (read === undefined) break;
    if (parser.kind !== 'punct') parser.advance();
    const given = read(parser, definition as never);
    Object.assign(definition, given);
    for (const member of Object.keys(given)) {
      if (member !== 'computedClauses') set.add(member);
      dropped.delete(member);
    }
  }
  if (kind.needed !== undefined && set.size + dropped.size === 0 && action === undefined) {
    parser.unexpected(kind.needed);
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

function droppedMember(parser: Parser, { drops }: Kind): string {
  const words = Object.keys(drops);
  const word = parser.acceptOneOf(...words);
  if (word !== undefined) return drops[word] as string;
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

/** `name ON level`. */
function nameAtLevel(parser: Parser): Pick<Extract<DefineStatement, { kind: 'define-user' }>, 'name' | 'level'> {
  const name = parser.definitionName();
  parser.expectWord('ON');
  return { name, level: level(parser) };
}

/** The rows of a table of clauses with these keywords. */
function only<Node>(table: ClauseTable<Node>, words: string): ClauseTable<Node> {
  return new Map([...table].filter(([word]) => words.split(' ').includes(word)));
}
