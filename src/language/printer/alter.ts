/** ALTER as text: the clauses that it sets or drops, in the order in which the reference engine prints them. */
import { quoteString } from '../../value/text/quote.js';
import { typeText } from '../../value/text/type-text.js';
import { type Alter, type Alterable, type AlterLevel, FIELD_ACTIONS, type InGraphql, TABLE_ACTIONS } from '../ast.js';
import { levelText } from './clauses.js';
import { CONFIG_CLAUSES } from './config.js';
import { asyncText, filterText, referenceText, tableKindText } from './definition.js';
import {
  changefeedText,
  commentText,
  durationsText,
  functionPath,
  permissionsText,
  permissionText,
  REDACTED_LITERAL,
} from './definition-clauses.js';
import { clauses, list, nameText, type Printer, paramText } from './printer.js';

type Of<K extends Alterable['kind']> = Extract<Alterable, { readonly kind: K }>;

/** A clause: the word by which it is dropped, and its text. */
type ClauseText<D> = readonly [word: string, text: (definition: D, printer: Printer) => string | undefined];

interface Kind<D> {
  readonly word: string;
  /** The altered definition. */
  target(definition: D, printer: Printer): string;
  /** By the members that they set, in the order of printing. */
  readonly clauses: { readonly [M in keyof D]?: ClauseText<D> };
}

/** A keyword followed by the text of a member. */
function said<D, M extends keyof D>(
  word: string,
  member: M,
  text: (value: NonNullable<D[M]>, printer: Printer) => string,
): ClauseText<D> {
  return [
    word,
    (definition, printer) => {
      const value = definition[member];
      return value === undefined || value === null ? undefined : `${word} ${text(value, printer)}`;
    },
  ];
}

const COMMENT: ClauseText<Pick<Alterable, 'comment'>> = ['COMMENT', commentText];
const GRAPHQL_ALIAS: ClauseText<InGraphql> = said('GRAPHQL_ALIAS', 'graphqlAlias', quoted);
const GRAPHQL_DEPRECATED: ClauseText<InGraphql> = said('GRAPHQL_DEPRECATED', 'graphqlDeprecated', quoted);
const expression = (node: Parameters<Printer['expression']>[0], printer: Printer) => printer.expression(node);

/** The clauses of all kinds of config. */
const CONFIGS: Readonly<Record<string, ClauseText<Of<'define-config'>>>> = Object.fromEntries(
  Object.values(CONFIG_CLAUSES).flatMap((members) =>
    Object.entries<(config: never, printer: Printer) => string | undefined>(members).map(([member, text]) => [
      member,
      ['', ({ config }, printer) => text(config as never, printer)],
    ]),
  ),
);

