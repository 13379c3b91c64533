/** DEFINE CONFIG and ALTER CONFIG: the clauses of each kind of configuration. */
import { quoteString } from '../../value/text/quote.js';
import { objectFrom, Table, type Value } from '../../value/value.js';
import type {
  Alter,
  Config,
  DefaultConfig,
  DefineConfig,
  Expression,
  GraphqlConfig,
  MailDelivery,
  Name,
} from '../ast.js';
import { configKind, definitionName } from '../parser/clauses.js';
import type { Parser } from '../parser/parser.js';
import {
  clause,
  clauses,
  list,
  nameText,
  type Printer,
  plainName,
  REDACTED,
  REDACTED_LITERAL,
} from '../printer/printer.js';
import { name as mapName } from '../visitor/names.js';
import { update } from '../visitor/rebuild.js';
import {
  type ClauseRows,
  type ClauseTable,
  type DefinitionGrammar,
  mapClauses,
  NONE,
  type ReadClause,
  readClauses,
  readersOf,
  rowsOf,
  type ShownMembers,
  shownCode,
  shownObject,
  shownOf,
  textOfClauses,
} from './clause.js';
import { HANDLING } from './define-api.js';
import { COMMENT, comment, fixedComment } from './shared-clauses.js';

type ConfigOf<K extends Config['kind']> = Extract<Config, { readonly kind: K }>;

/** A config as far as clauses say it. A name is `undefined` where NONE is written. */
type Written = { readonly kind: Config['kind'] } & Readonly<Record<string, unknown>>;

const NOTHING = { kind: 'none' } as const;
const AUTO = { kind: 'auto' } as const;

/** The clauses of each kind. No two kinds have a member of one name. */
const CONFIGS: { readonly [K in Config['kind']]: ClauseRows<ConfigOf<K>> } = {
  graphql: {
    tables: {
      unset: NOTHING,
      parse: {
        AUTO: () => ({ tables: AUTO, functions: AUTO }),
        NONE: () => ({ tables: NOTHING, functions: NOTHING }),
        TABLES: (parser) => ({ tables: selection(parser, tables) }),
      },
      text: (node) => `TABLES ${selectionText(node.tables, plainName)}`,
      structure: (node) => ({ tables: shownSelection(node.tables, (name) => new Table(name)) }),
    },
    functions: {
      unset: NOTHING,
      parse: { FUNCTIONS: (parser) => ({ functions: selection(parser, functions) }) },
      text: (node) => `FUNCTIONS ${selectionText(node.functions, pathText)}`,
      structure: (node) => ({ functions: shownSelection(node.functions, (name) => name) }),
    },
    depth: {
      parse: { DEPTH: (parser) => ({ depth: parser.natural() }) },
      text: ({ depth }) => clause('DEPTH', depth, String),
      structure: ({ depth }) => ({ depth_limit: depth }),
    },
    complexity: {
      parse: { COMPLEXITY: (parser) => ({ complexity: parser.natural() }) },
      text: ({ complexity }) => clause('COMPLEXITY', complexity, String),
      structure: ({ complexity }) => ({ complexity_limit: complexity }),
    },
    introspection: {
      parse: { INTROSPECTION: (parser) => ({ introspection: introspection(parser) }) },
      // The reference engine doesn't show one that is as it would be without the clause.
      text: (node, { secrets }) => (secrets || node.introspection !== 'auto' ? introspectionText(node) : undefined),
      altered: { text: introspectionText },
      structure: (node) => ({ introspection: node.introspection === 'none' ? NONE : undefined }),
    },
  },
  api: HANDLING,
  default: {
    namespace: {
      parse: { NAMESPACE: optional('namespace'), NS: optional('namespace') },
      text: ({ namespace }, printer) => `NAMESPACE ${optionalName(namespace, printer)}`,
      structure: ({ namespace }) => ({ namespace: namespace as string | undefined }),
      map: mapName,
    },
    database: {
      parse: { DATABASE: optional('database'), DB: optional('database') },
      text: ({ database }, printer) => `DATABASE ${optionalName(database, printer)}`,
      structure: ({ database }) => ({ database: database as string | undefined }),
      map: mapName,
    },
  },
  mail: {
    from: {
      parse: { FROM: (parser) => ({ from: parser.string() }) },
      text: ({ from }) => clause('FROM', from, quoteString),
      structure: ({ from }) => ({ from }),
    },
    delivery: {
      parse: {
        SMTP: (parser) => ({ delivery: smtp(parser) }),
        THEN: (parser) => ({ delivery: { kind: 'then', action: parser.expression() } }),
      },
      text: ({ delivery }, printer, code) => delivery && deliveryText(delivery, printer, code),
      structure: ({ delivery }, printer) => (delivery === undefined ? {} : shownDelivery(delivery, printer)),
      map: (delivery, mapper) =>
        delivery.kind === 'then' ? update(delivery, { action: mapper.expression(delivery.action) }) : delivery,
    },
    limit: {
      parse: { LIMIT: (parser) => ({ limit: parser.natural() }) },
      text: ({ limit }) => clause('LIMIT', limit, String),
      structure: ({ limit }) => ({ limit }),
    },
  },
  auth: {
    url: {
      parse: { URL: (parser) => ({ url: parser.string() }) },
      text: ({ url }) => clause('URL', url, quoteString),
      structure: ({ url }) => ({ url }),
    },
    redirects: {
      unset: [],
      parse: { REDIRECT: (parser) => ({ redirects: parser.commaList(() => parser.string()) }) },
      text: ({ redirects }) => (redirects.length === 0 ? undefined : `REDIRECT ${list(redirects, quoteString)}`),
      structure: ({ redirects }) => ({ redirect: [...redirects] }),
    },
    title: {
      parse: { NAME: (parser) => ({ title: parser.string() }) },
      text: ({ title }) => clause('NAME', title, quoteString),
      structure: ({ title }) => ({ name: title }),
    },
    color: {
      parse: { COLOR: (parser) => ({ color: parser.string() }) },
      text: ({ color }) => clause('COLOR', color, quoteString),
      structure: ({ color }) => ({ color }),
    },
    logo: {
      parse: { LOGO: (parser) => ({ logo: parser.string() }) },
      text: ({ logo }) => clause('LOGO', logo, quoteString),
      structure: ({ logo }) => ({ logo }),
    },
    notify: {
      unset: true,
      parse: { NOTIFY: (parser) => ({ notify: notify(parser) }) },
      text: ({ notify }) => (notify ? undefined : 'NOTIFY NONE'),
      altered: { text: ({ notify }) => `NOTIFY ${notify ? 'AUTO' : 'NONE'}` },
      structure: (node) => ({ notify: node.notify ? undefined : NONE }),
    },
  },
};

