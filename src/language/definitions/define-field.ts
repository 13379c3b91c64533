/** DEFINE FIELD: its clauses. */
import { typeText } from '../../value/text/type-text.js';
import { holdsObjects } from '../../value/type.js';
import { objectFrom } from '../../value/value.js';
import { type DefineField, FIELD_ACTIONS, type Reference } from '../ast.js';
import { definitionName, definitionPath, onTable } from '../parser/clauses.js';
import type { Parser } from '../parser/parser.js';
import { type } from '../parser/type.js';
import { clause, nameText, type Printer } from '../printer/printer.js';
import { update } from '../visitor/rebuild.js';
import {
  type ClauseRows,
  codeClause,
  type DefinitionDraft,
  type DefinitionGrammar,
  flagClause,
  shownCode,
} from './clause.js';
import {
  allActions,
  COMMENT,
  FULL,
  IN_GRAPHQL,
  mapPermissions,
  permissions,
  permissionsText,
  shownPermissions,
} from './shared-clauses.js';
import { fixedName } from './subjects.js';

type Node = DefinitionDraft<DefineField>;

const CLAUSES: ClauseRows<DefineField> = {
  type: {
    parse: { TYPE: (parser) => ({ type: type(parser) }) },
    text: (node) => clause('TYPE', node.type, typeText),
    structure: (node) => ({ kind: node.type && typeText(node.type) }),
  },
  flexible: {
    ...flagClause<DefineField>('FLEXIBLE', (node) => node.flexible, { flexible: true }),
    parse: { FLEXIBLE: flexible, FLEXI: flexible },
    altered: { parse: { FLEXIBLE: () => ({ flexible: true }), FLEXI: () => ({ flexible: true }) } },
    structure: (node) => ({ flexible: node.flexible || undefined }),
  },
  default: {
    parse: { DEFAULT: (parser) => ({ default: { always: parser.acceptWord('ALWAYS'), value: parser.expression() } }) },
    text: (node, _, code) =>
      clause('DEFAULT', node.default, ({ always, value }) => `${always ? 'ALWAYS ' : ''}${code(value)}`),
    structure: (node, printer) => ({
      default: node.default && shownCode(node.default.value, printer),
      default_always: node.default?.always,
    }),
    map: (given, mapper) => update(given, { value: mapper.expression(given.value) }),
  },
  readonly: {
    ...flagClause<DefineField>('READONLY', (node) => node.readonly, { readonly: true }),
    structure: (node) => ({ readonly: node.readonly }),
  },
  credential: {
    ...flagClause<DefineField>('CREDENTIAL', (node) => node.credential, { credential: true }),
    structure: (node) => ({ credential: node.credential || undefined }),
  },
  value: codeClause(
    'VALUE',
    (node) => node.value,
    (value) => ({ value }),
  ),
  assert: codeClause(
    'ASSERT',
    (node) => node.assert,
    (assert) => ({ assert }),
  ),
  computed: codeClause(
    'COMPUTED',
    (node) => node.computed,
    (computed) => ({ computed }),
  ),
  reference: {
    parse: { REFERENCE: (parser) => ({ reference: reference(parser) }) },
    text: (node, printer) =>
      clause('REFERENCE ON DELETE', node.reference, (each) => referenceText(each, printer.expression)),
    structure: (node, printer) => ({
      reference:
        node.reference && objectFrom({ on_delete: referenceText(node.reference, (code) => shownCode(code, printer)) }),
    }),
    map: (given, mapper) =>
      given.onDelete === 'then' ? update(given, { then: mapper.expression(given.then) }) : given,
  },
  comment: COMMENT,
  ...IN_GRAPHQL,
  permissions: {
    parse: { PERMISSIONS: (parser) => ({ permissions: permissions(parser, FIELD_ACTIONS, 'full') }) },
    text: permissionsClause(['FULL']),
    // Unlike in DEFINE FIELD, actions that are left out are NONE.
    altered: {
      parse: { PERMISSIONS: (parser) => ({ permissions: permissions(parser, FIELD_ACTIONS, 'none') }) },
      text: permissionsClause(['NONE', 'FULL']),
    },
    structure: (node, printer) => ({
      permissions: shownPermissions(node.permissions ?? allActions(FIELD_ACTIONS, FULL), printer),
    }),
    map: mapPermissions,
  },
};

export const DEFINE_FIELD: DefinitionGrammar<DefineField> = {
  words: ['FIELD'],
  subject: {
    parse(parser) {
      const path = definitionPath(parser);
      onTable(parser);
      return { path, table: definitionName(parser) };
    },
    text: ({ path, table }, printer) => `${printer.idiom(path)} ON ${nameText(table, printer)}`,
    structure: ({ path, table }, printer) => ({ name: printer.idiom(path), table: fixedName(table) }),
  },
  clauses: CLAUSES,
  alter: {
    subject: {
      parse(parser) {
        if (!parser.isName()) parser.unexpected('an identifier');
        const path = parser.idiom();
        onTable(parser);
        return { path, table: parser.name() };
      },
    },
    clauses: [
      'type',
      'flexible',
      'readonly',
      'credential',
      'value',
      'assert',
      'default',
      'permissions',
      'comment',
      'graphqlAlias',
      'graphqlDeprecated',
      'reference',
    ],
    drops: [
      'flexible',
      'type',
      'readonly',
      'value',
      'assert',
      'default',
      'credential',
      'comment',
      'reference',
      'graphqlAlias',
      'graphqlDeprecated',
    ],
  },
};

/** FLEXIBLE belongs to a type: behind it (3.x) or before it (2.x). */
function flexible(parser: Parser, node: Node): Partial<Node> {
  if (node.type === undefined && !parser.isWord('TYPE')) {
    parser.fail('FLEXIBLE must be specified after TYPE', {
      start: parser.previousEnd - 'FLEXIBLE'.length,
      end: parser.previousEnd,
    });
  }
  if (node.type !== undefined && !holdsObjects(node.type)) {
    parser.fail('FLEXIBLE can only be used with types containing object', {
      start: parser.previousEnd - 'FLEXIBLE'.length,
      end: parser.previousEnd,
    });
  }
  return { flexible: true };
}

const ON_DELETE = { REJECT: 'reject', CASCADE: 'cascade', IGNORE: 'ignore', UNSET: 'unset' } as const;

function reference(parser: Parser): Reference {
  if (!parser.acceptWord('ON')) return { onDelete: 'ignore' };
  parser.expectWord('DELETE');
  if (parser.acceptWord('THEN')) return { onDelete: 'then', then: parser.expression() };
  const word = parser.acceptOneOf('REJECT', 'CASCADE', 'IGNORE', 'UNSET');
  return word === undefined
    ? parser.unexpected('`REJECT`, `CASCASE`, `IGNORE`, `UNSET` or `THEN`')
    : { onDelete: ON_DELETE[word] };
}

function referenceText(given: Reference, code: Printer['expression']): string {
  return given.onDelete === 'then' ? `THEN ${code(given.then)}` : given.onDelete.toUpperCase();
}

/** Permissions, `uniform` ones as one word. INFO shows those too that aren't written. */
function permissionsClause(uniform: readonly string[]) {
  return ({ permissions: granted }: DefineField, printer: Printer): string | undefined => {
    if (granted !== undefined) return permissionsText(granted, FIELD_ACTIONS, uniform, printer);
    return printer.secrets ? undefined : 'PERMISSIONS FULL';
  };
}
