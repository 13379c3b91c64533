/** Explains what a field's PERMISSIONS hide of a record, for EXPLAIN PERMISSIONS. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Permission } from '../language/ast.js';
import type { Execution } from '../runtime/execution.js';
import type { PermissionVerdict } from '../runtime/record-access.js';
import type { ObjectValue } from '../value/value.js';
import { judgeOfRecord } from './computed.js';
import { applyMask, buildMask } from './mask.js';
import type { PreparedTable } from './table.js';

/** The fields of which a clause hides something, each evaluated separately. */
export function hiddenFields(
  execution: Execution,
  table: PreparedTable,
  raw: ObjectValue,
): PromiseOrValue<PermissionVerdict['hidden']> {
  const judge = judgeOfRecord(execution, table, raw);
  const undeclared = table.mask?.only;
  const hidden: { field: string; permission: Permission }[] = Object.keys(raw)
    .filter((name) => undeclared?.has(name) === false)
    .map((field) => ({ field, permission: { kind: 'none' } }));
  const asked = forEachInOrder(table.fields, ({ definition, name, parts, rules }) => {
    const mask =
      rules.select.kind === 'full' ? undefined : buildMask([{ parts, rule: rules.select, isFixed: false }], undefined);
    if (mask === undefined || definition.permissions === undefined) return undefined;
    const permission = definition.permissions.select;
    return andThen(applyMask(mask, raw, judge), (rest) => {
      if (rest !== raw) hidden.push({ field: name, permission });
      return undefined;
    });
  });
  return andThen(asked, () => hidden);
}
