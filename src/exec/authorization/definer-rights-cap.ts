import type { Principal } from '../../catalog/principal.js';
import type { Execution } from '../runtime/execution.js';
import { Variants } from '../runtime/variants.js';

/**
 * The execution in which code runs that stands in definitions: bodies of functions and events, clauses of fields. It runs with the rights
 * of whoever makes it run, but with no more than everybody has who could have written it, an editor of the database. Otherwise an
 * editor would only have to wait until an owner, or the root user, calls a function or touches a table of his. Only SLEEP is
 * left to those who have it (`Execution.maySleep`): it changes nothing, and whoever called waits for it.
 */
export function withDefinerRightsCap(execution: Execution): Execution {
  const { principal: user } = execution.identity;
  if (user.kind !== 'system' || (user.level === 'database' && !user.roles.includes('owner'))) return execution;
  const variants = Variants.of(execution);
  if (variants.capped === undefined) {
    const { identity } = execution;
    const { namespace, database } = identity.place;
    const principal: Principal = {
      kind: 'system',
      level: 'database',
      ...(namespace !== undefined && { namespace }),
      ...(database !== undefined && { database }),
      name: user.name,
      roles: user.roles.map((role) => (role === 'owner' ? 'editor' : role)),
    };
    variants.capped = { ...execution, identity: { ...identity, principal }, variants: new Variants() };
  }
  return variants.capped;
}
