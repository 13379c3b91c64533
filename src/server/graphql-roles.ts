/** Parses `--graphql-limits`. */
import {
  GRAPHQL_ROLES,
  type GraphqlRole,
  type RoleRules,
  type RulesOfRoles,
} from '../graphql/base/effective-limits.js';
import { GRAPHQL_LIMIT_SETTINGS, type GraphqlLimit } from '../graphql/base/limits.js';
import { readChoice, type Setting } from './setting.js';

/** Limits have the names of their flags. */
const FLAG_PREFIX = '--max-graphql-';
const LIMITS_BY_NAME: ReadonlyMap<string, GraphqlLimit> = new Map(
  (Object.entries(GRAPHQL_LIMIT_SETTINGS) as [GraphqlLimit, string][]).map(([limit, flag]) => [
    flag.slice(FLAG_PREFIX.length),
    limit,
  ]),
);

/**
 * Roles separated by semicolons, each with its limits separated by spaces or commas: `guest: depth=5
 * introspection=none; record: time=5s`. `settings` parse the limits' values.
 * @throws Error describing the problem
 */
export function readRoleRules(text: string, settings: Readonly<Record<GraphqlLimit, Setting<number>>>): RulesOfRoles {
  const roles: { [R in GraphqlRole]?: RoleRules } = {};
  for (const part of text.split(';')) {
    if (part.trim() === '') continue;
    const [name = '', rules, ...more] = part.split(':').map((piece) => piece.trim());
    if (rules === undefined || more.length > 0) throw new Error(`"${part.trim()}" is not like "guest: depth=5"`);
    const role = readChoice(GRAPHQL_ROLES)(name);
    if (roles[role] !== undefined) throw new Error(`there are two entries for ${role}`);
    roles[role] = readRules(role, rules, settings);
  }
  return roles;
}

function readRules(role: GraphqlRole, text: string, settings: Readonly<Record<GraphqlLimit, Setting<number>>>) {
  const limits: { [K in GraphqlLimit]?: number } = {};
  const seen = new Set<string>();
  let introspection: RoleRules['introspection'];
  for (const item of text.split(/[\s,]+/).filter((each) => each !== '')) {
    const [name = '', value, ...more] = item.split('=');
    if (value === undefined || more.length > 0) throw new Error(`${role}: "${item}" is not like "depth=5"`);
    if (seen.has(name)) throw new Error(`${role}: ${name} is said twice`);
    seen.add(name);
    const limit = LIMITS_BY_NAME.get(name);
    try {
      if (name === 'introspection') introspection = readChoice(['auto', 'none'])(value);
      else if (limit !== undefined) limits[limit] = settings[limit].read(value);
      else throw new Error(`there is only introspection, ${[...LIMITS_BY_NAME.keys()].join(', ')}`);
    } catch (error) {
      throw new Error(`${role}: ${name}: ${(error as Error).message}`);
    }
  }
  return { limits, ...(introspection !== undefined && { introspection }) };
}
