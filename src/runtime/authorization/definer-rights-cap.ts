/**
 * The execution of stored code: bodies of functions and events, clauses of fields. It runs with the invoker's rights,
 * capped to those of an editor of the database, since any editor may have written it. Otherwise an editor could wait
 * until an owner or the root user calls the function or writes to the table, and gain their rights. Only SLEEP is left
 * to users who may use it (`RequestContext.sleepNeedsRole`): it changes nothing, and only the caller waits.
 */
import type { Identity, Principal } from '../../catalog/principal.js';
import type { Execution } from '../execution.js';
import { Variants } from '../variants.js';

/** The execution of stored code, with the invoker's rights capped. */
export function withDefinerRightsCap(execution: Execution): Execution {
  const { identity } = execution;
  const principal = capped(identity);
  if (execution.inStoredCode === true && principal === identity.principal) return execution;
  const variants = Variants.of(execution);
  variants.capped ??= {
    ...execution,
    inStoredCode: true,
    identity: principal === identity.principal ? identity : withPrincipal(identity, principal),
    variants: new Variants(),
  };
  return variants.capped;
}

/** What is asked of the identity is asked when it is needed: it may be computed, or noted. */
function withPrincipal(identity: Identity, principal: Principal): Identity {
  return {
    principal,
    databasePath: identity.databasePath,
    viewer: identity.viewer,
    get session() {
      return identity.session;
    },
    get token() {
      return identity.token;
    },
    get auth() {
      return identity.auth;
    },
    get access() {
      return identity.access;
    },
  };
}

function capped({ principal: user, databasePath: { namespace, database } }: Identity): Principal {
  if (user.kind !== 'system' || (user.level === 'database' && !user.roles.includes('owner'))) return user;
  return {
    kind: 'system',
    level: 'database',
    ...(namespace !== undefined && { namespace }),
    ...(database !== undefined && { database }),
    name: user.name,
    roles: user.roles.map((role) => (role === 'owner' ? 'editor' : role)),
  };
}
