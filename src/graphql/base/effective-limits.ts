/** Effective limits of a request: those of the server, then of the role, then of the database's config. */
import { covers, type Identity, type Principal } from '../../catalog/principal.js';
import type { TesseraError } from '../../errors/error.js';
import type { GraphqlConfig } from '../../language/ast.js';
import { beyondLimit, GRAPHQL_LIMIT_SETTINGS, type GraphqlLimit, type GraphqlLimits } from './limits.js';

/** Roles of GraphQL limits: guest, record user, or the highest role of a system user. */
export const GRAPHQL_ROLES = ['guest', 'record', 'viewer', 'editor', 'owner'] as const;
export type GraphqlRole = (typeof GRAPHQL_ROLES)[number];

export type Introspection = NonNullable<GraphqlConfig['introspection']>;

/** The limits of a role. */
export interface RoleRules {
  readonly limits: Partial<GraphqlLimits>;
  readonly introspection?: Introspection;
}
export type RulesOfRoles = Readonly<Partial<Record<GraphqlRole, RoleRules>>>;

/** The flag that sets them. */
export const ROLES_SETTING = '--graphql-limits';
const INTROSPECTION_NONE = 'INTROSPECTION NONE of the GRAPHQL config';

/**
 * The role of an identity at a path; the highest of several roles.
 *
 *     roleOf({ principal: { kind: 'guest' }, databasePath })   'guest'
 */
export function roleOf({ principal, databasePath }: Pick<Identity, 'principal' | 'databasePath'>): GraphqlRole {
  if (principal.kind !== 'system') return principal.kind;
  return covers(principal, databasePath) ? highestRole(principal.roles) : 'guest';
}

type Roles = Extract<Principal, { kind: 'system' }>['roles'];

function highestRole(roles: Roles): GraphqlRole {
  const ranks = roles.map((role) => GRAPHQL_ROLES.indexOf(role));
  return GRAPHQL_ROLES[Math.max(0, ...ranks)] ?? 'guest';
}

export interface EffectiveLimits {
  readonly limits: GraphqlLimits;
  /** The setting that forbids introspection, if any. Without introspection there are no suggestions either. */
  readonly introspectionForbiddenBy: string | undefined;
  /** The error of one of the limits, which names its setting. */
  beyond(name: GraphqlLimit): TesseraError;
}

/** The limits of a database's config. */
export type DatabaseRules = Partial<Pick<GraphqlConfig, 'depth' | 'complexity' | 'introspection'>>;

/** The effectiveLimits at one database. */
export class EffectiveLimitsByRole {
  readonly #general: GraphqlLimits;
  readonly #roles: RulesOfRoles;
  readonly #config: DatabaseRules;
  readonly #known = new Map<GraphqlRole, EffectiveLimits>();

  constructor(general: GraphqlLimits, roles: RulesOfRoles, config: DatabaseRules) {
    this.#general = general;
    this.#roles = roles;
    this.#config = config;
  }

  of(identity: Pick<Identity, 'principal' | 'databasePath'>): EffectiveLimits {
    const role = roleOf(identity);
    let allowance = this.#known.get(role);
    if (allowance === undefined) {
      allowance = this.#make(this.#roles[role]);
      this.#known.set(role, allowance);
    }
    return allowance;
  }

  #make(rules: RoleRules | undefined): EffectiveLimits {
    const { depth, complexity, introspection } = this.#config;
    const configured: Partial<Record<GraphqlLimit, number | undefined>> = { depth, complexity };
    const limits: { -readonly [K in GraphqlLimit]: number } = { ...this.#general };
    const settings = { ...GRAPHQL_LIMIT_SETTINGS };
    for (const name of Object.keys(limits) as GraphqlLimit[]) {
      const ofDatabase = configured[name];
      const ofRole = rules?.limits[name];
      // The stricter of the two counts; either goes before the server's general limit.
      if (ofDatabase !== undefined) {
        limits[name] = ofDatabase;
        settings[name] = `${name.toUpperCase()} of the GRAPHQL config`;
      }
      if (ofRole !== undefined && (ofDatabase === undefined || ofRole < ofDatabase)) {
        limits[name] = ofRole;
        settings[name] = ROLES_SETTING;
      }
    }
    const isForbiddenToRole = rules?.introspection === 'none';
    return {
      limits,
      introspectionForbiddenBy:
        introspection === 'none' ? INTROSPECTION_NONE : isForbiddenToRole ? ROLES_SETTING : undefined,
      beyond: (name) => beyondLimit(name, limits[name], settings[name]),
    };
  }
}
