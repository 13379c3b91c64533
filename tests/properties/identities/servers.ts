/**
 * Servers of one store, each with a clock of its own, and what their clients reach them by: any step of a sign-in at any
 * of them. No time passes but by `pass`, so that what a server says of time is known to the millisecond.
 */
import { createHash } from 'node:crypto';
import { realEnvironment } from '../../../src/env/real.js';
import { TesseraError } from '../../../src/errors/error.js';
import { type NetworkTarget, readTarget } from '../../../src/functions/network/targets.js';
import type { IssuedTokens, Onward, Session } from '../../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../../src/session/database/database.js';
import type { Engine } from '../../../src/storage/contract.js';
import { type ObjectValue, objectFrom, type Value } from '../../../src/value/value.js';
import { CLIENT, providersNetwork, StubProvider } from '../../support/identity-provider.js';
import { appUrl, waitingMails } from '../../support/mailbox.js';
import { run } from '../../support/world.js';

/** Of all clients. */
export const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const REDIRECT = 'https://shop.example/in';
const AT_ONCE = { minimum: 0, step: 1, maximum: 1 };
/** No attempt is delayed: a model has no wrong passwords. */
const RULE = { free: Number.MAX_SAFE_INTEGER, longestDelay: 0, forgiveAfter: 1 };
const NO_DELAYS = { pair: RULE, account: RULE, part: RULE, source: RULE, longestWait: 60_000 };
/** Milliseconds since 1970 where the clocks begin. */
const STARTED = 1_800_000_000_000;

/** Where people have accounts besides, with the access methods of the same names. */
export const PROVIDERS = { id: 'id.example', corp: 'corp.example' } as const;
export type Provider = keyof typeof PROVIDERS;

const oidc = (provider: Provider) =>
  `WITH OIDC ISSUER 'https://${PROVIDERS[provider]}' CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}'`;

/** Records that SIGNUP makes have other ids than those that are deleted and made again. */
const NEW = "type::record('user', rand::ulid())";

/** The clauses of each access method. */
export const ACCESS = {
  password: `SIGNUP (CREATE type::record('user', $name)) SIGNIN (SELECT * FROM type::record('user', $name))
    WITH REFRESH`,
  strict: `SIGNIN (SELECT * FROM type::record('user', $name)) WITH REFRESH SECOND FACTOR ALWAYS`,
  mail: `SIGNUP (CREATE ${NEW} SET email = $identity.email) SIGNIN (SELECT * FROM user WHERE email = $email)
    WITH MAIL CODE, LINK`,
  id: `SIGNUP (CREATE ${NEW} SET email = $identity.email) ${oidc('id')}`,
  corp: `${oidc('corp')} LINK VERIFIED EMAIL WITH REFRESH`,
  passkey: `SIGNUP (CREATE ${NEW}) WITH PASSKEY DOMAIN 'shop.example' ORIGIN 'https://shop.example'`,
  totp: 'WITH TOTP',
  recovery: 'WITH RECOVERY CODES 3',
} as const;
export type AccessName = keyof typeof ACCESS;

/** Defines an access method, or defines it again, with another key. */
export const defineAccess = (name: AccessName) =>
  `DEFINE ACCESS OVERWRITE ${name} ON DATABASE TYPE RECORD ${ACCESS[name]};`;

const SCHEMA = `
  DEFINE CONFIG MAIL FROM 'shop@shop.example' SMTP 'smtps://mail.invalid';
  DEFINE CONFIG AUTH NOTIFY NONE REDIRECT '${REDIRECT}';
  DEFINE TABLE user; DEFINE FIELD pass ON user TYPE option<string> CREDENTIAL;
  DEFINE INDEX email ON user FIELDS email UNIQUE;
  ${(Object.keys(ACCESS) as AccessName[]).map(defineAccess).join('\n')}`;

export type Body = Readonly<Record<string, Value>>;

/** What a start has answered. */
export interface Started {
  readonly request: string;
  readonly url?: string;
  readonly options?: ObjectValue | undefined;
  readonly shown?: Readonly<Record<string, string | readonly string[]>> | undefined;
}

/** What came by mail. */
export interface Mailed {
  readonly code: string;
  readonly link: string;
}

export interface ServersOptions {
  /** Opens the engine of one more server. */
  readonly engine: () => Promise<Engine>;
  /** By how many milliseconds the clock of each is ahead of those of people and providers. */
  readonly ahead: readonly number[];
}

let providers: Promise<Readonly<Record<Provider, StubProvider>>> | undefined;

/** Their keys take long to draw. */
function stubProviders(): Promise<Readonly<Record<Provider, StubProvider>>> {
  providers ??= Promise.all([
    StubProvider.at(PROVIDERS.id, '93.184.216.34'),
    StubProvider.at(PROVIDERS.corp, '93.184.216.35'),
  ]).then(([id, corp]) => ({ id, corp }));
  return providers;
}

export class Servers {
  /** Milliseconds since 1970, by the clocks of people. */
  now = STARTED;
  readonly #nodes: { readonly engine: Engine; readonly database: OpenDatabase }[] = [];
  readonly #seen = new Set<string>();
  #databases = 0;

  private constructor(
    readonly options: ServersOptions,
    readonly providers: Readonly<Record<Provider, StubProvider>>,
  ) {}

  static async open(options: ServersOptions): Promise<Servers> {
    const servers = new Servers(options, await stubProviders());
    for (const at of options.ahead.keys()) await servers.#join(at);
    return servers;
  }