/** The rows take configs of their kind, which a lookup by a kind known only in general can't tell the compiler. */
function clausesOf(kind: Config['kind']): ClauseRows<Config> {
  return CONFIGS[kind] as unknown as ClauseRows<Config>;
}

const CLAUSES: ClauseRows<DefineConfig> = {
  config: {
    unset: { kind: 'default' },
    parse: {},
    text: ({ config }, printer, code) =>
      config.kind.toUpperCase() + textOfClauses(clausesOf(config.kind), config, printer, code),
    structure: ({ config }, printer) => ({
      [config.kind]: shownObject(shownOf(clausesOf(config.kind), config, printer)),
    }),
    map: (config, mapper) => mapClauses(clausesOf(config.kind), config, mapper),
  },
  comment: COMMENT,
};

export const DEFINE_CONFIG: DefinitionGrammar<DefineConfig> = {
  words: ['CONFIG'],
  subject: { parse: () => ({}), text: () => undefined },
  clauses: CLAUSES,
  read(parser, _, node) {
    const { start } = parser;
    node.config = complete(writtenConfig(parser));
    if (node.config.kind === 'default' && parser.previousStart === start) {
      parser.unexpected('a namespace or database name');
    }
    if (node.config.kind === 'mail' && node.config.from === undefined) parser.unexpected('FROM');
    if (node.config.kind === 'mail' && node.config.delivery === undefined) parser.unexpected('SMTP or THEN');
    return parser.acceptWord('COMMENT') ? { ...node, ...comment(parser, {}) } : node;
  },
};

/** A configuration without the words DEFINE CONFIG. */
export function configText(given: Pick<DefineConfig, 'config' | 'comment'>, printer: Printer): string {
  const node: DefineConfig = { kind: 'define-config', ...given };
  return textOfClauses(CLAUSES, node, printer, printer.expression).slice(1);
}

function readersOfKind(kind: Config['kind']): ClauseTable<Partial<Config>> {
  return readersOf(clausesOf(kind)) as ClauseTable<Partial<Config>>;
}

const READERS: Readonly<Record<Config['kind'], ClauseTable<Partial<Config>>>> = {
  graphql: readersOfKind('graphql'),
  api: readersOfKind('api'),
  default: readersOfKind('default'),
  mail: readersOfKind('mail'),
  auth: readersOfKind('auth'),
};

function writtenConfig(parser: Parser): Written {
  const kind = configKind(parser);
  if (kind === undefined) return parser.unexpected('a type of config');
  return { kind, ...readClauses(parser, READERS[kind], {}) };
}

/** The config with what holds where nothing is written. */
function complete(written: Written): Config {
  const config: Record<string, unknown> = { kind: written.kind };
  for (const [member, { unset }] of rowsOf(clausesOf(written.kind))) {
    const value = member in written ? written[member] : unset;
    if (value !== undefined) config[member] = value;
  }
  return config as unknown as Config;
}

/** What follows ALTER CONFIG. Options that it doesn't mention stay. */
export function alterConfig(parser: Parser, ifExists: boolean): Alter {
  const written = writtenConfig(parser);
  const { kind: _, ...members } = written;
  const said = parser.acceptWord('COMMENT') ? fixedComment(parser) : {};
  return {
    kind: 'alter',
    ifExists,
    definition: { kind: 'define-config', config: complete(written), ...said },
    set: [...Object.keys(members), ...Object.keys(said)],
    dropped: dropsComment(parser) ? ['comment'] : [],
  };
}

