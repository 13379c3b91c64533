/** SELECT, and the clauses that most statements share with it. */
import type { Data, Expression, Output, Select } from '../ast.js';
import { data, group, idioms, order, output, projections } from './expressions.js';
import { each, type Mapper, optional, update } from './rebuild.js';

type Fields = {
  readonly where?: Expression;
  readonly limit?: Expression;
  readonly start?: Expression;
  readonly version?: Expression;
  readonly timeout?: Expression;
  readonly data?: Data;
  readonly output?: Output;
  readonly targets?: readonly Expression[];
  readonly fetch?: readonly Expression[];
};

/** The clauses that most statements have, as far as this one has them. */
export function common(node: Fields, mapper: Mapper): { readonly [K in keyof Fields]: Fields[K] | undefined } {
  return {
    where: optional(node.where, mapper.expression),
    limit: optional(node.limit, mapper.expression),
    start: optional(node.start, mapper.expression),
    version: optional(node.version, mapper.expression),
    timeout: optional(node.timeout, mapper.expression),
    data: optional(node.data, (clause) => data(clause, mapper)),
    output: optional(node.output, (clause) => output(clause, mapper)),
    targets: each(node.targets, mapper.expression),
    fetch: each(node.fetch, mapper.expression),
  };
}

/** SELECT, which views have inside them, too. */
export function select(node: Select, mapper: Mapper): Select {
  return update(node, {
    projections: projections(node.projections, mapper),
    omit: each(node.omit, mapper.expression),
    from: each(node.from, mapper.expression),
    split: idioms(node.split, mapper),
    group: optional(node.group, (clause) => group(clause, mapper)),
    order: optional(node.order, (clause) => order(clause, mapper)),
    ...common(node, mapper),
  });
}
