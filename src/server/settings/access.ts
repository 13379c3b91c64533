/** Settings of access and capabilities. */
import { MAX_TOLERANCE } from '../../auth/tokens/tokens.js';
import { readObjectStore, type S3Location } from '../../files/contents/address.js';
import { DEFAULT_FETCH_LIMITS } from '../../functions/network/fetcher.js';
import { SUBJECTS } from '../../rpc/capabilities.js';
import { METHODS } from '../../rpc/methods/table.js';
import { DEFAULT_MAX_STALENESS } from '../../session/nodes/staleness.js';
import {
  optionalSetting,
  readAllOr,
  readChoice,
  readCount,
  readFunctionName,
  readList,
  readNetworkTarget,
  readPositiveTime,
  readSize,
  readText,
  readTime,
  type Setting,
  type SettingRow,
  settingWithDefault,
  sizeText,
  toggle,
} from '../setting.js';

/** `graphql`, and the reference server's experimental features: some are always enabled, some don't exist. */
export const EXPERIMENTS = [
  'graphql',
  'bearer_access',
  'define_api',
  'files',
  'gql',
  'mutable_permissions',
  'record_references',
  'surrealism',
] as const;

/** The reference server's route names, and our own. */
export const ROUTE_NAMES: readonly string[] = [
  ...[
    'api',
    'auth',
    'auth-system',
    'docs',
    'export',
    'files',
    'gql',
    'graphql',
    'health',
    'import',
    'key',
    'log',
    'mcp',
    'metrics',
    'ml',
    'ready',
    'rpc',
    'signin',
    'signup',
  ],
  ...['settings', 'setup', 'sql', 'status', 'studio', 'sync', 'version', 'welcome', '.well-known'],
];

/** Addresses of object stores, separated by commas. @throws Error */
export function readObjectStores(text: string): readonly S3Location[] {
  return readList(text).map((address) => {
    const location = readObjectStore(address);
    if (location === undefined) throw new Error(`${address} is not of the form s3://bucket/prefix`);
    return location;
  });
}

/** @throws Error */
function readTokenTolerance(text: string): number {
  const tolerance = readTime(text);
  if (tolerance > MAX_TOLERANCE) throw new Error('it must be a minute at most');
  return tolerance;
}

