/**
 * The syntax tree: plain, read-only data with a `kind`. Behaviour lives in tables keyed by kind (printer, visitor,
 * compiler). No node knows its position in the text, so that equal texts give equal trees.
 *
 * The files of `ast/` hold one family of nodes each, and refer to each other's types in circles, as the language does:
 * expressions hold statements (subqueries, blocks), statements hold expressions, and definitions hold both.
 */
export * from './ast/access.js';
export type * from './ast/administration.js';
export type * from './ast/alter-remove.js';
export * from './ast/api.js';
export type * from './ast/control.js';
export type * from './ast/data.js';
export * from './ast/definition.js';
export type * from './ast/expression.js';
export type * from './ast/live.js';
export type * from './ast/schema-object.js';
export type * from './ast/statement.js';
export * from './ast/table.js';