function dropsComment(parser: Parser): boolean {
  if (!parser.acceptWord('DROP')) return false;
  return parser.acceptWord('COMMENT') || parser.unexpected('`COMMENT`');
}

/** The clauses of ALTER CONFIG. */
export function alterConfigTexts(
  node: DefineConfig,
  { set, dropped }: Alter,
  printer: Printer,
): (string | undefined)[] {
  const { config } = node;
  const options = rowsOf(clausesOf(config.kind)).filter(([member]) => set.includes(member));
  return [
    ...options.map(([, { altered, text }]) => (altered?.text ?? text)(config, printer, printer.expression)),
    set.includes('comment') ? COMMENT.text(node, printer, printer.expression) : undefined,
    dropped.includes('comment') ? 'DROP COMMENT' : undefined,
  ];
}

function introspection(parser: Parser): 'auto' | 'none' {
  if (parser.acceptWord('AUTO')) return 'auto';
  return parser.acceptWord('NONE') ? 'none' : parser.unexpected('`AUTO` or `NONE`');
}

function introspectionText(node: GraphqlConfig): string | undefined {
  return clause('INTROSPECTION', node.introspection, (given) => given.toUpperCase());
}

// ─── Tables and functions that GraphQL shows ───

function selection(parser: Parser, names: (parser: Parser) => string[]): GraphqlConfig['tables'] {
  if (parser.acceptWord('AUTO')) return AUTO;
  if (parser.acceptWord('NONE')) return NOTHING;
  if (parser.acceptWord('INCLUDE')) return { kind: 'include', names: names(parser) };
  if (parser.acceptWord('EXCLUDE')) return { kind: 'exclude', names: names(parser) };
  return parser.unexpected('`NONE`, `AUTO`, `INCLUDE` or `EXCLUDE`');
}

function tables(parser: Parser): string[] {
  return parser.commaList(() => parser.name('a table config'));
}

/** Functions may stand in brackets, as the documentation has them. */
function functions(parser: Parser): string[] {
  const openedAt = parser.start;
  if (!parser.acceptPunct('[')) return parser.commaList(() => functionName(parser));
  if (parser.isPunct(']')) parser.unexpected('an identifier');
  return parser.listUntil(']', openedAt, () => functionName(parser));
}

/** A function, with `fn::` or without. */
function functionName(parser: Parser): string {
  let name = parser.name();
  if (name.toLowerCase() === 'fn' && parser.acceptPunct('::')) name = parser.name();
  while (parser.acceptPunct('::')) name += `::${parser.name()}`;
  return name;
}

function selectionText(given: GraphqlConfig['tables'], name: (name: string) => string): string {
  if (!('names' in given)) return given.kind.toUpperCase();
  return `${given.kind.toUpperCase()} ${list(given.names, name)}`;
}

function pathText(name: string): string {
  return name.split('::').map(plainName).join('::');
}

function shownSelection(given: GraphqlConfig['tables'], value: (name: string) => Value): Value | typeof NONE {
  if ('names' in given) return objectFrom({ [given.kind]: given.names.map(value) });
  return given.kind === 'auto' ? 'AUTO' : NONE;
}

// ─── The default namespace and database ───

/** The name in a clause, `undefined` for NONE. */
function optional<M extends 'namespace' | 'database'>(member: M): ReadClause<DefaultConfig> {
  return (parser) =>
    ({ [member]: parser.acceptWord('NONE') ? undefined : definitionName(parser) }) as Partial<DefaultConfig>;
}

function optionalName(name: Name | undefined, printer: Printer): string {
  return name === undefined ? 'NONE' : nameText(name, printer);
}

// ─── Mail ───

/** The password belongs to this server alone: one that is altered has none unless it is written with it. */
function smtp(parser: Parser): MailDelivery {
  const url = parser.string();
  return { kind: 'smtp', url, ...(parser.acceptWord('PASSWORD') && { password: parser.string() }) };
}

function deliveryText(delivery: MailDelivery, printer: Printer, code: (expression: Expression) => string): string {
  if (delivery.kind === 'then') return `THEN ${code(delivery.action)}`;
  const { url, password } = delivery;
  const shown = printer.secrets ? quoteString : () => REDACTED_LITERAL;
  return `SMTP ${quoteString(url)}${clauses(clause('PASSWORD', password, shown))}`;
}

function shownDelivery(delivery: MailDelivery, printer: Printer): ShownMembers {
  if (delivery.kind === 'then') return { then: shownCode(delivery.action, printer) };
  return { smtp: delivery.url, password: delivery.password === undefined ? undefined : REDACTED };
}

/** AUTO is what holds without the clause. */
function notify(parser: Parser): boolean {
  if (parser.acceptWord('AUTO')) return true;
  return parser.acceptWord('NONE') ? false : parser.unexpected('`AUTO` or `NONE`');
}
