/** Settings of GraphQL and its limits. */
import {
  GRAPHQL_ROLES,
  type GraphqlRole,
  ROLES_SETTING,
  type RoleRules,
  type RulesOfRoles,
} from '../../graphql/base/effective-limits.js';
import {
  DEFAULT_GRAPHQL_LIMITS,
  GRAPHQL_LIMIT_SETTINGS,
  type GraphqlLimit,
  type GraphqlLimits,
} from '../../graphql/base/limits.js';
import {
  optionalSetting,
  readChoice,
  readCount,
  readPositiveTime,
  readText,
  type Setting,
  settingWithDefault,
  toggle,
} from '../setting.js';

export const GRAPHQL_SETTINGS = {
  graphqlJson: settingWithDefault(
    {
      flag: '--graphql-json <shape>',
      description:
        'What GraphQL answers to "Accept: application/json" alone: results (an entry for each root field) or standard',
    },
    'results',
    readChoice(['results', 'standard']),
  ),
  graphqlDocuments: optionalSetting(
    {
      flag: '--graphql-documents <file>',
      description: 'A JSON manifest of GraphQL documents that clients may name by id',
    },
    readText,
  ),
  graphqlRoles: settingWithDefault(
    {
      flag: `${ROLES_SETTING} <rules>`,
      description:
        'GraphQL limits for guest, record, viewer, editor or owner, by the names of their flags: "guest: depth=5 introspection=none; record: values=10000"',
    },
    '',
    (text) => readRoleRules(text, GRAPHQL_LIMITS),
  ),
  graphqlTrustedOnly: toggle({
    flag: '--graphql-trusted-only',
    description: 'Run no other GraphQL documents than those of the manifest',
  }),
  graphqlHideDenied: toggle({
    flag: '--graphql-hide-denied',
    description: 'Leave out of GraphQL schemas for record users and guests what PERMISSIONS never show them',
  }),
} as const;

/** The limits of the GraphQL room. */
export const GRAPHQL_LIMITS: Readonly<Record<keyof GraphqlLimits, Setting<number>>> = {
  depth: graphqlCount('depth', 'How deep the fields of a GraphQL query may be nested, unless its database says'),
  complexity: graphqlCount('complexity', 'How many fields it may have, unless its database says'),
  rootFields: graphqlCount('rootFields', 'How many fields it may have on its first level'),
  aliases: graphqlCount('aliases', 'How many aliases it may have'),
  directives: graphqlCount('directives', 'How many directives it may have'),
  tokens: graphqlCount('tokens', 'How many tokens its text may have'),
  nesting: graphqlCount('nesting', 'How deep its brackets may be nested'),
  inputs: graphqlCount('inputs', 'How many values its variables may have'),
  conditions: graphqlCount('conditions', 'How many conditions its filters may have'),
  rows: graphqlCount('rows', 'How many records one of its lists may give'),
  values: graphqlCount('values', 'How many fields its answer may have: records times fields'),
  time: settingWithDefault(
    { flag: `${GRAPHQL_LIMIT_SETTINGS.time} <time>`, description: 'How long a GraphQL request may take' },
    `${DEFAULT_GRAPHQL_LIMITS.time / 1000}s`,
    readPositiveTime,
  ),
  batch: graphqlCount('batch', 'How many GraphQL operations one HTTP request may send; 1 takes no arrays of them'),
};

function graphqlCount(limit: keyof GraphqlLimits, description: string): Setting<number> {
  const flag = `${GRAPHQL_LIMIT_SETTINGS[limit]} <count>`;
  return settingWithDefault({ flag, description }, String(DEFAULT_GRAPHQL_LIMITS[limit]), readCount);
}

// Parses `--graphql-limits`.

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
function readRoleRules(text: string, settings: Readonly<Record<GraphqlLimit, Setting<number>>>): RulesOfRoles {
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
