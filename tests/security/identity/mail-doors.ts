/** A database WITH MAIL behind every transport: begins requests, redeems them, and reads the mails that wait. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { SignInRequests } from '../../../src/catalog/credentials/sign-in-request.js';
import { findDatabase } from '../../../src/catalog/definitions/lookup.js';
import { entriesOf } from '../../../src/catalog/entries.js';
import type { WaitingMail } from '../../../src/catalog/mail/outbox.js';
import { GraphqlService } from '../../../src/graphql/service.js';
import { createGraphqlHandler } from '../../../src/graphql/transports/handler.js';
import type { HttpOptions } from '../../../src/http/base/options.js';
import { createHttpServer } from '../../../src/http/server.js';
import { MemoryEngine } from '../../../src/storage/memory/memory.js';
import { withRetries } from '../../../src/storage/retry.js';
import { toDatetime } from '../../../src/value/time/datetime.js';
import { newObject, type Value } from '../../../src/value/value.js';
import { waitingMails } from '../../support/mailbox.js';
import { type Owned, type OwnedOptions, openOwned } from '../../support/owned.js';

export const VERIFIER = 'v'.repeat(43);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
export const REDIRECT = 'https://shop.example/in';
export const PUBLIC_URL = 'https://db.example';
export const PLACE = { NS: 'test', DB: 'test' };
export const WRONG = 'There was a problem with authentication';

/** Mails wait: their server is no target that is allowed. */
const SCHEMA = `
  DEFINE CONFIG MAIL FROM 'Shop <shop@shop.example>' SMTP 'smtps://mail.invalid';
  DEFINE CONFIG AUTH NAME 'The Shop' REDIRECT '${REDIRECT}', 'http://127.0.0.1/in';
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE user PERMISSIONS FOR select, update WHERE id = $auth; DEFINE FIELD email ON user TYPE string;
  DEFINE INDEX email ON user FIELDS email UNIQUE;
  DEFINE ACCESS mail ON DATABASE TYPE RECORD
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE, LINK WITH REFRESH;
  DEFINE ACCESS other ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE, LINK;
  DEFINE ACCESS open ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email, note = $note)
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email);
  CREATE user:ann SET email = 'ann@example.com'; CREATE user:bob SET email = 'bob@example.com';
`;

const TRANSPORTS = ['HTTP', 'RPC', 'GraphQL'] as const;
export type Transport = (typeof TRANSPORTS)[number];
export const ALL_TRANSPORTS: readonly Transport[] = TRANSPORTS;

export interface Answer {
  readonly status: number;
  /** The message of an error; absent for a success. */
  readonly error: string | undefined;
  readonly token: string | undefined;
  /** What `second_factor_required` says is due. */
  readonly due: Due | undefined;
  /** The whole answer. */
  readonly text: string;
}

export interface Due {
  readonly request: string;
  readonly access: readonly string[];
  readonly enrol?: readonly string[];
}

/** What a request of tests says besides its body. */
export interface From {
  readonly ip?: string;
  readonly token?: string | undefined;
  readonly access?: string;
}

type Body = Readonly<Record<string, unknown>>;

export class MailDoors {
  private constructor(
    readonly owned: Owned,
    readonly engine: MemoryEngine,
    readonly app: FastifyInstance,
  ) {}

  static async open(database: OwnedOptions = {}, http: Partial<HttpOptions> = {}): Promise<MailDoors> {
    const engine = new MemoryEngine();
    const delay = { minimum: 0, step: 1, maximum: 1 };
    const owned = await openOwned({
      engine,
      authentication: { failureDelay: delay, startDelay: delay, publicUrls: [PUBLIC_URL] },
      ...database,
    });
    await owned.value(SCHEMA);
    const graphql = createGraphqlHandler(new GraphqlService(), 'standard');
    const app = createHttpServer({ database: owned.database, graphql, authPage: PAGE, options: http });
    await app.ready();
    return new MailDoors(owned, engine, app);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.owned.database.close();
  }

