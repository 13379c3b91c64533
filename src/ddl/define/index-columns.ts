/** The FIELDS of an index: the paths that they name, and whether the table has them. */
import { mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { fieldName, plainFieldName } from '../../catalog/ddl/define.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import { failure } from '../../errors/error.js';
import type { DefineIndex, Expression, Idiom, IndexKind } from '../../language/ast.js';
import { plainPath } from '../../query/expression/named-field.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import { isArray, type Value } from '../../value/value.js';
import { checkNotIndexed } from './field-rules.js';
import { mayHaveParts } from './field-type.js';

/**
 * The compiled columns of an index: as they are written, or as `type::field` and `type::fields` name them.
 * @throws TesseraError `index_column`, `parse_error`, `invalid_path`
 */
export function compileIndexColumns(
  { fields, indexKind }: DefineIndex,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<readonly Idiom[]> {
  const written = fields.filter(isPath);
  if (written.length === fields.length) return () => written;
  const groups = fields.map((field) => compileColumn(field, compiler));
  return async (frame) => {
    const found = await mapInOrder(groups, (group) => group(frame));
    return counted(found.flat(), indexKind);
  };
}

function isPath(expression: Expression): expression is Idiom {
  return expression.kind === 'idiom' && expression.start === undefined;
}

interface Naming {
  readonly expected: string;
  names(given: Value): readonly Value[] | undefined;
}

/** The type of each function's argument. */
const NAMING: ReadonlyMap<string, Naming> = new Map<string, Naming>([
  ['type::field', { expected: 'a string', names: (given) => [given] }],
  ['type::fields', { expected: 'an array of strings', names: (given) => (isArray(given) ? given : undefined) }],
]);

function compileColumn(expression: Expression, compiler: Compiler): (frame: Frame) => PromiseOrValue<readonly Idiom[]> {
  if (isPath(expression)) return () => [expression];
  const naming = expression.kind === 'call' ? NAMING.get(expression.path) : undefined;
  if (expression.kind !== 'call' || naming === undefined) {
    return expecting('an idiom or type::field or type::fields function call');
  }
  const [argument] = expression.args;
  if (argument === undefined) return expecting(`an argument for ${expression.path} function call`);
  const evaluate = compiler.expression(argument);
  return async (frame) => {
    const given = await evaluate(frame);
    const names = naming.names(given);
    if (names === undefined) throw failure('index_column', { expected: naming.expected });
    return names.map((name) => {
      if (typeof name !== 'string') throw failure('index_column', { expected: naming.expected });
      return plainPath(name);
    });
  };
}

/** The columns are known only when an index is defined: wrong ones fail then. */
function expecting(expected: string): () => never {
  return () => {
    throw failure('index_column', { expected });
  };
}

const SINGLE: ReadonlySet<IndexKind['kind']> = new Set(['fulltext', 'hnsw']);

/** The parser counts written columns; a call may name any number. */
function counted(columns: readonly Idiom[], { kind }: IndexKind): readonly Idiom[] {
  if (columns.length === 0) throw failure('index_column', { expected: 'at least one column' });
  if (SINGLE.has(kind) && columns.length > 1) {
    throw failure('index_column', { expected: `one column, found ${columns.length}` });
  }
  return columns;
}

/**
 * An import may index fields that were removed in its source.
 * @throws TesseraError `index_computed`, `field_missing`
 */
export function checkColumns(columns: readonly Idiom[], index: string, table: TableEntry, importing: boolean): void {
  const needsFields = table.definition.schemafull && !importing;
  const computed = table.fields.filter((field) => field.computed !== undefined);
  for (const column of columns) {
    if (needsFields && !hasColumn(table, column)) {
      throw failure('field_missing', { name: plainFieldName({ path: column }) });
    }
    for (const field of computed) checkNotIndexed(field, index, [column]);
  }
}

/** Whether a SCHEMAFULL table may hold anything at a path. */
function hasColumn(table: TableEntry, path: Idiom): boolean {
  const [first, ...rest] = path.parts;
  // Every record has one.
  if (first?.kind === 'field' && first.name === 'id' && rest.length === 0) return true;
  const fieldAt = (parts: Idiom['parts']) => {
    const name = fieldName({ path: { kind: 'idiom', parts } });
    return table.fields.find((field) => fieldName(field) === name);
  };
  if (fieldAt(path.parts) !== undefined) return true;
  if (first === undefined || rest.length === 0) return false;
  const around = fieldAt([first]);
  return around !== undefined && (around.type === undefined || mayHaveParts(around.type));
}
