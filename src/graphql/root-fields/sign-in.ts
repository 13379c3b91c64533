/**
 * `signIn`, `signUp`, `refresh` and `signOut`: what the session itself does, at the namespace and database that it has
 * selected. Each counts as one attempt, whatever its alias.
 */
import { GraphQLNonNull, GraphQLObjectType } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import type { Deadline } from '../../runtime/interrupt.js';
import type { IssuedTokens, Session } from '../../session/contract.js';
import { newObject, type ObjectValue, type Value } from '../../value/value.js';
import { SCALARS } from '../base/scalars.js';
import { fromRoot, fromSource } from '../execution/field-source.js';
import { isGiven } from '../schema/list-arguments.js';
import type { RootConfig } from './root-config.js';

const { String: TEXT, Boolean: BOOLEAN, object: OBJECT } = SCALARS;

export const TOKENS = new GraphQLObjectType({
  name: 'Tokens',
  description: 'What signing in gives.',
  fields: {
    token: {
      type: TEXT,
      description: 'For the header Authorization: Bearer.',
      extensions: fromSource({ kind: 'column', column: 'access' }),
    },
    refresh: {
      type: TEXT,
      description: 'For a new pair of tokens, where the access method has them.',
      extensions: fromSource({ kind: 'column', column: 'refresh' }),
    },
  },
});

type Given = Readonly<Record<string, Value>>;

/** By the name of the field. */
export const SESSION_FIELDS: Readonly<Record<string, RootConfig>> = {
  signIn: {
    type: TOKENS,
    description: 'Signs in by an access method of the database, or as a user who is defined on it.',
    args: {
      access: { type: TEXT, description: 'The access method.' },
      variables: { type: OBJECT, description: 'What its SIGNIN clause asks for.' },
      key: { type: TEXT, description: 'Of an access method TYPE BEARER.' },
      user: { type: TEXT },
      pass: { type: TEXT },
    },
    ...doing(async (session, given, deadline) => tokensOf(await session.signIn(credentials(session, given), deadline))),
  },
  signUp: {
    type: TOKENS,
    description: 'Signs up by an access method of the database, and signs in.',
    args: {
      access: { type: new GraphQLNonNull(TEXT) },
      variables: { type: OBJECT, description: 'What its SIGNUP clause asks for.' },
    },
    ...doing(async (session, given, deadline) => tokensOf(await session.signUp(credentials(session, given), deadline))),
  },
  refresh: {
    type: TOKENS,
    description:
      'Signs in with a refresh token, which is used up, and the token that came with it, which may have expired.',
    args: { token: { type: new GraphQLNonNull(TEXT) }, refresh: { type: new GraphQLNonNull(TEXT) } },
    ...doing(async (session, given, deadline) => tokensOf(await session.refresh(pairOf(given), deadline))),
  },
  signOut: {
    type: BOOLEAN,
    description:
      'Signs out: the token of the session is worthless afterwards, with all of the same sign-in. Gives true.',
    args: {
      token: { type: TEXT, description: 'The token that came with the refresh token; it may have expired.' },
      refresh: { type: TEXT, description: 'A refresh token that shall be worthless, too, with all that came of it.' },
      everywhere: { type: BOOLEAN, description: 'Whether all other sessions and tokens of the same user end as well.' },
    },
    ...doing(signOut),
  },
};

/** Work that the deadline of the request ends. */
type SessionWork = (session: Session, given: Given, deadline: Deadline | undefined) => Promise<Value>;

function doing(work: SessionWork): Pick<RootConfig, 'extensions'> {
  return {
    extensions: fromRoot((field) => ({
      completion: field.completion(),
      begin: (call) => {
        const given = field.arguments.given(call) as Given;
        return { kind: 'session', run: (session) => work(session, given, call.deadline) };
      },
    })),
  };
}

const KILL_SESSIONS: Statement = { kind: 'kill-sessions', which: { kind: 'own' } };

async function signOut(session: Session, given: Given, deadline: Deadline | undefined): Promise<Value> {
  const { token, refresh, everywhere } = given;
  if (isGiven(refresh) !== isGiven(token)) {
    throw failure('graphql_argument', { reason: 'A refresh token is taken back by both: token and refresh' });
  }
  if (isGiven(refresh)) await session.revoke(pairOf(given));
  if (everywhere === true) {
    for (const { outcome } of await session.execute([KILL_SESSIONS], undefined, deadline))
      if (!outcome.ok) throw outcome.error;
  }
  await session.signOut();
  return true;
}

/** A body as HTTP and RPC have it. */
function credentials({ identity: { databasePath } }: Session, given: Given): ObjectValue {
  const body = newObject();
  const { namespace, database } = databasePath;
  for (const [name, value] of Object.entries({ namespace, database, ...given })) if (isGiven(value)) body[name] = value;
  return body;
}

function pairOf({ token, refresh }: Given): Required<IssuedTokens> {
  return { access: String(token), refresh: String(refresh) };
}

function tokensOf(tokens: IssuedTokens): ObjectValue {
  const object = newObject();
  Object.assign(object, tokens);
  return object;
}
