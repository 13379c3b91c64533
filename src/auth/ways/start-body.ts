/** Reads what a client sends to begin a sign-in request. */
import { failure } from '../../errors/error.js';
import { isObject, newObject, type ObjectValue } from '../../value/value.js';
import { readVariables } from '../credentials.js';
import { isChallenge } from './challenge.js';

/** A body of `auth_start` and of `POST /auth/:ns/:db/:ac/start`, without the access method that it names. */
export interface StartBody {
  /** S256 of a verifier that only the client knows (RFC 7636, section 4.2): 43 characters of base64url. */
  readonly challenge: string;
  /** Where a page of the server leads on to. */
  readonly redirect: string | undefined;
  /** Whether the page of the server asks for what is due besides, before it leads on. */
  readonly page: boolean;
  /** For the SIGNIN and SIGNUP clauses. */
  readonly variables: ObjectValue;
  /** The address to be proved, as the client wrote it; judged by the way. */
  readonly email: string | undefined;
  /** Whether what is proved is to become another identity of the record that is signed in. */
  readonly link: boolean;
  /** Whether what is proved is to be added to the session. */
  readonly step: boolean;
  /** Whether a passkey is to be made for a record that SIGNUP makes. Other ways find out by what is proved. */
  readonly signup: boolean;
  /** A request that owes a second factor, for which the record is to get its first one. */
  readonly request: string | undefined;
}

const MEMBERS: ReadonlySet<string> = new Set([
  'challenge',
  'redirect',
  'page',
  'variables',
  'email',
  'link',
  'step',
  'signup',
  'request',
]);
/** What the server itself tells a clause. */
export const SERVER_VARIABLES = ['email', 'identity'] as const satisfies readonly string[];
const LONGEST_TEXT = 2_000;

export const CHALLENGE_EXPECTED = "'challenge' must be the SHA-256 of a verifier in base64url, 43 characters (S256)";

/**
 *     readStart({ challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', email: 'ann@example.com' })
 *
 * @throws TesseraError `start_malformed`, `reserved_variable`, and what `readSignIn` throws for variables
 */
export function readStart(body: ObjectValue): StartBody {
  const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined) throw malformedStart(`'${unknown.slice(0, 40)}' is none of ${[...MEMBERS].join(', ')}`);
  const challenge = text(body, 'challenge');
  if (challenge === undefined || !isChallenge(challenge)) throw malformedStart(CHALLENGE_EXPECTED);
  const { variables: given = newObject() } = body;
  if (!isObject(given)) throw malformedStart("'variables' must be an object");
  const variables = readVariables(given);
  const reserved = SERVER_VARIABLES.find((name) => Object.hasOwn(variables, name));
  if (reserved !== undefined) throw failure('reserved_variable', { name: reserved });
  const [link, step, signup] = [flag(body, 'link'), flag(body, 'step'), flag(body, 'signup')];
  if ([link, step, signup].filter(Boolean).length > 1) throw malformedStart("it is a 'link', a 'step' or a 'signup'");
  const [redirect, email, request] = [text(body, 'redirect'), text(body, 'email'), text(body, 'request')];
  const page = flag(body, 'page');
  return { challenge, redirect, page, variables, email, link, step, signup, request };
}

/** @throws TesseraError `start_malformed` */
function text(body: ObjectValue, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw malformedStart(`'${name}' must be a text`);
  if (value.length > LONGEST_TEXT) throw malformedStart(`'${name}' is longer than ${LONGEST_TEXT} characters`);
  return value;
}

function flag(body: ObjectValue, name: string): boolean {
  const value = body[name];
  if (value === undefined || value === null || value === false) return false;
  if (value !== true) throw malformedStart(`'${name}' must be true or false`);
  return true;
}

export function malformedStart(reason: string) {
  return failure('start_malformed', { reason });
}
