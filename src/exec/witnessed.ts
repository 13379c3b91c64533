/** Tells the witness of statements that change definitions or grants, wherever in a text they stand. */
import { andThen, otherwise } from '../base/promise-or-value.js';
import { asTesseraError, type TesseraError } from '../errors/error.js';
import type { Access, Config, Idiom, Level, Name, Statement } from '../language/ast.js';
import { printIdiom } from '../language/print.js';
import { isArray, isObject, type Value } from '../value/value.js';
import type { Evaluate } from './execution.js';
import type { Act, Witness } from './witness.js';

/** The statement as it is, where it changes nothing of the kind or nobody wants to know. */
export function witnessed(statement: Statement, evaluate: Evaluate): Evaluate {
  const report = reportOf(statement);
  if (report === undefined) return evaluate;
  return (frame) => {
    const { witness, identity } = frame.execution;
    if (witness === undefined) return evaluate(frame);
    const tell = (result: Value, error?: TesseraError) =>
      witness.acted({ action: report.action, place: identity.place, subject: report.subject(witness, result) }, error);
    return otherwise(
      () =>
        andThen(evaluate(frame), (value) => {
          tell(value);
          return value;
        }),
      (error) => {
        tell(undefined, asTesseraError(error));
        throw error;
      },
    );
  };
}

/** What an act is, and what it is about, once it is done. */
interface Report {
  readonly action: Act['action'];
  subject(witness: Witness, result: Value): Act['subject'];
}

function reportOf(statement: Statement): Report | undefined {
  switch (statement.kind) {
    case 'alter':
      return { action: 'alter', subject: subjectOf(statement.definition) };
    case 'alter-place':
      return { action: 'alter', subject: () => ({ kind: statement.level }) };
    case 'remove':
      return { action: 'remove', subject: subjectOf(statement.of) };
    case 'access':
      return reportOfGrants(statement);
    default:
      if (!statement.kind.startsWith('define-')) return undefined;
      return { action: 'define', subject: subjectOf(statement as Defined) };
  }
}

/** What definitions may have that says which one is meant. */
interface Defined {
  readonly kind: string;
  readonly name?: Name;
  readonly table?: Name;
  readonly path?: Idiom;
  readonly level?: Level;
  readonly config?: Config | Config['kind'];
}

function subjectOf({ kind, name, table, path, level, config }: Defined): Report['subject'] {
  const configName = typeof config === 'object' ? config.kind : config;
  return (witness) => ({
    kind: kind.replace(/^define-/, ''),
    level,
    name: path === undefined ? (told(name, witness) ?? configName) : printIdiom(path),
    table: told(table, witness),
  });
}

/** A name, as far as the statement came to know it. */
function told(name: Name | undefined, witness: Witness): string | undefined {
  return typeof name === 'object' ? (witness.nameBy(name) ?? '(computed)') : name;
}

/** As many grants as are named; the others are counted. */
const NAMED_GRANTS = 100;

const GRANT_ACTIONS: Readonly<Record<Exclude<Access['action']['kind'], 'rotate'>, Act['action'] | undefined>> = {
  grant: 'grant-issue',
  revoke: 'grant-revoke',
  purge: 'grant-purge',
  show: undefined,
};

/** The ids of grants are no secrets: their keys are what opens. */
function reportOfGrants({ name, level, action }: Access): Report | undefined {
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

/** REVOKE answers with a list in a list. */
function grantIds(result: Value): string[] {
  if (isArray(result)) return result.flatMap(grantIds);
  return isObject(result) && typeof result['id'] === 'string' ? [result['id']] : [];
}
