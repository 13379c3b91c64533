/** What UPDATE, UPSERT and DELETE share: finding the records they are about. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Expression } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { type FieldsRead, fieldsRead, union } from '../../plan/fields-read.js';
import type { PlanNode } from '../../plan/query-plan.js';
import { toErrorText } from '../../value/text/text.js';
import { isTruthy } from '../../value/truthiness.js';
import { isObject, type ObjectValue, RecordId, type Value } from '../../value/value.js';
import type { Compiler, Execution, Frame } from '../execution.js';
import type { Meter } from '../explain/meter.js';
import type { Planned } from '../explain/planned.js';
import { refuse } from '../refusal.js';
import { scoped } from '../scoped.js';
import { RowSource, type SourceHints } from '../select/source.js';
import { compileSourcePlan } from '../select/source-plan.js';
import type { Target } from '../targets.js';

/** A record to be changed: its id, and what the principal may see of it. */
export interface Found {
  readonly id: RecordId;
  readonly seen: ObjectValue;
}

/** So many records count for nothing. */
const FEW = 256;

/** Finds the records of targets that meet a condition. All are found before the first is changed, so that none is met twice. */
export type Find = (frame: Frame, targets: readonly Target[]) => PromiseOrValue<Found[]>;

export interface Finder {
  find(meter: Meter): Find;
  readonly plan: Planned['plan'];
}

export function compileFinder(
  statement: 'UPDATE' | 'UPSERT' | 'DELETE',
  { targets: named, where, with: hints }: SourceHints & { readonly targets: readonly Expression[] },
  /** What is read of the records that are found. */
  reads: FieldsRead,
  compiler: Compiler,
): Finder {
  const purpose = statement === 'DELETE' ? 'delete' : 'update';
  const source = new RowSource(compiler, { where, with: hints, fields: union([fieldsRead([where]), reads]) });
  const evaluate = where && scoped(compiler.expression(where));
  const sourcePlan = compileSourcePlan(named, source, purpose, compiler);

  const find = (meter: Meter): Find => {
    const condition = evaluate && meter.each('filter', evaluate, (verdict) => Number(isTruthy(verdict)));
    return meter.each(
      'source',
      (frame: Frame, targets: readonly Target[]) => {
        for (const target of targets) {
          if (target.kind === 'value') throw failure('invalid_target', { statement, value: toErrorText(target.value) });
        }
        const walk = (open: readonly Target[]) => {
          const found: Found[] = [];
          const { memory } = frame.execution;
          const visit = (batch: readonly Value[]) => {
            const mark = memory.used;
            const before = found.length;
            return andThen(
              forEachInOrder(batch, (row) => {
                const id = isObject(row) ? row['id'] : undefined;
                if (!isObject(row) || !(id instanceof RecordId)) return undefined;
                return andThen(condition === undefined ? true : condition(frame.within(row)), (verdict) => {
                  if (condition === undefined || isTruthy(verdict)) found.push({ id, seen: row });
                  return undefined;
                });
              }),
              () => {
                memory.releaseTo(mark);
                if (found.length > FEW) memory.chargeRows(found.slice(before).map(({ seen }) => seen));
                return undefined;
              },
            );
          };
          const walked = source.walk(frame, open, purpose, {}, meter.each('source', visit, countRows));
          return andThen(walked, () => found);
        };
        // UPSERT creates what isn't there.
        if (statement === 'UPSERT' || !frame.execution.checks.edit) return walk(targets);
        return andThen(openTargets(frame.execution, purpose, targets), walk);
      },
      () => 0,
    );
  };

  return {
    find,
    plan: (frame, nested) => andThen(sourcePlan(frame, nested), (from) => filtered(from, where)),
  };
}

/** How many rows a visitor of batches was handed. */
export function countRows(_: unknown, batch: readonly Value[]): number {
  return batch.length;
}

/** The step that judges rows by a condition, if there is one. */
export function filtered(from: PlanNode, where: Expression | undefined): PlanNode {
  if (where === undefined) return from;
  return {
    operator: 'Filter',
    attributes: { condition: printExpression(where) },
    stage: 'filter',
    children: [from],
  };
}

/** The targets without those in tables of which no record may be changed: that is refused whether there are any or not. */
function openTargets(
  execution: Execution,
  purpose: 'update' | 'delete',
  targets: readonly Target[],
): PromiseOrValue<readonly Target[]> {
  return andThen(execution.unit.catalog(), (catalog) =>
    targets.filter((target) => {
      const table = target.kind === 'table' ? target.table : target.kind === 'value' ? '' : target.id.table;
      if (catalog?.tables.get(table)?.definition.permissions[purpose].kind !== 'none') return true;
      refuse(execution, { action: purpose, table });
      return false;
    }),
  );
}
