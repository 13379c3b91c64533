/**
 * Whether the principal's roles allow what a statement does; the one place where `not_allowed` is thrown for
 * statements.
 */
import { type Action, type DatabasePath, type Identity, mayAct, type Principal } from '../../catalog/principal.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { toText } from '../../value/text/text.js';

/** The kind of resource, as the details of the error name it. */
export type Resource =
  | 'Any'
  | 'Namespace'
  | 'Database'
  | 'Table'
  | 'Field'
  | 'Index'
  | 'Event'
  | 'Parameter'
  | 'Function'
  | 'Analyzer'
  | 'Sequence'
  | 'Actor'
  | 'Access'
  | 'Config'
  | 'Api'
  | 'Bucket'
  | 'Module'
  | 'Metrics'
  | 'Option';

/** The error for guests if guest access is off. */
export function guestRefusal(): TesseraError {
  return failure('not_allowed', { actor: 'Anonymous', action: 'View', resource: 'Any' });
}

/**
 * Checks that a role of the principal permits `action` on a kind of resource at the path.
 *
 *     authorize(execution.identity, 'edit', databasePath, 'Table');
 *
 * @throws TesseraError `not_allowed`
 */
export function authorize(
  { principal }: Identity,
  action: Action,
  databasePath: DatabasePath,
  resource: Resource,
): void {
  if (mayAct(principal, action, databasePath)) return;
  throw failure('not_allowed', {
    actor: actorPath(principal),
    action: action === 'view' ? 'View' : 'Edit',
    resource: `${placePath(databasePath)}/${resource}:""`,
  });
}

function placePath({ namespace, database }: DatabasePath): string {
  return `${namespace === undefined ? '' : `/ns:${namespace}`}${database === undefined ? '' : `/db:${database}`}`;
}

function actorPath(principal: Principal): string {
  switch (principal.kind) {
    case 'guest':
      return '/Anonymous';
    case 'record':
      return `${placePath(principal)}/id:${toText(principal.id)}/Actor::${toText(principal.id)}()`;
    case 'system': {
      const roles = principal.roles.map((role) => role.charAt(0).toUpperCase() + role.slice(1));
      return `${placePath(principal)}/Actor::${principal.name}(${roles.join(',')})`;
    }
  }
}
