/** The scope of an audited event: the path whose owners may see it. */
import type { DatabasePath } from '../catalog/principal.js';
import { isObject, type ObjectValue, type Value } from '../value/value.js';

/** Events that belong to a user rather than to the selected database. */
const OF_ACTOR: ReadonlySet<Value> = new Set([
  'sign-up',
  'token-issue',
  'token-refresh',
  'token-revoke',
  'session-end',
  'audit-read',
]);
/** Definitions at the root, whatever is selected, and those in a namespace. */
const OF_ROOT: ReadonlySet<Value> = new Set(['namespace', 'root', 'system']);

const ROOT: DatabasePath = {};

/** The path of a record that was read back, which may have been changed: without a path it belongs to the root. */
export function scopeOf(record: ObjectValue | undefined): DatabasePath {
  if (record === undefined) return ROOT;
  const { action, outcome, place, what, who } = record;
  const details = isObject(what) ? what : {};
  if (action === 'sign-in' || OF_ACTOR.has(action)) {
    // A failed sign-in belongs to the account that it names.
    return outcome === 'ok' || action === 'audit-read' ? pathOf(who) : pathOf(details['as']);
  }
  // It is for the access method that it names, whatever is selected.
  if (action === 'sign-in-start') return pathOf(details['as']);
  // A view that was refused may be of a user elsewhere.
  if (action === 'view-begin' && outcome !== 'ok') return pathOf(who);
  const path = pathOf(place);
  const { kind, level, name } = details;
  if (level === 'root' || OF_ROOT.has(kind) || (kind === 'config' && name === 'default')) return ROOT;
  if (level === 'namespace' || kind === 'database') return { namespace: path.namespace };
  return path;
}

function pathOf(value: Value): DatabasePath {
  if (!isObject(value)) return ROOT;
  const { namespace, database } = value;
  if (typeof namespace !== 'string') return ROOT;
  return typeof database === 'string' ? { namespace, database } : { namespace };
}
