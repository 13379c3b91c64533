import type { DefineModule } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { comment, mode } from './shared-clauses.js';

/** `DEFINE MODULE mod::a AS f"bucket:/file"`, also without a name of its own. */
export function defineModule(parser: Parser): DefineModule {
  const head = mode(parser);
  const name = parser.isWord('MOD') || parser.isWord('SILO') ? moduleName(parser) : undefined;
  if (name !== undefined) parser.expectWord('AS');
  const source = parser.expression();
  const rest = parser.acceptWord('COMMENT') ? comment(parser, {}) : {};
  return { kind: 'define-module', ...head, ...(name !== undefined && { name }), source, ...rest };
}

/** `mod::a`, `silo::organisation::package<1.2.3>`. */
export function moduleName(parser: Parser): string {
  const names = [parser.name()];
  while (parser.acceptPunct('::')) names.push(parser.name());
  const version = names[0]?.toLowerCase() === 'silo' ? parser.version() : '';
  return names.join('::') + version;
}
