/** Records audit events of statements that change definitions or grants, at any depth of a query. */
import { andThen, otherwise } from '../../base/promise-or-value.js';
import { asTesseraError, type TesseraError } from '../../errors/error.js';
import type { Access, Config, Idiom, Level, Name, Statement } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import { isArray, isObject, type Value } from '../../value/value.js';
import type { AdministrativeAction, AuditRecorder } from '../audit-recorder.js';
import type { Evaluate } from '../frame.js';

/** Wraps a statement that is audited; others, and all without an audit log, stay as they are. */
export function withAudit(statement: Statement, evaluate: Evaluate): Evaluate {
  const described = describeAction(statement);
  if (described === undefined) return evaluate;
  return (frame) => {
    const {
      request: { auditRecorder },
      identity,
    } = frame.execution;
    if (auditRecorder === undefined) return evaluate(frame);
    const record = (result: Value, error?: TesseraError) =>
      auditRecorder.recordAction(
        {
          action: described.action,
          databasePath: identity.databasePath,
          subject: described.subject(auditRecorder, result),
        },
        error,
      );
    return otherwise(
      () =>
        andThen(evaluate(frame), (value) => {
          record(value);
          return value;
        }),
      (error) => {
        record(undefined, asTesseraError(error));
        throw error;
      },
    );
  };
}

/** The action of a statement, and its subject, known once it has run. */
interface DescribedAction {
  readonly action: AdministrativeAction['action'];
  subject(recorder: AuditRecorder, result: Value): AdministrativeAction['subject'];
}

function describeAction(statement: Statement): DescribedAction | undefined {
  switch (statement.kind) {
    case 'alter':
      return { action: 'alter', subject: subjectOf(statement.definition) };
    case 'alter-level':
      return { action: 'alter', subject: () => ({ kind: statement.level }) };
    case 'remove':
      return { action: 'remove', subject: subjectOf(statement.of) };
    case 'access':
      return describeGrants(statement);
    default:
      if (!statement.kind.startsWith('define-')) return undefined;
      return { action: 'define', subject: subjectOf(statement as Defined) };
  }
}

/** The members of definitions that identify what they define. */
interface Defined {
  readonly kind: string;
  readonly name?: Name;
  readonly table?: Name;
  readonly path?: Idiom;
  readonly level?: Level;
  readonly config?: Config | Config['kind'];
}

function subjectOf({ kind, name, table, path, level, config }: Defined): DescribedAction['subject'] {
  const configName = typeof config === 'object' ? config.kind : config;
  return (recorder) => ({
    kind: kind.replace(/^define-/, ''),
    level,
    name: path === undefined ? (nameText(name, recorder) ?? configName) : printIdiom(path),
    table: nameText(table, recorder),
  });
}

/** A name, if the statement has evaluated it. */
function nameText(name: Name | undefined, recorder: AuditRecorder): string | undefined {
  return typeof name === 'object' ? (recorder.nameOf(name) ?? '(computed)') : name;
}

/** Maximum number of grants that are named; the others are counted. */
const NAMED_GRANTS = 100;

const GRANT_ACTIONS: Readonly<
  Record<Exclude<Access['action']['kind'], 'rotate'>, AdministrativeAction['action'] | undefined>
> = {
  grant: 'grant-issue',
  link: 'identity-link',
  revoke: 'grant-revoke',
  purge: 'grant-purge',
  show: undefined,
};

/** The ids of grants aren't secret: only their keys are. */
function describeGrants({ name, level, action }: Access): DescribedAction | undefined {
  // A new key makes another definition.
  if (action.kind === 'rotate') return { action: 'alter', subject: () => ({ kind: 'access', name, level }) };
  const kind = GRANT_ACTIONS[action.kind];
  if (kind === undefined) return undefined;
  return {
    action: kind,
    subject: (_, result) => {
      const ids = grantIds(result);
      return { kind: 'access', name, level, grants: ids.slice(0, NAMED_GRANTS), count: ids.length };
    },
  };
}

/** The result of REVOKE is a list in a list. */
function grantIds(result: Value): string[] {
  if (isArray(result)) return result.flatMap(grantIds);
  return isObject(result) && typeof result['id'] === 'string' ? [result['id']] : [];
}
