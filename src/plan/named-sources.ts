/**
 * Sources that name a table or a record by an expression: `$table`, `type::table('person')`, `type::record($t, $id)`.
 * They are evaluated before the statement is planned, so that it is planned as if the name were written.
 */
import type { Call, Expression } from '../language/ast.js';
import { walk } from '../language/visitor.js';

/**
 * Whether a source may name a table or a record, and names the same whenever it is evaluated while its statement is
 * planned and run.
 */
export function isNamedSource(source: Expression): boolean {
  if (source.kind === 'param') return true;
  return source.kind === 'call' && NAMING.has(source.path) && source.args.every(isSteady);
}

const NAMING: ReadonlySet<string> = new Set(['type::table', 'type::record', 'type::thing']);

const STEADY: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>([
  'literal',
  'constant',
  'param',
  'array',
  'object',
  'unary',
  'binary',
  'cast',
  'range',
  'record-id',
  'table',
]);

/** Built-in functions that take no closures, and give the same for the same. */
const STEADY_FUNCTIONS = /^(?:type|string|math)::/;

function isSteady(expression: Expression): boolean {
  let steady = true;
  walk(expression, {
    expression: (each) => {
      steady &&=
        STEADY.has(each.kind) ||
        (each.kind === 'call' && isSteadyCall(each)) ||
        (each.kind === 'idiom' && isPath(each));
      return steady;
    },
    statement: () => {
      steady = false;
      return false;
    },
  });
  return steady;
}

function isSteadyCall({ path }: Call): boolean {
  return STEADY_FUNCTIONS.test(path);
}

/** `$request.params.table`, `kind`. */
function isPath({ parts }: Extract<Expression, { kind: 'idiom' }>): boolean {
  return parts.every(({ kind }) => kind === 'field' || kind === 'index');
}
