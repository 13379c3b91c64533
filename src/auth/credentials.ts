/** Reads sign-in and sign-up bodies. */
import type { DatabasePath } from '../catalog/principal.js';
import { failure } from '../errors/error.js';
import { ENGINE_PARAMS } from '../language/engine-params.js';
import {
  type ArrayValue,
  isObject,
  type Kind,
  kindOf,
  newObject,
  type ObjectValue,
  Range,
  type RecordId,
  type SetValue,
  type Value,
} from '../value/value.js';

export type Credentials = SystemCredentials | AccessCredentials;

/** A user of DEFINE USER. */
export interface SystemCredentials {
  readonly kind: 'system';
  /** Where the user is defined. */
  readonly databasePath: DatabasePath;
  readonly user: string;
  readonly password: string;
}

/** Credentials of an access method. */
export interface AccessCredentials {
  readonly kind: 'access';
  /** Where the access method is defined. */
  readonly databasePath: DatabasePath;
  readonly access: string;
  /** What the SIGNUP or SIGNIN query sees as `$name`. */
  readonly variables: ObjectValue;
  /** Of a BEARER access. */
  readonly key?: string;
  /** Of an access WITH REFRESH. */
  readonly refresh?: string;
  /** The text of the record id that the refresh token must be for. */
  readonly subject?: string;
  /** Of the page of the server, which has no verifier: the challenge of the app for which it signs in. */
  readonly challenge?: string;
}

type Field = 'namespace' | 'database' | 'access' | 'user' | 'password';

const SPELLINGS: Readonly<Record<Field, readonly string[]>> = {
  namespace: ['NS', 'ns', 'namespace'],
  database: ['DB', 'db', 'database'],
  access: ['AC', 'ac', 'access'],
  user: ['user', 'username'],
  password: ['pass', 'password'],
};

/** Spellings that only name a field. The short spellings are variables as well, as in the reference engine. */
const NOT_VARIABLES: ReadonlySet<string> = new Set(['namespace', 'database', 'access', 'variables']);

const MAX_VARIABLES = 1_000;
/** UTF-16 units. No definition has a longer name, so that longer ones are denied without a lookup. */
export const MAX_NAME_LENGTH = 512;

/**
 * Reads a sign-in body, of HTTP and RPC alike:
 *
 * | meant | body |
 * |---|---|
 * | root user | `{user, pass}` |
 * | namespace user | `{NS, user, pass}` |
 * | database user | `{NS, DB, user, pass}` |
 * | access of a database | `{NS, DB, AC, …}`: a record user's variables, a bearer's `key`, or a `refresh` token |
 * | access of a namespace | `{NS, AC, …}` |
 * | access of the root | `{AC, code, verifier}` |
 *
 * `NS` may be spelled `ns` or `namespace`, `DB` `db` or `database`, `AC` `ac` or `access`, `user` `username`, `pass`
 * `password`. Variables stand at the top level or in an object `variables`. NONE and NULL count as absent where a field
 * is looked for.
 *
 * @throws TesseraError `no_signin_target`, `missing_user_or_pass`, `malformed_credentials`, `duplicate_variable`,
 * `reserved_variable`, `variable_not_data`
 */
export function readSignIn(body: ObjectValue): Credentials {
  const namespace = textField(body, 'namespace');
  const database = textField(body, 'database');
  const access = textField(body, 'access');
  if (database !== undefined && namespace === undefined) throw failure('no_signin_target');
  const databasePath = databasePathOf(namespace, database);
  if (access !== undefined) {
    const credentials = accessCredentials(body, databasePath, access);
    // Without NS it is a mistake of clients that know the reference engine, unless it redeems a code.
    if (namespace === undefined && credentials.variables['code'] === undefined) throw failure('no_signin_target');
    return credentials;
  }
  const user = textField(body, 'user');
  const password = textField(body, 'password');
  if (user === undefined || password === undefined) throw failure('missing_user_or_pass');
  return { kind: 'system', databasePath, user, password };
}

/**
 * Reads a sign-up body: `{NS, DB, AC, …variables}`.
 *
 * @throws TesseraError `invalid_signup`, and what `readSignIn` throws for a malformed body
 */
export function readSignUp(body: ObjectValue): AccessCredentials {
  const namespace = textField(body, 'namespace');
  const database = textField(body, 'database');
  const access = textField(body, 'access');
  if (namespace === undefined || database === undefined || access === undefined) throw failure('invalid_signup');
  return accessCredentials(body, { namespace, database }, access);
}

/** Where a request to sign in is begun, and the rest of its body. */
export interface StartTarget {
  readonly databasePath: DatabasePath;
  readonly access: string;
  readonly body: ObjectValue;
}

/**
 * Reads the body of `auth_start`: `{NS, DB, AC, …}`, NS and DB as far as they apply, and what `readStart` reads.
 * @throws TesseraError `no_signin_target`, and what `readSignIn` throws for a malformed body
 */
