/** DEFINE, by what is defined. */
import type { DefineStatement } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { defineAccess } from './define-access.js';
import { defineAnalyzer } from './define-analyzer.js';
import { defineApi } from './define-api.js';
import { defineBucket } from './define-bucket.js';
import { defineConfig } from './define-config.js';
import { defineDatabase } from './define-database.js';
import { defineEvent } from './define-event.js';
import { defineField } from './define-field.js';
import { defineFunction } from './define-function.js';
import { defineIndex } from './define-index.js';
import { defineModule } from './define-module.js';
import { defineNamespace } from './define-namespace.js';
import { defineParam } from './define-param.js';
import { defineSequence } from './define-sequence.js';
import { defineTable } from './define-table.js';
import { defineUser } from './define-user.js';

const KINDS: ReadonlyMap<string, (parser: Parser) => DefineStatement> = new Map<
  string,
  (parser: Parser) => DefineStatement
>([
  ['ACCESS', defineAccess],
  ['ANALYZER', defineAnalyzer],
  ['API', defineApi],
  ['BUCKET', defineBucket],
  ['CONFIG', defineConfig],
  ['DATABASE', defineDatabase],
  ['DB', defineDatabase],
  ['EVENT', defineEvent],
  ['FIELD', defineField],
  ['FUNCTION', defineFunction],
  ['INDEX', defineIndex],
  ['MODULE', defineModule],
  ['NAMESPACE', defineNamespace],
  ['NS', defineNamespace],
  ['PARAM', defineParam],
  ['SEQUENCE', defineSequence],
  ['TABLE', defineTable],
  ['USER', defineUser],
]);

export function define(parser: Parser): DefineStatement {
  parser.advance();
  const read = KINDS.get(parser.word);
  if (read === undefined) return parser.unexpected('a define statement keyword', KINDS.keys());
  parser.advance();
  return read(parser);
}
