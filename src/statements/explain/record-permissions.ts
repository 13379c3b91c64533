/**
 * EXPLAIN PERMISSIONS FOR: which clauses allow or deny a user an action on one record, and by which of their
 * conditions. The verdicts are those of the reader and the writer for the record as it is now; nothing is changed.
 */
import { forEachInOrder } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import { type Identity, mayAct, type Principal } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { ExplainRecordPermissions, Expression, Idiom, Permission, TableAction } from '../../language/ast.js';
import { printExpression, printIdiom } from '../../language/print.js';
import { UNCHECKED } from '../../runtime/authorization/permission.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { Variants } from '../../runtime/variants.js';
import { toText } from '../../value/text/text.js';
import { isArray, newObject, type ObjectValue, type RecordId, type Value } from '../../value/value.js';
import { clauseText, objectOf } from './permissions.js';
import { callerFrame, explainedIdentity, recordOf, subjectTo } from './subject.js';

export function compileExplainRecordPermissions(
  { action, record, as, access: name }: ExplainRecordPermissions,
  compiler: Compiler,
): Evaluate {
  const named = compiler.expression(record);
  const subject = as && compiler.expression(as);

  return async (frame) => {
    const asking = callerFrame(frame);
    const { execution } = asking;
    const target = await named(asking);
    const user = await subject?.(asking);
    const catalog = await execution.context.catalog();
    const id = recordOf(target);
    const access = name === undefined ? undefined : catalog?.accesses.get(name);
    if (name !== undefined && access === undefined) {
      throw failure('access_missing', { name, ...selectedDatabase(execution) });
    }
    const entry = catalog?.tables.get(id.table);
    if (entry === undefined) throw failure('table_missing', { name: id.table });
    const identity = explainedIdentity(frame.execution, subject && recordOf(user), access);
    const reading: Execution = { ...execution, checks: UNCHECKED, variants: new Variants() };
    const found = await execution.services.reader.read(reading, id);
    return new Verdict(compiler, asking, identity, entry, action, id).of(found);
  };
}

/** The verdict of one clause. */
interface ClauseVerdict {
  readonly clause: string;
  readonly allowed: boolean;
  /** The conditions that AND and OR join in it, and whether each holds. */
  readonly conditions: readonly { readonly condition: string; readonly holds: boolean }[];
}

class Verdict {
  readonly #compiler: Compiler;
  readonly #asking: Frame;
  readonly #identity: Identity;
  readonly #subjected: Execution;
  readonly #entry: TableEntry;
  readonly #action: TableAction;
  readonly #id: RecordId;

  constructor(
    compiler: Compiler,
    asking: Frame,
    identity: Identity,
    entry: TableEntry,
    action: TableAction,
    id: RecordId,
  ) {
    this.#compiler = compiler;
    this.#asking = asking;
    this.#identity = identity;
    this.#subjected = subjectTo(asking.execution, identity);
    this.#entry = entry;
    this.#action = action;
    this.#id = id;
  }

