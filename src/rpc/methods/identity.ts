/** Methods for signing in and out. */
import { readStartTarget } from '../../auth/credentials.js';
import { failure } from '../../errors/error.js';
import type { Select } from '../../language/ast.js';
import type { IssuedTokens } from '../../session/contract.js';
import { toDatetime } from '../../value/time/datetime.js';
import { isArray, isObject, newObject, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import { type Method, optionalObject } from '../method.js';
import { executeOne } from './execute-one.js';

const CREDENTIALS = '(params:object)';

const TOKENS = '(token:Token)';

const AUTH_RECORD: Select = {
  kind: 'select',
  projections: { kind: 'fields', items: [{ kind: 'all' }] },
  only: false,
  from: [{ kind: 'param', name: 'auth' }],
};

export const identityMethods: readonly Method[] = [
  {
    name: 'signin',
    querying: false,
    expects: CREDENTIALS,
    signsIn: true,
    run: async ({ session }, params) => tokens(await session.signIn(credentials(params))),
  },
  {
    name: 'signup',
    querying: false,
    expects: CREDENTIALS,
    signsIn: true,
    run: async ({ session }, params) => tokens(await session.signUp(credentials(params))),
  },
  {
    name: 'auth_start',
    querying: false,
    expects: CREDENTIALS,
    run: async ({ session }, params) => {
      const { request, expires, url, options, shown } = await session.startSignIn(readStartTarget(credentials(params)));
      const members = { ...(url !== undefined && { url }), ...(options !== undefined && { options }) };
      const more = { ...members, ...(shown as ObjectValue | undefined) };
      return objectFrom({ request, expires: toDatetime(expires), ...more });
    },
  },
  {
    name: 'authenticate',
    querying: false,
    expects: '(token:string)',
    signsIn: true,
    run: async ({ session }, [token]) => {
      if (typeof token !== 'string') throw failure('invalid_params', { expected: '(token:string)' });
      await session.authenticate(token);
      return undefined;
    },
  },
  {
    name: 'refresh',
    querying: false,
    expects: TOKENS,
    signsIn: true,
    run: async ({ session }, params) => tokens(await session.refresh(pairOf(params, 'cannot refresh'))),
  },
  {
    name: 'revoke',
    querying: false,
    expects: TOKENS,
    signsIn: true,
    run: async ({ session }, params) => {
      await session.revoke(pairOf(params, 'cannot revoke refresh token'));
      return undefined;
    },
  },
  {
    name: 'invalidate',
    querying: false,
    expects: '0 arguments',
    signsIn: true,
    signsOut: true,
    run: ({ session }) => {
      session.invalidate();
      return undefined;
    },
  },
  {
    name: 'view_as',
    querying: false,
    expects: '(target:object)',
    most: 1,
    run: async ({ session, connection }, [target]) => {
      if (!connection.notifies) throw failure('view_unavailable');
      await session.viewAs(optionalObject('target', target));
      return undefined;
    },
  },
  {
    name: 'info',
    querying: false,
    expects: '0 arguments',
    run: async ({ session }) => {
      if (session.identity.databasePath.namespace === undefined) throw failure('namespace_empty');
      const found = await executeOne(session, AUTH_RECORD);
      return isArray(found) ? found[0] : found;
    },
  },
];

function credentials([body]: readonly Value[]): ObjectValue {
  if (!isObject(body)) throw failure('invalid_params', { expected: CREDENTIALS });
  return body;
}

/**
 * Reads a pair of tokens.
 * @throws TesseraError `invalid_arguments` for an access token alone; `invalid_params`
 */
function pairOf([pair]: readonly Value[], cannot: string): Required<IssuedTokens> {
  if (typeof pair === 'string') {
    throw failure('invalid_arguments', { name: 'refresh', reason: `Token is an access token, ${cannot}` });
  }
  const { access, refresh } = isObject(pair) ? pair : newObject();
  if (typeof access !== 'string' || typeof refresh !== 'string') throw failure('invalid_params', { expected: TOKENS });
  return { access, refresh };
}

/** The access token alone, or both tokens if a refresh token was issued. */
function tokens({ access, refresh }: IssuedTokens): Value {
  if (refresh === undefined) return access;
  const pair = newObject();
  pair.access = access;
  pair.refresh = refresh;
  return pair;
}
