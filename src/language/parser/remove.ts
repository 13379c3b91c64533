/** REMOVE, by what is removed. */
import type { Config, RemoveStatement } from '../ast.js';
import {
  configKind,
  definitionName,
  definitionPath,
  functionName,
  ifExists,
  level,
  moduleName,
  onTable,
} from './clauses.js';
import type { Parser } from './parser.js';

type Of = RemoveStatement['of'];

const named =
  (
    kind: Extract<
      Of,
      { kind: 'namespace' | 'database' | 'table' | 'analyzer' | 'sequence' | 'api' | 'bucket' }
    >['kind'],
  ) =>
  (parser: Parser): Of => ({ kind, name: definitionName(parser) });

const ofTable =
  (kind: 'index' | 'event') =>
  (parser: Parser): Of => {
    const name = definitionName(parser);
    onTable(parser);
    return { kind, name, table: definitionName(parser) };
  };

const ofLevel =
  (kind: 'user' | 'access') =>
  (parser: Parser): Of => {
    const name = definitionName(parser);
    parser.expectWord('ON');
    return { kind, name, level: level(parser) };
  };

const KINDS: ReadonlyMap<string, (parser: Parser) => Of> = new Map<string, (parser: Parser) => Of>([
  ['NAMESPACE', named('namespace')],
  ['NS', named('namespace')],
  ['DATABASE', named('database')],
  ['DB', named('database')],
  ['TABLE', named('table')],
  ['ANALYZER', named('analyzer')],
  ['SEQUENCE', named('sequence')],
  ['API', named('api')],
  ['BUCKET', named('bucket')],
  ['MODULE', (parser) => ({ kind: 'module', name: moduleName(parser) })],
  ['PARAM', (parser) => ({ kind: 'param', name: parser.param() })],
  ['FUNCTION', (parser) => ({ kind: 'function', name: functionToRemove(parser) })],
  ['FIELD', field],
  ['INDEX', ofTable('index')],
  ['EVENT', ofTable('event')],
  ['USER', ofLevel('user')],
  ['ACCESS', ofLevel('access')],
  ['CONFIG', (parser) => ({ kind: 'config', config: config(parser) })],
]);

export function remove(parser: Parser): RemoveStatement {
  parser.advance();
  const read = KINDS.get(parser.word);
  if (read === undefined) return parser.unexpected('a remove statement keyword', KINDS.keys());
  parser.advance();
  const exists = ifExists(parser);
  return { kind: 'remove', ifExists: exists, of: read(parser) };
}

function field(parser: Parser): Of {
  const path = definitionPath(parser);
  onTable(parser);
  return { kind: 'field', path, table: definitionName(parser) };
}

/** `fn::f`, also written `fn::f()`. */
function functionToRemove(parser: Parser): string {
  const name = functionName(parser);
  if (parser.acceptPunct('(')) parser.expectPunct(')');
  return name;
}

function config(parser: Parser): Config['kind'] {
  return configKind(parser) ?? parser.unexpected('GRAPHQL, API or DEFAULT');
}
