/** A database behind HTTP whose users come from identity providers, and from elsewhere. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { WaitingMail } from '../../../src/catalog/mail/outbox.js';
import { readTarget } from '../../../src/functions/network/targets.js';
import { createHttpServer } from '../../../src/http/server.js';
import type { DatabaseOptions } from '../../../src/session/database/options.js';
import { MemoryEngine } from '../../../src/storage/memory/memory.js';
import type { ObjectValue, Value } from '../../../src/value/value.js';
import { CLIENT, providersNetwork, StubProvider } from '../../support/identity-provider.js';
import { waitingMails } from '../../support/mailbox.js';
import { type Owned, openOwned } from '../../support/owned.js';

export const VERIFIER = 'v'.repeat(43);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
export const REDIRECT = 'https://shop.example/in';
const PLACE = { NS: 'test', DB: 'test' };

/** At the provider `id.example`: signing up, and by address; at the other one: by address alone. */
const SCHEMA = `
  DEFINE CONFIG MAIL FROM 'Shop <shop@shop.example>' SMTP 'smtps://mail.invalid';
  DEFINE CONFIG AUTH NAME 'The Shop' REDIRECT '${REDIRECT}', 'http://127.0.0.1/in';
  DEFINE TABLE user PERMISSIONS FOR select, update WHERE id = $auth;
  DEFINE FIELD email ON user TYPE option<string>;
  DEFINE INDEX email ON user FIELDS email UNIQUE;
  DEFINE ACCESS id ON DATABASE TYPE RECORD
    SIGNUP (CREATE user SET email = $identity.email, name = $identity.name, subject = $identity.subject, note = $note)
    WITH OIDC ISSUER 'https://id.example' CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}' LINK VERIFIED EMAIL
    WITH REFRESH;
  DEFINE ACCESS corp ON DATABASE TYPE RECORD
    WITH OIDC ISSUER 'https://corp.example' CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}' LINK VERIFIED EMAIL;
  DEFINE ACCESS plain ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email)
    WITH OIDC ISSUER 'https://id.example' CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}';
  DEFINE ACCESS mail ON DATABASE TYPE RECORD
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $email, name = $name)
    SIGNIN (SELECT * FROM user WHERE name = $name);
`;

type Body = Readonly<Record<string, unknown>>;

export interface SignedIn {
  readonly token: string;
  readonly claims: Record<string, unknown>;
  /** The text of the record. */
  readonly id: string;
}

export interface By {
  readonly access?: string;
  readonly provider?: StubProvider;
  readonly token?: string;
  readonly body?: Body;
}

export class ProviderWorld {
  /** What went to the log of the server, one line an error. */
  readonly log: string[] = [];
  readonly audited: string[] = [];
  readonly engine = new MemoryEngine();
  owned!: Owned;
  app!: FastifyInstance;

  private constructor(
    readonly id: StubProvider,
    readonly corp: StubProvider,
  ) {}

  /** `address`: of the provider `id.example`. */
  static async open(options: DatabaseOptions = {}, address = '93.184.216.34'): Promise<ProviderWorld> {
    const id = await StubProvider.at('id.example', address);
    const corp = await StubProvider.at('corp.example', '93.184.216.35');
    const world = new ProviderWorld(id, corp);
    const delay = { minimum: 0, step: 1, maximum: 1 };
    world.owned = await openOwned({
      engine: world.engine,
      internet: providersNetwork(id, corp),
      network: { allow: ['id.example', 'corp.example'].map((name) => readTarget(name) as never) },
      authentication: { failureDelay: delay, startDelay: delay, publicUrls: ['https://db.example'] },
      report: (error) => void world.log.push(`${error.code} ${error.message}`),
      audit: { sink: { write: (lines) => void world.audited.push(...lines) } },
      ...options,
    });
    for (const provider of [id, corp]) provider.now = () => world.owned.environment.seconds;
    await world.owned.value(SCHEMA);
    world.app = createHttpServer({ database: world.owned.database, authPage: PAGE });
    await world.app.ready();
    return world;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.owned.database.close();
  }

  value(text: string): Promise<Value> {
    return this.owned.value(text);
  }