export const ACCESS_SETTINGS = {
  user: optionalSetting(
    {
      flag: '-u, --user <name>',
      peer: 'SURREAL_USER',
      description: 'The first root user, an owner; made only if there is no root user yet',
    },
    readText,
  ),
  passFile: optionalSetting({ flag: '--pass-file <file>', description: 'A file with its password' }, readText),
  pass: optionalSetting(
    {
      flag: '-p, --pass <password>',
      peer: 'SURREAL_PASS',
      description: 'Its password; rather in a file or a variable',
    },
    readText,
  ),
  unauthenticated: toggle({
    flag: '--unauthenticated',
    peer: 'SURREAL_UNAUTHENTICATED',
    description: 'Give every client the rights of an owner, without sign-in',
  }),
  allowAll: toggle({
    flag: '-A, --allow-all',
    peer: 'SURREAL_CAPS_ALLOW_ALL',
    description: 'Allow guests, scripting, all functions and all targets, but for what is denied by name',
  }),
  denyAll: toggle({
    flag: '-D, --deny-all',
    peer: 'SURREAL_CAPS_DENY_ALL',
    description: 'Deny them, but for what is allowed by name',
  }),
  allowGuests: toggle({
    flag: '--allow-guests',
    peer: 'SURREAL_CAPS_ALLOW_GUESTS',
    description: 'Let clients that haven’t signed in run statements, as far as PERMISSIONS allow',
  }),
  denyGuests: toggle({
    flag: '--deny-guests',
    peer: 'SURREAL_CAPS_DENY_GUESTS',
    description: 'Don’t; takes precedence over the allowing settings',
  }),
  allowScripting: toggle({
    flag: '--allow-scripting',
    peer: 'SURREAL_CAPS_ALLOW_SCRIPTING',
    description: 'Let statements run embedded JavaScript: function() { … }',
  }),
  denyScripting: toggle({
    flag: '--deny-scripting',
    peer: 'SURREAL_CAPS_DENY_SCRIPTING',
    description: 'Don’t; takes precedence over the allowing settings',
  }),
  allowFuncs: openList(
    {
      flag: '--allow-funcs [names]',
      peer: 'SURREAL_CAPS_ALLOW_FUNC',
      description: 'The only functions and families of functions that may be called, such as string,math::abs',
    },
    'all',
    readFunctionName,
  ),
  denyFuncs: settingWithDefault(
    {
      flag: '--deny-funcs [names]',
      peer: 'SURREAL_CAPS_DENY_FUNC',
      description: 'Those that may not; the more specific name takes precedence',
    },
    'none',
    readAllOr(readFunctionName),
  ),
  allowNet: openList(
    {
      flag: '--allow-net [targets]',
      peer: 'SURREAL_CAPS_ALLOW_NET',
      description:
        'Where http::* may call and key sets come from: hosts, addresses and networks, with a port or without. Private addresses must be named as addresses',
    },
    'none',
    readNetworkTarget,
  ),
  denyNet: settingWithDefault(
    {
      flag: '--deny-net [targets]',
      peer: 'SURREAL_CAPS_DENY_NET',
      description: 'Where they may not; takes precedence over what is allowed',
    },
    'none',
    readAllOr(readNetworkTarget),
  ),
  netTimeout: settingWithDefault(
    { flag: '--net-timeout <time>', description: 'How long a request of http::* may take' },
    `${DEFAULT_FETCH_LIMITS.time / 1000}s`,
    readPositiveTime,
  ),
  maxNetResponse: settingWithDefault(
    { flag: '--max-net-response <size>', description: 'The largest answer that it takes' },
    sizeText(DEFAULT_FETCH_LIMITS.response),
    readSize,
  ),
  allowExperimental: settingWithDefault(
    {
      flag: '--allow-experimental [names]',
      peer: 'SURREAL_CAPS_ALLOW_EXPERIMENTAL',
      description: 'Experimental features to switch on: graphql',
    },
    'none',
    readAllOr(readChoice(EXPERIMENTS)),
  ),
  denyExperimental: settingWithDefault(
    {
      flag: '--deny-experimental [names]',
      peer: 'SURREAL_CAPS_DENY_EXPERIMENTAL',
      description: 'Experimental features to leave off; takes precedence over those allowed',
    },
    'none',
    readAllOr(readChoice(EXPERIMENTS)),
  ),
  allowRpc: settingWithDefault(
    {
      flag: '--allow-rpc [names]',
      peer: 'SURREAL_CAPS_ALLOW_RPC',
      description: 'The only methods of RPC that may be called, such as query,select',
    },
    'all',
    readAllOr(readChoice([...METHODS.keys()])),
  ),
  denyRpc: settingWithDefault(
    {
      flag: '--deny-rpc [names]',
      peer: 'SURREAL_CAPS_DENY_RPC',
      description: 'Those that may not; names take precedence over all',
    },
    'none',
    readAllOr(readChoice([...METHODS.keys()])),
  ),
  allowHttp: settingWithDefault(
    {
      flag: '--allow-http [names]',
      peer: 'SURREAL_CAPS_ALLOW_HTTP',
      description: 'The only routes of HTTP that may be used, such as rpc,health',
    },
    'all',
    readAllOr(readChoice(ROUTE_NAMES)),
  ),
  denyHttp: settingWithDefault(
    {
      flag: '--deny-http [names]',
      peer: 'SURREAL_CAPS_DENY_HTTP',
      description: 'Those that may not; names take precedence over all',
    },
    'none',
    readAllOr(readChoice(ROUTE_NAMES)),
  ),
  allowArbitraryQuery: settingWithDefault(
    {
      flag: '--allow-arbitrary-query [subjects]',
      peer: 'SURREAL_CAPS_ALLOW_ARBITRARY_QUERY',
      description:
        'Who may send queries of their own, of guest, record and system; the others can still sign in and call /api',
    },
    'all',
    readAllOr(readChoice(SUBJECTS)),
  ),
  denyArbitraryQuery: settingWithDefault(
    {
      flag: '--deny-arbitrary-query [subjects]',
      peer: 'SURREAL_CAPS_DENY_ARBITRARY_QUERY',
      description: 'Who may not; names take precedence over all',
    },
    'none',
    readAllOr(readChoice(SUBJECTS)),
  ),
  allowWeakKeys: toggle({
    flag: '--allow-weak-keys',
    description:
      'Accept keys in DEFINE ACCESS that are too short, or no keys at all; the latter fail when they are used',
  }),
  fieldPermissions: settingWithDefault(
    {
      flag: '--field-permissions <rule>',
      description:
        'Whether a field without PERMISSIONS follows its table (inherit) or is hidden from record users (none)',
    },
    'inherit',
    readChoice(['inherit', 'none']),
  ),
  strictPermissions: toggle({
    flag: '--strict-permissions',
    description: 'Make a write that PERMISSIONS refuse an error, rather than skipping it silently',
  }),
  allowMapperFolders: settingWithDefault(
    {
      flag: '--allow-mapper-folders <folders>',
      description: 'The folders, separated by commas, whose files the filter mapper of analyzers may read',
    },
    '',
    readList,
  ),
  allowBucketFolders: settingWithDefault(
    {
      flag: '--allow-bucket-folders <folders>',
      description: 'The folders, separated by commas, in which buckets with BACKEND "file:/…" may keep files',
      peer: 'SURREAL_BUCKET_FOLDER_ALLOWLIST',
    },
    '',
    readList,
  ),
  allowObjectStores: settingWithDefault(
    {
      flag: '--allow-object-stores <addresses>',
      description:
        'The object stores, as s3://bucket/prefix?endpoint=https://… and separated by commas, in which buckets with such a BACKEND may keep files',
    },
    '',
    readObjectStores,
  ),
  searchStatistics: settingWithDefault(
    {
      flag: '--search-statistics <rule>',
      description:
        'The basis of full-text scores for users subject to PERMISSIONS: rows that they may see (visible), or whole indexes (shared), which is faster and reveals how frequent words are',
    },
    'visible',
    readChoice(['visible', 'shared']),
  ),
  tokenTolerance: settingWithDefault(
    {
      flag: '--token-tolerance <time>',
      description:
        'How far in the future a token may begin to be valid (nbf), for clocks of servers that differ; a minute at most',
    },
    '10s',
    readTokenTolerance,
  ),
  sessionIdle: settingWithDefault(
    {
      flag: '--session-idle <time>',
      description: 'How long a signed-in session may be idle before it expires',
    },
    'none',
    readTime,
  ),
  sessionLifetime: settingWithDefault(
    {
      flag: '--session-lifetime <time>',
      description: 'How long the session of a record user may last',
    },
    'none',
    readTime,
  ),
  maxStaleness: settingWithDefault(
    {
      flag: '--max-staleness <time>',
      description:
        'How long a server may not know what others on the same store do, before it refuses requests of signed-in users',
    },
    `${DEFAULT_MAX_STALENESS / 1000}s`,
    readPositiveTime,
  ),
  maxUserSessions: settingWithDefault(
    {
      flag: '--max-user-sessions <count>',
      description: 'How many sessions on connections a record user may have; one more ends the oldest',
    },
    '1000',
    readCount,
  ),
} as const;

/** A list whose default depends on the general rule. */
function openList<T>(
  row: SettingRow,
  fallback: 'all' | 'none',
  read: (text: string) => T,
): Setting<'all' | readonly T[] | undefined> {
  return { ...optionalSetting(row, readAllOr(read)), fallback };
}
