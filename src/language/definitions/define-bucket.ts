/** DEFINE BUCKET: its clauses. */
import { quoteString } from '../../value/text/quote.js';
import { type BucketPermissions, type DefineBucket, FILE_ACTIONS } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { clause, type Printer } from '../printer/printer.js';
import { type ClauseRows, codeClause, type DefinitionGrammar, flagClause } from './clause.js';
import {
  allActions,
  COMMENT,
  mapPermissions,
  permission,
  permissions,
  permissionsText,
  permissionText,
  shownPermission,
  shownPermissions,
} from './shared-clauses.js';
import { NAMED } from './subjects.js';

const BYTES = 'a number of bytes';
const FILES = 'a number of files';

const CLAUSES: ClauseRows<DefineBucket> = {
  readonly: {
    ...flagClause<DefineBucket>('READONLY', (node) => node.readonly, { readonly: true }),
    structure: ({ readonly }) => ({ readonly }),
  },
  backend: {
    ...codeClause<DefineBucket>(
      'BACKEND',
      (node) => node.backend,
      (backend) => ({ backend }),
    ),
    text: ({ backend }, printer) => clause('BACKEND', backend, printer.expression),
    structure: ({ backend }) => ({ backend: backend?.kind === 'literal' ? backend.value : undefined }),
  },
  maxSize: {
    parse: { MAXSIZE: (parser) => ({ maxSize: parser.natural(BYTES, Number.MAX_SAFE_INTEGER) }) },
    text: ({ maxSize }) => clause('MAXSIZE', maxSize, String),
    structure: ({ maxSize }) => ({ max_size: maxSize }),
  },
  maxCount: {
    parse: { MAXCOUNT: (parser) => ({ maxCount: parser.natural(FILES) }) },
    text: ({ maxCount }) => clause('MAXCOUNT', maxCount, String),
    structure: ({ maxCount }) => ({ max_count: maxCount }),
  },
  types: {
    parse: { TYPES: (parser) => ({ types: parser.commaList(() => mediaType(parser)) }) },
    text: ({ types }) => clause('TYPES', types, (each) => each.map(quoteString).join(', ')),
    structure: ({ types }) => ({ types: types && [...types] }),
  },
  permissions: {
    unset: allActions(FILE_ACTIONS, { kind: 'none' }),
    parse: { PERMISSIONS: (parser) => ({ permissions: bucketPermissions(parser) }) },
    text: ({ permissions: granted }, printer) => textOf(granted, printer),
    structure: ({ permissions: granted }, printer) => ({
      permissions: isUniform(granted, printer)
        ? shownPermission(granted.get, printer)
        : shownPermissions(granted, printer),
    }),
    map: mapPermissions,
  },
  comment: COMMENT,
};

export const DEFINE_BUCKET: DefinitionGrammar<DefineBucket> = {
  words: ['BUCKET'],
  subject: NAMED,
  clauses: CLAUSES,
  alter: {
    clauses: ['readonly', 'maxSize', 'maxCount', 'types', 'permissions', 'comment'],
    drops: ['readonly', 'maxSize', 'maxCount', 'types', 'comment'],
    action: { words: ['ROTATE', 'KEY'], does: 'rotate-key' },
  },
};

/** A type that is taken: `type/subtype`, either of them `*`, by RFC 6838. */
export const TYPE_PATTERN = /^(\*\/\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126}))$/;

function mediaType(parser: Parser): string {
  if (parser.kind === 'string' && !TYPE_PATTERN.test(parser.text))
    parser.failToken('Expected a media type in lower case: `image/png`, `image/*`');
  return parser.string();
}

/** The peer knows one permission for all actions. */
function bucketPermissions(parser: Parser): BucketPermissions {
  if (parser.isWord('FOR')) return permissions(parser, FILE_ACTIONS, 'none');
  return allActions(FILE_ACTIONS, permission(parser));
}

function isUniform(granted: BucketPermissions, printer: Printer): boolean {
  const text = permissionText(granted.get, printer);
  return FILE_ACTIONS.every((action) => permissionText(granted[action], printer) === text);
}

function textOf(granted: BucketPermissions, printer: Printer): string {
  return isUniform(granted, printer)
    ? `PERMISSIONS ${permissionText(granted.get, printer)}`
    : permissionsText(granted, FILE_ACTIONS, [], printer);
}
