/** The variables of a sign-in attempt that may name its account: those that the clause reads, except secrets. */
import { toText } from '../../value/text/text.js';
import { isArray, isObject, type ObjectValue, RecordId, Uuid, type Value } from '../../value/value.js';
import { type ClauseVariables, SECRET_NAME } from './clause-variables.js';

/** A value, or one within an object or array. */
export interface AttemptedVariable {
  /** `email`, `credentials.email`. */
  readonly path: string;
  readonly text: string;
}

/**
 * The variables in the order of their paths. `clause` is absent if there is no clause: then all of them are.
 *
 *     attemptedVariables({ email: 'ann@…', clave: '…' }, { read: 'email, clave', secrets: 'clave' })   // [email]
 */
export function attemptedVariables(
  variables: ObjectValue,
  clause: ClauseVariables | undefined,
): readonly AttemptedVariable[] {
  const found: AttemptedVariable[] = [];
  // Nested no deeper, and no more of them, than `assertPlainData` lets them be.
  const visit = (path: string, name: string, value: Value): void => {
    if (SECRET_NAME.test(name) || (clause !== undefined && isWithin(clause.secrets, path))) return;
    if (isArray(value)) for (const each of value) visit(path, name, each);
    else if (isObject(value)) for (const [key, each] of Object.entries(value)) visit(`${path}.${key}`, key, each);
    else {
      const text = textOf(value);
      if (text !== undefined && (clause === undefined || isWithin(clause.read, path))) found.push({ path, text });
    }
  };
  for (const [name, value] of Object.entries(variables)) visit(name, name, value);
  return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Whether a path, or one that it begins with, is among others. */
function isWithin(paths: ReadonlySet<string>, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    if (paths.has(path.slice(0, end))) return true;
  }
  return false;
}

function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return value instanceof RecordId || value instanceof Uuid ? toText(value) : undefined;
}
