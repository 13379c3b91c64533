/**
 * EXPLAIN PERMISSIONS FOR: which clauses allow or deny a user an action on one record or file, and by which of their
 * conditions. The verdicts are those of the reader and the writer for the record as it is now; nothing is changed.
 */
import { forEachInOrder } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import { type Identity, mayAct } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import {
  type ExplainRecordPermissions,
  FILE_ACTIONS,
  type FileAction,
  type Idiom,
  type Permission,
  type TableAction,
} from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import { UNCHECKED } from '../../runtime/authorization/permission.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { Variants } from '../../runtime/variants.js';
import { toText } from '../../value/text/text.js';
import { FileReference, isArray, newObject, type ObjectValue, type RecordId, type Value } from '../../value/value.js';
import { type ClauseVerdict, judgeClause, principalName, verdictReason, verdictValue } from './clause-verdict.js';
import { explainFilePermissions, fileFrom } from './file-permissions.js';
import { objectOf } from './permissions.js';
import { callerFrame, explainedIdentity, recordOf, subjectTo } from './subject.js';

export function compileExplainRecordPermissions(statement: ExplainRecordPermissions, compiler: Compiler): Evaluate {
  const { action, as, access: name } = statement;
  const targetOf = compiler.expression(statement.target);
  const toOf = statement.to && compiler.expression(statement.to);
  const subject = as && compiler.expression(as);

  return async (frame) => {
    const asking = callerFrame(frame);
    const { execution } = asking;
    const target = await targetOf(asking);
    const to = await toOf?.(asking);
    const user = await subject?.(asking);
    const catalog = await execution.context.catalog();
    const access = name === undefined ? undefined : catalog?.accesses.get(name);
    if (name !== undefined && access === undefined) {
      throw failure('access_missing', { name, ...selectedDatabase(execution) });
    }
    const identify = () => explainedIdentity(frame.execution, subject && recordOf(user), access);
    if (isOfFile(action, target))
      return explainFilePermissions(execution, identify(), { action, file: fileFrom(target), target: to });
    const id = recordOf(target);
    const entry = catalog?.tables.get(id.table);
    if (entry === undefined) throw failure('table_missing', { name: id.table });
    const identity = identify();
    const reading: Execution = { ...execution, checks: UNCHECKED, variants: new Variants() };
    const found = await execution.services.reader.read(reading, id);
    return new Verdict(compiler, asking, identity, entry, action as TableAction, id).of(found);
  };
}

/** Files and records have the action `delete` alone in common. */
function isOfFile(action: ExplainRecordPermissions['action'], target: Value): action is FileAction {
  return action === 'delete' ? target instanceof FileReference : FILE_ACTIONS.some((each) => each === action);
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
    const user = principalName(principal);
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
      `${what} is ${table.allowed ? 'allowed' : 'refused'} for ${user}: ${verdictReason(table)} (table ${this.#entry.definition.name})`,
    ];
    if (!table.allowed || this.#action === 'delete') return this.#answer(found, table.allowed, table, [], words);
    const fields = await this.#fields(record);
    for (const { field, verdict } of fields) {
      if (verdict.allowed) continue;
      const fate = this.#action === 'select' ? 'is hidden' : 'may not be written';
      words.push(`the field ${field} ${fate}: ${verdictReason(verdict)}`);
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
    return judgeClause(permission, holds);
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

/** The values that a field's clause sees as `$value`, one after the other: for `tags.*` each element. */
function elementsAt({ parts }: Idiom, value: Value): readonly Value[] {
  const lists = parts.filter(({ kind }) => kind === 'all').length;
  return lists === 0 ? [value] : flattened(value, lists);
}

function flattened(value: Value, depth: number): readonly Value[] {
  if (depth === 0) return [value];
  return isArray(value) ? value.flatMap((each) => flattened(each, depth - 1)) : [];
}