export function readStartTarget(body: ObjectValue): StartTarget {
  const namespace = textField(body, 'namespace');
  const database = textField(body, 'database');
  const access = textField(body, 'access');
  if (access === undefined || (database !== undefined && namespace === undefined)) throw failure('no_signin_target');
  const rest = newObject();
  for (const [name, value] of Object.entries(body)) if (!NAMES_OF_TARGET.has(name)) rest[name] = value;
  return { databasePath: databasePathOf(namespace, database), access, body: rest };
}

const NAMES_OF_TARGET: ReadonlySet<string> = new Set([
  ...SPELLINGS.namespace,
  ...SPELLINGS.database,
  ...SPELLINGS.access,
]);

function accessCredentials(body: ObjectValue, databasePath: DatabasePath, access: string): AccessCredentials {
  // An application may use these two names for variables of any type.
  const { key, refresh } = body;
  return {
    kind: 'access',
    databasePath,
    access,
    variables: readVariables(body),
    ...(typeof key === 'string' && { key }),
    ...(typeof refresh === 'string' && { refresh }),
  };
}

/**
 * The variables of a body, of its top level and of its object `variables`.
 * @throws TesseraError `reserved_variable`, `duplicate_variable`, `malformed_credentials`, `variable_not_data`
 */
export function readVariables(body: ObjectValue): ObjectValue {
  const nested = body['variables'];
  const variables = newObject();
  let count = 0;
  const bind = (name: string, value: Value) => {
    if (ENGINE_PARAMS.has(name)) throw failure('reserved_variable', { name });
    if (Object.hasOwn(variables, name)) throw failure('duplicate_variable', { name });
    if (++count > MAX_VARIABLES) throw malformed(`there are more than ${MAX_VARIABLES} variables`);
    assertPlainData(name, value);
    variables[name] = value;
  };
  for (const [name, value] of Object.entries(body)) if (!NOT_VARIABLES.has(name)) bind(name, value);
  if (isObject(nested)) for (const [name, value] of Object.entries(nested)) bind(name, value);
  else if (nested !== undefined) bind('variables', nested);
  return variables;
}

/** The hasher bounds passwords. */
const isName = (field: Field) => field !== 'password';

/** A field in any of its spellings; if it is given in two, they must agree. */
function textField(body: ObjectValue, field: Field): string | undefined {
  let found: string | undefined;
  for (const name of SPELLINGS[field]) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string' || value === '') throw malformed(`'${name}' must be a text that isn't empty`);
    if (isName(field) && value.length > MAX_NAME_LENGTH) throw malformed(`'${name}' is too long`);
    if (found !== undefined && found !== value) throw failure('duplicate_variable', { name });
    found = value;
  }
  return found;
}

function databasePathOf(namespace: string | undefined, database: string | undefined): DatabasePath {
  return { ...(namespace !== undefined && { namespace }), ...(database !== undefined && { database }) };
}

function malformed(what: string) {
  return failure('malformed_credentials', { what });
}

// Which values clients may send as variables of a sign-in or sign-up.

const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;

type Judge = 'inert' | 'live' | ((value: Value) => readonly Value[] | 'live');

/**
 * Which kinds are plain data: values that a query can only compare and store. Others have effects in a query: a
 * function runs, a table or record range reads other records, a regex or range matches many values.
 */
const KINDS: Readonly<Record<Kind, Judge>> = {
  none: 'inert',
  null: 'inert',
  bool: 'inert',
  int: 'inert',
  float: 'inert',
  decimal: 'inert',
  string: 'inert',
  duration: 'inert',
  datetime: 'inert',
  uuid: 'inert',
  bytes: 'inert',
  geometry: 'inert',
  file: 'inert',
  array: (value) => value as ArrayValue,
  set: (value) => (value as SetValue).items,
  object: (value) => Object.values(value as ObjectValue),
  record: (value) => {
    const { key } = value as RecordId;
    return key instanceof Range ? 'live' : [key];
  },
  table: 'live',
  regex: 'live',
  range: 'live',
  function: 'live',
};

/**
 * Checks that a sign-in or sign-up variable is plain data at any depth, to prevent query injection.
 *
 * @throws TesseraError `variable_not_data`; `malformed_credentials` if it is nested too deep or too large
 */
function assertPlainData(name: string, value: Value): void {
  let count = 0;
  const judge = (part: Value, depth: number): void => {
    if (depth > MAX_DEPTH) throw failure('malformed_credentials', { what: `'${name}' is nested too deep` });
    if (++count > MAX_VALUES) throw failure('malformed_credentials', { what: `'${name}' holds too many values` });
    const kind = kindOf(part);
    const judged = KINDS[kind];
    const parts = typeof judged === 'function' ? judged(part) : judged;
    if (parts === 'live') throw failure('variable_not_data', { name, found: kind });
    if (parts !== 'inert') for (const inner of parts) judge(inner, depth + 1);
  };
  judge(value, 0);
}