  async close(): Promise<void> {
    for (const { database } of this.#nodes) await database.close();
  }

  get count(): number {
    return this.#nodes.length;
  }

  /** By how much clocks differ at most, in milliseconds. */
  get spread(): number {
    return Math.max(...this.options.ahead) - Math.min(...this.options.ahead);
  }

  /** The clock of a server, in milliseconds since 1970. */
  clock(at: number): number {
    return this.now + (this.options.ahead[at % this.count] as number);
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
  }

  /** A server ends, and another takes its place: it remembers nothing but what is in the store. */
  async replace(at: number): Promise<void> {
    const { engine, database } = this.#node(at);
    // A store in memory goes with its engine.
    if (engine.shared === undefined) return;
    await database.close();
    await this.#join(at % this.count);
  }

  async #join(at: number): Promise<void> {
    const engine = await this.options.engine();
    for (const provider of Object.values(this.providers)) provider.now = () => Math.floor(this.now / 1_000);
    const now = () => BigInt(this.now + (this.options.ahead[at] as number)) * 1_000_000n;
    const environment = {
      ...realEnvironment,
      clock: { ...realEnvironment.clock, now },
      network: providersNetwork(...Object.values(this.providers)),
    };
    const database = await openDatabase(engine, {
      environment,
      network: { allow: Object.values(PROVIDERS).map((host) => readTarget(host) as NetworkTarget) },
      authentication: {
        failureDelay: AT_ONCE,
        startDelay: AT_ONCE,
        publicUrls: ['https://db.example'],
        throttle: NO_DELAYS,
        // For clocks that differ by more than ten seconds.
        tokens: { tolerance: 60_000 },
      },
    });
    this.#nodes[at] = { engine, database };
  }

  #node(at: number) {
    return this.#nodes[at % this.count] as { readonly engine: Engine; readonly database: OpenDatabase };
  }

  get #place() {
    return { namespace: 'test', database: `run${this.#databases}` };
  }

  /** Begins again in another database, with the schema and these statements. */
  async reset(text: string): Promise<void> {
    if (this.#databases > 0) await this.owned(0, `REMOVE DATABASE ${this.#place.database}`);
    this.#databases++;
    await this.owned(0, `${SCHEMA} ${text}`);
  }

  /** What the owner gets for statements: the last result. */
  async owned(at: number, text: string): Promise<Value> {
    const owner = this.#node(at).database.ownerSession();
    try {
      await owner.use(this.#place.namespace, this.#place.database);
      return (await run(owner, text)).at(-1);
    } finally {
      owner.close();
    }
  }

  /** A session by a token; of a guest without one. */
  async session(at: number, token?: string): Promise<Session> {
    const session = this.#node(at).database.session({});
    if (token !== undefined) await session.authenticate(token);
    return session;
  }

  async start(at: number, access: AccessName, body: Body, token?: string): Promise<Started> {
    const session = await this.session(at, token);
    const target = { databasePath: this.#place, access, body: objectFrom({ challenge: CHALLENGE, ...body }) };
    return session.startSignIn(target);
  }

  /** The mail that has come to an address since the last time. */
  async mailed(address: string): Promise<Mailed | undefined> {
    const mails = await waitingMails(this.#node(0).engine);
    const mail = mails.find(({ id, to }) => to === address && !this.#seen.has(id));
    for (const { id } of mails) this.#seen.add(id);
    return mail && { code: mail.code ?? '', link: mail.link?.split('#')[1]?.split('.')[0] ?? '' };
  }

  /** The code to which a mailed link leads. */
  async confirm(at: number, link: string): Promise<string> {
    return codeIn(await this.#node(at).database.confirmLink(this.#place, 'mail', link));
  }

  /** What a provider sends back with a person who has signed in there. */
  atProvider(provider: Provider, url: string, person: Readonly<Record<string, unknown>>): URLSearchParams {
    return this.providers[provider].signIn(url, { ...person });
  }

  /** The code to which that leads. */
  async callback(at: number, access: Provider, parameters: URLSearchParams): Promise<string> {
    return codeIn(await this.#node(at).database.returnFromProvider(this.#place, access, parameters));
  }

  signIn(at: number, access: AccessName, body: Body): Promise<Entered> {
    return orDue(this.#entered(at, (session) => session.signIn(this.#body(access, body))));
  }

  signUp(at: number, access: AccessName, body: Body): Promise<Entered> {
    return orDue(this.#entered(at, (session) => session.signUp(this.#body(access, body))));
  }

  refresh(at: number, pair: Required<IssuedTokens>): Promise<SignedIn> {
    return this.#entered(at, (session) => session.refresh(pair));
  }

  #body(access: AccessName, body: Body): ObjectValue {
    const { namespace, database } = this.#place;
    return objectFrom({ NS: namespace, DB: database, AC: access, ...body });
  }

  async #entered(at: number, work: (session: Session) => Promise<IssuedTokens>): Promise<SignedIn> {
    const session = this.#node(at).database.session({});
    return { tokens: await work(session), claims: session.identity.token as ObjectValue };
  }
}

export interface SignedIn {
  readonly tokens: IssuedTokens;
  /** `$token`. */
  readonly claims: ObjectValue;
}

/** A second factor that is due, and where it may be given. */
export interface Due {
  readonly request: string;
  readonly access: readonly string[];
  /** Where the first factor may be got. */
  readonly enrol?: readonly string[];
}

export type Entered = SignedIn | { readonly due: Due };

async function orDue(entering: Promise<SignedIn>): Promise<Entered> {
  try {
    return await entering;
  } catch (error) {
    if (!(error instanceof TesseraError) || error.code !== 'second_factor_required') throw error;
    const { details } = (error.details as unknown as { details: { details: Due } }).details;
    return { due: details };
  }
}

function codeIn(onward: Onward): string {
  const url = appUrl(onward);
  const code = url.searchParams.get('code');
  if (code === null) throw new Error(`no code in ${url}`);
  return code;
}