  async of(found: ObjectValue | undefined): Promise<Value> {
    const { principal, databasePath } = this.#identity;
    const user = nameOf(principal);
    const what = `${this.#action} of ${toText(this.#id)}`;
    if (mayAct(principal, this.#action === 'select' ? 'view' : 'edit', databasePath)) {
      return this.#answer(found, true, undefined, [], [`${what} is allowed: no PERMISSIONS apply to ${user}`]);
    }
    if (found === undefined && this.#action !== 'create') {
      return this.#answer(found, false, undefined, [], [`${what} does nothing: there is no such record`]);
    }
    const record = found ?? Object.assign(newObject(), { id: this.#id });
    const permission = this.#entry.definition.permissions[this.#action];
    const table = await this.#judge(permission, record, [undefined]);
    const words = [
      `${what} is ${table.allowed ? 'allowed' : 'refused'} for ${user}: ${reasonOf(table)} (table ${this.#entry.definition.name})`,
    ];
    if (!table.allowed || this.#action === 'delete') return this.#answer(found, table.allowed, table, [], words);
    const fields = await this.#fields(record);
    for (const { field, verdict } of fields) {
      if (verdict.allowed) continue;
      const fate = this.#action === 'select' ? 'is hidden' : 'may not be written';
      words.push(`the field ${field} ${fate}: ${reasonOf(verdict)}`);
    }
    return this.#answer(found, true, table, fields, words);
  }

  /** The fields that have a clause for the action. */
  async #fields(record: ObjectValue): Promise<{ field: string; verdict: ClauseVerdict }[]> {
    const action = this.#action as Exclude<TableAction, 'delete'>;
    const { reader } = this.#subjected.services;
    const fields: { field: string; verdict: ClauseVerdict }[] = [];
    const { hidden } = await reader.judge(this.#subjected, this.#entry, record, action);
    const hiddenPaths = new Set(hidden.map(({ field }) => field));
    await forEachInOrder(this.#entry.fields, async ({ path, permissions }) => {
      if (permissions === undefined) return undefined;
      const field = printIdiom(path);
      const present = await this.#compiler.expression(path)(this.#asking.within(record));
      const verdict = await this.#judge(permissions[action], record, elementsAt(path, present));
      const allowed = action === 'select' ? !hiddenPaths.has(field) : verdict.allowed;
      fields.push({ field, verdict: { ...verdict, allowed } });
      return undefined;
    });
    return fields;
  }

  /** A clause about elements holds if it does for each of them. */
  async #judge(permission: Permission, record: ObjectValue, values: readonly Value[]): Promise<ClauseVerdict> {
    const { reader } = this.#subjected.services;
    const holds = async (part: Permission): Promise<boolean> => {
      let all = true;
      await forEachInOrder(values, async (value) => {
        const verdict = await reader.holds(this.#subjected, this.#entry, record, part, value);
        all &&= verdict;
        return undefined;
      });
      return all;
    };
    const allowed = await holds(permission);
    const conditions: { condition: string; holds: boolean }[] = [];
    const parts = permission.kind === 'where' ? partsOf(permission.condition) : [];
    await forEachInOrder(parts, async (condition) => {
      const verdict = await holds({ kind: 'where', condition });
      conditions.push({ condition: printExpression(condition), holds: verdict });
      return undefined;
    });
    return { clause: clauseText(permission), allowed, conditions };
  }

  #answer(
    found: ObjectValue | undefined,
    allowed: boolean,
    table: ClauseVerdict | undefined,
    fields: readonly { readonly field: string; readonly verdict: ClauseVerdict }[],
    words: readonly string[],
  ): Value {
    const { auth, access } = this.#identity;
    return objectOf({
      access,
      action: this.#action,
      allowed,
      as: auth,
      exists: found !== undefined,
      fields: fields.map(({ field, verdict }) => objectOf({ field, ...verdictValue(verdict) })),
      record: this.#id,
      table: table && objectOf({ name: this.#entry.definition.name, ...verdictValue(table) }),
      words,
    });
  }
}

function verdictValue({ allowed, clause, conditions }: ClauseVerdict): Readonly<Record<string, Value>> {
  return { allowed, clause, conditions: conditions.map(objectOf) };
}

/** The values that a field's clause sees as `$value`, one after the other: for `tags.*` each element. */
function elementsAt({ parts }: Idiom, value: Value): readonly Value[] {
  const lists = parts.filter(({ kind }) => kind === 'all').length;
  return lists === 0 ? [value] : flattened(value, lists);
}

function flattened(value: Value, depth: number): readonly Value[] {
  if (depth === 0) return [value];
  return isArray(value) ? value.flatMap((each) => flattened(each, depth - 1)) : [];
}

/** The conditions that AND and OR join. */
function partsOf(condition: Expression): Expression[] {
  if (condition.kind === 'binary' && (condition.operator === '&&' || condition.operator === '||')) {
    return [...partsOf(condition.left), ...partsOf(condition.right)];
  }
  return [condition];
}

function reasonOf({ clause, allowed, conditions }: ClauseVerdict): string {
  if (conditions.length === 0) return `the clause is ${clause}`;
  const which = conditions.filter(({ holds }) => holds === allowed).map(({ condition }) => `\`${condition}\``);
  if (which.length === 0) return `the clause ${clause} ${allowed ? 'holds' : "doesn't hold"}`;
  return `${which.join(', ')} ${which.length > 1 ? (allowed ? 'hold' : "don't hold") : allowed ? 'holds' : "doesn't hold"} in ${clause}`;
}

function nameOf(principal: Principal): string {
  switch (principal.kind) {
    case 'guest':
      return 'a guest';
    case 'record':
      return toText(principal.id);
    case 'system':
      return `a system user with the role ${principal.roles.join(', ')}`;
  }
}
