/**
 * EXPLAIN PERMISSIONS: which clauses admit, and which hide, the records that a statement finds, for a record user or
 * a guest. It is allowed to users who see all of them, and changes nothing. The verdicts are those of the record
 * reader, for the records as they are now.
 */
import { forEachInOrder } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { ExplainPermissions, Permission, TableAction } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { ALL_FIELDS } from '../../plan/fields-read.js';
import { chooseAccess } from '../../plan/rewrite.js';
import { compileSources } from '../../query/expression/targets.js';
import { ALL_ROWS, type RecordReading } from '../../query/operators/operator.js';
import { OperatorCompiler } from '../../query/operators/operators.js';
import { TargetsWalk } from '../../query/operators/sources/targets-walk.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { isTruthy } from '../../value/truthiness.js';
import { isObject, newObject, type ObjectValue, RecordId, type Value } from '../../value/value.js';
import { callerFrame, explainedIdentity, recordOf, subjectTo } from './subject.js';

export function compileExplainPermissions({ statement, as }: ExplainPermissions, compiler: Compiler): Evaluate {
  const { where } = statement;
  const named = compileSources(statement.kind === 'select' ? statement.from : statement.targets, compiler);
  const walk = new TargetsWalk(new OperatorCompiler(compiler, readingOf(statement, compiler)), []);
  const condition = where && compiler.expression(where);
  const subject = as && compiler.expression(as);

  return async (frame) => {
    const asking = callerFrame(frame);
    const { execution } = asking;
    const value = await subject?.(asking);
    const identity = explainedIdentity(frame.execution, subject && recordOf(value));
    const subjected = subjectTo(execution, identity);
    const catalog = await execution.context.catalog();
    const targets = await named(asking);
    const reports = new Reports(catalog, statement.kind, identity.auth);
    for (const target of targets) if (target.kind === 'table') reports.of(target.table);
    await walk.walk(asking, targets, ALL_ROWS, async (batch) => {
      await forEachInOrder(batch, async (row) => {
        const verdict = await condition?.(asking.within(row));
        return condition === undefined || isTruthy(verdict) ? reports.judge(subjected, row) : undefined;
      });
    });
    return reports.answer();
  };
}

/** Records are read without permissions, since the caller may see all of them. */
function readingOf(
  { where, with: hints }: ExplainPermissions['statement'],
  { tuning: { rules } }: Compiler,
): RecordReading {
  const owner = { isChecked: false, mayHide: () => false };
  return {
    purpose: 'select',
    fields: ALL_FIELDS,
    writes: false,
    access: (_, entry) => chooseAccess(entry, { where, with: hints }, owner, true, rules),
  };
}

/** Maximum number of hidden records that are named for a clause; all are counted. */
const MAX_NAMED = 100;

/** The results of one clause. */
class Tally {
  #hides = 0;
  readonly #hidden: RecordId[] = [];

  hide(id: RecordId): void {
    this.#hides++;
    if (this.#hidden.length < MAX_NAMED) this.#hidden.push(id);
  }

  get value(): { readonly hides: number; readonly hidden: readonly RecordId[] } {
    return { hides: this.#hides, hidden: this.#hidden };
  }
}

interface Report {
  readonly entry: TableEntry;
  admits: number;
  readonly rows: Tally;
  /** By the paths of the fields that have a clause. */
  readonly fields: Map<string, { readonly clause: string; readonly tally: Tally }>;
}

/** One report for each table, in the order of their first records. */
class Reports {
  readonly #reports = new Map<string, Report>();

  constructor(
    private readonly catalog: DatabaseCatalog | undefined,
    private readonly action: TableAction,
    private readonly as: RecordId | undefined,
  ) {}

  of(table: string): Report | undefined {
    const entry = this.catalog?.tables.get(table);
    let report = this.#reports.get(table);
    if (report === undefined && entry !== undefined) {
      report = { entry, admits: 0, rows: new Tally(), fields: new Map() };
      this.#reports.set(table, report);
    }
    return report;
  }

  async judge(subjected: Execution, row: Value): Promise<undefined> {
    const id = isObject(row) ? row['id'] : undefined;
    const report = id instanceof RecordId ? this.of(id.table) : undefined;
    if (!isObject(row) || !(id instanceof RecordId) || report === undefined) return undefined;
    const verdict = await subjected.services.reader.judge(subjected, report.entry, row, this.action);
    if (!verdict.admitted) {
      report.rows.hide(id);
      return undefined;
    }
    report.admits++;
    for (const { field, permission } of verdict.hidden) {
      let found = report.fields.get(field);
      if (found === undefined) {
        found = { clause: clauseText(permission), tally: new Tally() };
        report.fields.set(field, found);
      }
      found.tally.hide(id);
    }
    return undefined;
  }

  answer(): Value {
    return Array.from(this.#reports, ([table, { entry, admits, rows, fields }]) =>
      objectOf({
        action: this.action,
        admits,
        as: this.as,
        clause: clauseText(entry.definition.permissions[this.action]),
        fields: Array.from(fields, ([field, { clause, tally }]) => objectOf({ clause, field, ...tally.value })),
        ...rows.value,
        table,
      }),
    );
  }
}

/** A clause as text: `WHERE owner = $auth`, FULL, NONE. */
export function clauseText(permission: Permission): string {
  return permission.kind === 'where' ? `WHERE ${printExpression(permission.condition)}` : permission.kind.toUpperCase();
}

/** An object value with these fields. */
export function objectOf(entries: Readonly<Record<string, Value>>): ObjectValue {
  return Object.assign(newObject(), entries);
}