const KINDS: { readonly [K in Alterable['kind']]: Kind<Of<K>> } = {
  'define-table': {
    word: 'TABLE',
    target: ({ name }, printer) => nameText(name, printer),
    clauses: {
      tableKind: said('TYPE', 'tableKind', tableKindText),
      schemafull: ['SCHEMAFULL', ({ schemafull }) => (schemafull ? 'SCHEMAFULL' : 'SCHEMALESS')],
      comment: COMMENT,
      graphqlAlias: GRAPHQL_ALIAS,
      graphqlDeprecated: GRAPHQL_DEPRECATED,
      changefeed: ['CHANGEFEED', ({ changefeed }) => changefeedText(changefeed)],
      permissions: [
        'PERMISSIONS',
        ({ permissions }, printer) => permissionsText(permissions, TABLE_ACTIONS, ['NONE', 'FULL'], printer),
      ],
    },
  },
  'define-field': {
    word: 'FIELD',
    target: ({ path, table }, printer) => `${printer.idiom(path)} ON ${nameText(table, printer)}`,
    clauses: {
      type: said('TYPE', 'type', typeText),
      flexible: ['FLEXIBLE', () => 'FLEXIBLE'],
      readonly: ['READONLY', () => 'READONLY'],
      value: said('VALUE', 'value', expression),
      assert: said('ASSERT', 'assert', expression),
      default: said(
        'DEFAULT',
        'default',
        ({ always, value }, printer) => `${always ? 'ALWAYS ' : ''}${printer.expression(value)}`,
      ),
      permissions: [
        'PERMISSIONS',
        ({ permissions }, printer) =>
          permissions && permissionsText(permissions, FIELD_ACTIONS, ['NONE', 'FULL'], printer),
      ],
      comment: COMMENT,
      graphqlAlias: GRAPHQL_ALIAS,
      graphqlDeprecated: GRAPHQL_DEPRECATED,
      reference: said(
        'REFERENCE',
        'reference',
        (reference, printer) => `ON DELETE ${referenceText(reference, printer)}`,
      ),
    },
  },
  'define-index': {
    word: 'INDEX',
    target: ({ name, table }, printer) => `${nameText(name, printer)} ON ${nameText(table, printer)}`,
    clauses: { comment: COMMENT },
  },
  'define-sequence': {
    word: 'SEQUENCE',
    target: ({ name }, printer) => nameText(name, printer),
    clauses: {
      timeout: said('TIMEOUT', 'timeout', expression),
      permissions: said('PERMISSIONS', 'permissions', permissionText),
    },
  },
  'define-event': {
    word: 'EVENT',
    target: ({ name, table }, printer) => `${nameText(name, printer)} ON ${nameText(table, printer)}`,
    clauses: {
      async: ['ASYNC', ({ async }, printer) => async && asyncText(async, printer)],
      when: said('WHEN', 'when', expression),
      then: ['THEN', ({ then }, printer) => `THEN ${list(then, printer.expression)}`],
      comment: COMMENT,
    },
  },
  'define-param': {
    word: 'PARAM',
    target: ({ name }) => paramText(name),
    clauses: {
      value: said('VALUE', 'value', expression),
      comment: COMMENT,
      permissions: said('PERMISSIONS', 'permissions', permissionText),
    },
  },
  'define-function': {
    word: 'FUNCTION',
    target: ({ name }) => functionPath(name),
    clauses: {
      parameters: [
        '',
        ({ parameters }) => `(${list(parameters, ({ name, type }) => `${paramText(name)}: ${typeText(type)}`)})`,
      ],
      returns: ['RETURNS', ({ returns }) => returns && `-> ${typeText(returns)}`],
      body: ['', ({ body }, printer) => printer.block(body)],
      comment: COMMENT,
      graphqlAlias: GRAPHQL_ALIAS,
      graphqlDeprecated: GRAPHQL_DEPRECATED,
      permissions: said('PERMISSIONS', 'permissions', permissionText),
    },
  },
  'define-analyzer': {
    word: 'ANALYZER',
    target: ({ name }, printer) => nameText(name, printer),
    clauses: {
      function: said('FUNCTION', 'function', functionPath),
      tokenizers: said('TOKENIZERS', 'tokenizers', (tokenizers) => tokenizers.join(',').toUpperCase()),
      filters: said('FILTERS', 'filters', (filters) => list(filters, filterText)),
      comment: COMMENT,
    },
  },
  'define-user': {
    word: 'USER',
    target: ({ name, level }, printer) => `${nameText(name, printer)} ${levelText(level)}`,
    clauses: {
      password: said('PASSWORD', 'password', secret),
      passhash: said('PASSHASH', 'passhash', secret),
      roles: said('ROLES', 'roles', (roles) => roles.join(', ').toUpperCase()),
      durations: [
        'DURATION',
        ({ durations, computedClauses }, printer) =>
          durationsText(durations, computedClauses?.durations, ['token', 'session'], printer),
      ],
      comment: COMMENT,
    },
  },
  'define-access': {
    word: 'ACCESS',
    target: ({ name, level }, printer) => `${nameText(name, printer)} ${levelText(level)}`,
    clauses: {
      authenticate: said('AUTHENTICATE', 'authenticate', expression),
      errors: said('ERRORS', 'errors', (errors) => errors.toUpperCase()),
      durations: [
        'DURATION',
        ({ durations, computedClauses }, printer) =>
          durationsText(durations, computedClauses?.durations, ['grant', 'token', 'session'], printer),
      ],
      comment: COMMENT,
    },
  },
  'define-config': {
    word: 'CONFIG',
    target: ({ config }) => config.kind.toUpperCase(),
    clauses: { ...CONFIGS, comment: COMMENT },
  },
};

function quoted(text: string): string {
  return quoteString(text);
}

function secret(text: string, printer: Printer): string {
  return printer.secrets ? quoteString(text) : REDACTED_LITERAL;
}

const ACTIONS = { compact: 'COMPACT', 'prepare-remove': 'PREPARE REMOVE' } as const;

export function alterText({ ifExists, definition, set, dropped, action }: Alter, printer: Printer): string {
  // The row of a kind takes definitions of that kind, which the compiler cannot infer from a lookup by a union of
  // kinds.
  const { word, target, clauses: known } = KINDS[definition.kind] as unknown as Kind<Alterable>;
  const parts: (string | undefined)[] = [];
  for (const [member, [dropWord, text]] of Object.entries(known as Record<string, ClauseText<Alterable>>)) {
    if (set.includes(member)) parts.push(text(definition, printer));
    else if (dropped.includes(member)) parts.push(`DROP ${dropWord}`);
  }
  const done = action && ACTIONS[action];
  return `ALTER ${word}${clauses(
    ifExists && 'IF EXISTS',
    target(definition, printer),
    // The reference engine prints PREPARE REMOVE before the clauses and COMPACT behind them.
    ...(action === 'compact' ? [...parts, done] : [done, ...parts]),
  )}`;
}

const LEVELS = { root: 'SYSTEM', namespace: 'NAMESPACE', database: 'DATABASE' } as const;

export function alterLevelText({ level, compact, queryTimeout }: AlterLevel, printer: Printer): string {
  return `ALTER ${LEVELS[level]}${clauses(
    queryTimeout === 'drop' && 'DROP QUERY_TIMEOUT',
    typeof queryTimeout === 'object' && `QUERY_TIMEOUT ${printer.expression(queryTimeout)}`,
    compact && 'COMPACT',
  )}`;
}