  inject(
    method: 'GET' | 'POST',
    url: string,
    payload?: object,
    { token, headers = {} }: { token?: string | undefined; headers?: Record<string, string> } = {},
  ): Promise<LightMyRequestResponse> {
    return this.app.inject({
      method,
      url,
      remoteAddress: '192.0.2.1',
      headers: {
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(payload !== undefined && { payload: JSON.stringify(payload) }),
    });
  }

  start(body: Body = {}, { access = 'id', token }: By = {}): Promise<LightMyRequestResponse> {
    return this.inject('POST', `/auth/test/test/${access}/start`, { challenge: CHALLENGE, ...body }, { token });
  }

  /** Where people go to sign in. */
  async began(body: Body = {}, by: By = {}): Promise<string> {
    const answer = await this.start(body, by);
    const { url } = answer.json() as { url?: string };
    if (url === undefined) throw new Error(`${answer.body} ${this.log.join(', ')}`);
    return url;
  }

  /** People come back: where they are sent to, or the status of a refusal. */
  async back(parameters: URLSearchParams | string, access = 'id'): Promise<URL | number> {
    const answer = await this.inject('GET', `/auth/test/test/${access}/callback?${parameters}`);
    return answer.statusCode === 303 ? new URL(String(answer.headers.location)) : answer.statusCode;
  }

  /** The code for the app, of a person who signs in at a provider. */
  async code(person: Body, { access = 'id', provider = this.id, token, body = {} }: By = {}): Promise<string> {
    const url = await this.began(body, { access, ...(token !== undefined && { token }) });
    const to = await this.back(provider.signIn(url, { ...person }), access);
    return to instanceof URL ? (to.searchParams.get('code') ?? `error=${to.searchParams.get('error')}`) : `${to}`;
  }

  redeem(body: Body, access = 'id'): Promise<LightMyRequestResponse> {
    return this.inject('POST', '/signin', { ...PLACE, AC: access, ...body });
  }

  /** All the way. */
  async signIn(person: Body, by: By = {}): Promise<SignedIn> {
    const code = await this.code(person, by);
    const answer = await this.redeem({ code, verifier: VERIFIER }, by.access);
    const { token } = answer.json() as { token?: string | { access: string } };
    if (token === undefined) throw new Error(`${code}: ${answer.body}`);
    return this.read(typeof token === 'string' ? token : token.access);
  }

  /** The same, as the code of an error. */
  async refusal(person: Body, by: By = {}): Promise<string> {
    const code = await this.code(person, by);
    if (code.startsWith('error=')) return code;
    const answer = await this.redeem({ code, verifier: VERIFIER }, by.access);
    return answer.statusCode === 200 ? 'signed in' : `${answer.statusCode} ${answer.json().information}`;
  }

  read(token: string): SignedIn {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return { token, claims, id: claims.ID };
  }

  /** Proves an address by a mailed code. */
  async byMail(email: string, token?: string): Promise<SignedIn> {
    this.pass(60_000);
    const body = { email, ...(token !== undefined && { link: true }) };
    const { request } = (await this.start(body, { access: 'mail', ...(token !== undefined && { token }) })).json();
    const code = (await this.mails()).filter(({ to, kind }) => to === email && kind === 'code').at(-1)?.code;
    const answer = await this.redeem({ request, code }, 'mail');
    if (answer.statusCode !== 200) throw new Error(answer.body);
    return this.read(answer.json().token);
  }

  /** The same, of a record that is made first unless it exists. */
  async byMailed(email: string, token?: string): Promise<SignedIn> {
    if (token === undefined) await this.value(`CREATE user:ann SET email = '${email}'`);
    return this.byMail(email, token);
  }

  async exported(token?: string): Promise<string> {
    if (token === undefined) {
      let text = '';
      for await (const part of this.owned.owner.export({})) text += part;
      return text;
    }
    const headers = { 'surreal-ns': 'test', 'surreal-db': 'test', accept: '*/*' };
    return (await this.inject('GET', '/export', undefined, { token, headers })).body;
  }

  /** Who got a notice of a change. */
  async notices(): Promise<readonly string[]> {
    return (await this.mails()).filter(({ kind }) => kind === 'notice').map(({ to }) => to);
  }

  async mails(): Promise<readonly WaitingMail[]> {
    return [...(await waitingMails(this.engine))].sort((a, b) => Number(a.created - b.created));
  }

  /** What the bearer of a token gets for a statement: the last result, or the text of an error. */
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

  /** The identities of a record. */
  async identities(id: string): Promise<readonly ObjectValue[]> {
    return (await this.value(`RETURN access::identities(${id})`)) as readonly ObjectValue[];
  }

  pass(milliseconds: number): void {
    this.owned.environment.advance(milliseconds);
  }
}

const PAGE = { html: '<title>{title}</title>{colors}<main>{content}</main>', files: { find: async () => undefined } };