  async inject(
    url: string,
    { ip = '192.0.2.1', token }: From,
    payload: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<LightMyRequestResponse> {
    return this.app.inject({
      method: 'POST',
      url,
      remoteAddress: ip,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      payload: JSON.stringify(payload),
    });
  }

  /** Over HTTP; the challenge is right unless the body has another. */
  start(body: Body, from: From = {}, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse> {
    const access = encodeURIComponent(from.access ?? 'mail');
    return this.inject(`/auth/test/test/${access}/start`, from, { challenge: CHALLENGE, ...body }, headers);
  }

  /** The same by the RPC method. */
  async startByRpc(body: Body, from: From = {}): Promise<{ readonly result?: Body; readonly error?: Body }> {
    const params = [{ ...PLACE, AC: from.access ?? 'mail', challenge: CHALLENGE, ...body }];
    return (await this.inject('/rpc', from, { id: 1, method: 'auth_start', params })).json();
  }

  /** A request that has begun, with the code and the link of its mail. */
  async begun(body: Body, from: From = {}): Promise<{ request: string; code: string; link: string }> {
    const answer = await this.start(body, from);
    const { request } = answer.json() as { request?: string };
    if (request === undefined) throw new Error(answer.body);
    const mail = await this.lastMail();
    return { request, code: mail?.code ?? '', link: mail?.link?.split('#')[1]?.split('.')[0] ?? '' };
  }

  /** How many requests are stored, whether or not they have run out. */
  async storedRequests(): Promise<number> {
    const transaction = await this.engine.begin({ writable: false });
    const all = await entriesOf(transaction, { from: 'D', to: 'E' });
    transaction.cancel();
    return all.filter(([key]) => key[5] === 'k' && key[6] === 'r').length;
  }

  /** Stores so many requests of others, as if they were open. */
  async fill(count: number): Promise<void> {
    const now = this.owned.environment.clock.now();
    const row = {
      access: 'open',
      kind: 'mail',
      purpose: 'sign-in',
      variables: newObject(),
      created: toDatetime(now),
      expires: toDatetime(now + 600_000_000_000n),
      tries: 0,
    } as const;
    await withRetries(this.engine, async (transaction) => {
      const { id } = (await findDatabase(transaction, 'test', 'test'))!;
      const requests = new SignInRequests(transaction, id);
      for (let at = 0; at < count; at++) await requests.put(`n${at}`.padEnd(22, '_'), row);
    });
  }

  mails(): Promise<readonly WaitingMail[]> {
    return waitingMails(this.engine);
  }

  /** The youngest mail, which is the only one with a code that is still good. */
  async lastMail(): Promise<WaitingMail | undefined> {
    return [...(await this.mails())].sort((a, b) => Number(b.created - a.created))[0];
  }

  /** The button of the confirm page. */
  async confirm(link: string, from: From = {}): Promise<LightMyRequestResponse> {
    return this.app.inject({
      method: 'POST',
      url: `/auth/test/test/${from.access ?? 'mail'}/confirm`,
      remoteAddress: from.ip ?? '192.0.2.1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ link }).toString(),
    });
  }

  /** The code in the address to which the button leads. */
  async codeOf(link: string): Promise<string> {
    const { location = '' } = (await this.confirm(link)).headers;
    return new URL(String(location)).searchParams.get('code') ?? '';
  }

  async signIn(variables: Body, from: From = {}, transport: Transport = 'HTTP'): Promise<Answer> {
    const access = from.access ?? 'mail';
    if (transport === 'HTTP') {
      const answer = await this.inject('/signin', from, { ...PLACE, AC: access, ...variables });
      return toldBy(answer.statusCode, answer.json());
    }
    if (transport === 'RPC') {
      const params = [{ ...PLACE, AC: access, ...variables }];
      const answer = await this.inject('/rpc', from, { id: 1, method: 'signin', params });
      return toldBy(answer.statusCode, answer.json());
    }
    const query = `mutation { signIn(access: ${JSON.stringify(access)}, variables: ${literal(variables)}) { token } }`;
    const answer = await this.graphql(query, from);
    return toldBy(answer.statusCode, answer.json());
  }

  graphql(query: string, from: From = {}): Promise<LightMyRequestResponse> {
    return this.inject('/graphql', from, { query }, { 'surreal-ns': 'test', 'surreal-db': 'test' });
  }

  /** Begins and redeems: the token of a session that was proved by mail. */
  async signedIn(email = 'ann@example.com', access = 'mail'): Promise<string> {
    const { request, code } = await this.begun({ email }, { access });
    const { token, error } = await this.signIn({ request, code }, { access });
    if (token === undefined) throw new Error(error);
    this.pass(60_000);
    return token;
  }

  /** What the bearer of a token gets for statements: the last result, or the text of an error. */
  async query(text: string, token?: string): Promise<unknown> {
    const answer = await this.app.inject({
      method: 'POST',
      url: '/sql',
      headers: {
        accept: 'application/json',
        'surreal-ns': 'test',
        'surreal-db': 'test',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      payload: text,
    });
    const body = answer.json() as readonly { readonly result: unknown }[] | { readonly information?: string };
    return Array.isArray(body) ? body.at(-1)?.result : (body as { information?: string }).information;
  }

  value(text: string): Promise<Value> {
    return this.owned.value(text);
  }

  pass(milliseconds: number): void {
    this.owned.environment.advance(milliseconds);
  }
}

const PAGE = { html: '<title>{title}</title>{colors}<main>{content}</main>', files: { find: async () => undefined } };

function toldBy(status: number, body: Record<string, unknown>): Answer {
  const { token, result, error, errors, data, information } = body as {
    token?: unknown;
    result?: unknown;
    error?: { message?: string; details?: { details?: { details?: unknown } } } | string;
    errors?: readonly { message: string; extensions?: unknown }[];
    data?: { signIn?: unknown } | null;
    information?: string;
  };
  const message = typeof error === 'object' ? error.message : (information ?? errors?.[0]?.message);
  const found = accessIn(token ?? result ?? data?.signIn);
  const told = typeof error === 'object' ? error.details?.details?.details : (errors?.[0]?.extensions ?? body);
  return { status, error: message, token: found, due: dueIn(told), text: JSON.stringify(body) };
}

function dueIn(told: unknown): Due | undefined {
  const { request, access, enrol } = (told ?? {}) as Partial<Due>;
  if (request === undefined || access === undefined) return undefined;
  return { request, access, ...(enrol !== undefined && { enrol }) };
}

/** The access token of an answer, with a refresh token beside it or not. */
function accessIn(found: unknown): string | undefined {
  if (typeof found === 'string') return found;
  const { access, token } = (found ?? {}) as { access?: unknown; token?: unknown };
  const given = access ?? token;
  return typeof given === 'string' ? given : undefined;
}

/** A value as GraphQL writes it: names without quotes. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${name}: ${literal(each)}`)
    .join(', ')} }`;
}
