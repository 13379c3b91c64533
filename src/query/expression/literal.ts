/** Expressions with a fixed value: literals, constants such as `math::PI`, names of tables. */
import { failure } from '../../errors/error.js';
import { findConstant } from '../../functions/registry.js';
import type { Constant, Literal, TableName } from '../../language/ast.js';
import type { Evaluate } from '../../runtime/frame.js';
import { Table } from '../../value/value.js';

export function compileLiteral({ value }: Literal): Evaluate {
  return () => value;
}

export function compileConstant({ name }: Constant): Evaluate {
  const constant = findConstant(name);
  if (constant === undefined) {
    return () => {
      throw failure('function_missing', { name });
    };
  }
  const { value } = constant;
  return () => value;
}

export function compileTableName({ name }: TableName): Evaluate {
  const table = new Table(name);
  return () => table;
}
