/** SELECT of one record that is named, without further clauses: what programs ask most often. */
import { andThen } from '../../base/promise-or-value.js';
import type { Expression, Select } from '../../language/ast.js';
import { Range, RecordId } from '../../value/value.js';
import type { Compiler, Evaluate } from '../execution.js';
import { compileTarget } from '../targets.js';
import { answerSelected } from './only.js';
import type { RowSource } from './source.js';

/** Whether a clause may do something with a row once it is found; all must be named here. */
const IS_FURTHER: { readonly [Clause in keyof Select]-?: boolean } = {
  kind: false,
  projections: false,
  only: false,
  from: false,
  // A record is found by its id, whatever indexes there are.
  with: false,
  where: true,
  split: true,
  group: true,
  order: true,
  limit: true,
  start: true,
  omit: true,
  fetch: true,
  // They hold for the statement as a whole.
  version: false,
  timeout: false,
  parallel: false,
  tempfiles: false,
  explain: false,
};

const FURTHER = (Object.keys(IS_FURTHER) as (keyof Select)[]).filter((clause) => IS_FURTHER[clause]);

/**
 * Goes from the id to the record and to the answer, without the stages that rows go through otherwise, which take more time than both.
 * `project` makes the row that is shown; without it the record itself is. Where the expression turns out to name something else, everything
 * else is left to `otherwise`. `undefined` for other statements.
 */
export function compileOneRecord(
  select: Select,
  source: RowSource,
  project: Evaluate | undefined,
  compiler: Compiler,
): ((otherwise: Evaluate) => Evaluate) | undefined {
  const [target, ...others] = select.from;
  if (target === undefined || others.length > 0 || !isSteady(target)) return undefined;
  if (FURTHER.some((clause) => select[clause] !== undefined)) return undefined;
  const named = compileTarget(target, compiler);
  return (otherwise) => (frame) =>
    andThen(named(frame), (id) => {
      if (!(id instanceof RecordId) || id.key instanceof Range) return otherwise(frame);
      return andThen(source.record(frame, id, 'select'), (record) => {
        if (record === undefined) return answerSelected([], select);
        if (project === undefined) return answerSelected([record], select);
        return andThen(project(frame.within(record)), (row) => answerSelected([row], select));
      });
    });
}

/** Whether an expression may be evaluated twice without anybody noticing. */
function isSteady(target: Expression): boolean {
  if (target.kind === 'record-id') return target.key.kind === 'key' && target.key.value.kind === 'literal';
  return target.kind === 'param';
}
