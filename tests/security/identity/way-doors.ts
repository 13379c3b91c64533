/** Every way in behind every transport: what people show to get in by each of them, all of them as `user:ann`. */
import { readTarget } from '../../../src/functions/network/targets.js';
import type { DatabaseOptions } from '../../../src/session/database/options.js';
import { type Options, SoftAuthenticator, type SoftPasskey } from '../../support/authenticator.js';
import { CLIENT, providersNetwork, StubProvider } from '../../support/identity-provider.js';
import { FactorDoors, PASSWORD } from './factor-doors.js';
import { type Answer, type From, type MailDoors, REDIRECT, type Transport, VERIFIER } from './mail-doors.js';

const ORIGIN = 'https://shop.example';
const ANN = { email: 'ann@example.com' };

/** Definitions that are made again elsewhere, or later. */
export const DEFINED = {
  provider: `DEFINE ACCESS provider ON DATABASE TYPE RECORD
    WITH OIDC ISSUER 'https://id.example' CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}' WITH REFRESH`,
  passkey: `DEFINE ACCESS passkey ON DATABASE TYPE RECORD
    WITH PASSKEY DOMAIN 'shop.example' ORIGIN '${ORIGIN}' WITH REFRESH`,
};

/** What a client shows to get in, and at which access method. */
export interface Shown {
  readonly access: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export class WayDoors {
  readonly #authenticator = new SoftAuthenticator(ORIGIN);
  #passkey!: SoftPasskey;
  /** Of her app, once a second factor is owed. */
  #secret = '';
  #recovery: readonly string[] = [];
  #sources = 0;

  private constructor(
    readonly factors: FactorDoors,
    readonly provider: StubProvider,
  ) {}

  static async open(database: DatabaseOptions = {}): Promise<WayDoors> {
    const provider = await StubProvider.at('id.example', '93.184.216.34');
    const factors = await FactorDoors.open({
      internet: providersNetwork(provider),
      network: { allow: [readTarget('id.example') as never] },
      ...database,
    });
    provider.now = () => factors.doors.owned.environment.seconds;
    const world = new WayDoors(factors, provider);
    await factors.doors.value(`${DEFINED.provider}; ${DEFINED.passkey};
      ACCESS provider LINK RECORD user:ann SUBJECT 'ann-1'`);
    const { token } = await factors.password();
    const { request, options } = await world.started({ link: true }, { access: 'passkey', token });
    const { passkey, credential } = world.#authenticator.create(options);
    world.#passkey = passkey;
    await world.signedIn({ access: 'passkey', variables: { request, credential } });
    return world;
  }

  get doors(): MailDoors {
    return this.factors.doors;
  }

  close(): Promise<void> {
    return this.factors.close();
  }

  /** From here on a password, a mail or a provider alone is not enough. */
  async owe(): Promise<void> {
    const { token } = await this.signedIn(await FIRST_PROOFS['a passkey'](this));
    const { secret, token: whole } = await this.factors.enrolled(ANN.email, token ?? '');
    this.#secret = secret;
    this.#recovery = await this.factors.recovery(whole);
  }

  /** A source that has nothing open, at a time of its own: the youngest mail is the one that is read. */
  source(): From {
    this.doors.pass(1_000);
    return { ip: `198.51.${++this.#sources >> 8}.${this.#sources & 255}` };
  }

  async started(body: object, from: From): Promise<{ request: string; url: string; options: Options }> {
    const answer = await this.doors.start({ ...body }, { ...this.source(), ...from });
    if (answer.statusCode !== 200) throw new Error(answer.body);
    return answer.json();
  }

  signIn({ access, variables }: Shown, transport?: Transport): Promise<Answer> {
    return this.doors.signIn(variables, { ...this.source(), access }, transport);
  }

  async signedIn(shown: Shown): Promise<Answer> {
    const answer = await this.signIn(shown);
    if (answer.token === undefined) throw new Error(answer.text);
    return answer;
  }

  /** Ann signs in at the provider: what comes back with her. */
  async away(body: object = {}, from: From = {}): Promise<URLSearchParams> {
    const { url } = await this.started(body, { ...from, access: 'provider' });
    return this.provider.signIn(url, { sub: 'ann-1' });
  }

  /** The code with which she is sent on to the app; an empty text if she isn't. */
  async back(parameters: URLSearchParams): Promise<string> {
    const { headers } = await this.doors.app.inject({ url: `/auth/test/test/provider/callback?${parameters}` });
    return (headers.location && new URL(headers.location).searchParams.get('code')) || '';
  }

  /** What her passkey signs for a request. */
  signedFor(options: Options) {
    return this.#authenticator.get(this.#passkey, options);
  }

  /** What no one is shown: the secret of her app, and her recovery codes. */
  get secrets(): readonly string[] {
    return [this.#secret, ...this.#recovery];
  }

  /** The next code of her app. */
  appCode(): Promise<string> {
    return this.factors.nextCode(this.#secret);
  }

  recoveryCode(): string {
    const [code = '', ...others] = this.#recovery;
    this.#recovery = others;
    return code;
  }
}

/** What is good once, and one of two proofs. */
const GOOD_ONCE = {
  'the code of a mail': async (world: WayDoors): Promise<Shown> => {
    const { request, code } = await world.doors.begun(ANN, world.source());
    return { access: 'mail', variables: { request, code } };
  },
  'the code behind a mailed link': async (world: WayDoors): Promise<Shown> => {
    const { link } = await world.doors.begun({ ...ANN, redirect: REDIRECT }, world.source());
    return { access: 'mail', variables: { code: await world.doors.codeOf(link), verifier: VERIFIER } };
  },
  'an invitation': async (world: WayDoors): Promise<Shown> => {
    world.source();
    await world.doors.value('ACCESS mail GRANT FOR RECORD user:ann');
    const link = (await world.doors.lastMail())?.link?.split('#')[1] ?? '';
    return { access: 'mail', variables: { code: await world.doors.codeOf(link) } };
  },
  'the code of a provider': async (world: WayDoors): Promise<Shown> => {
    const code = await world.back(await world.away());
    return { access: 'provider', variables: { code, verifier: VERIFIER } };
  },
};

/** By what people get in, each of which is good once. A passkey is worth two proofs. */
export const FIRST_PROOFS = {
  ...GOOD_ONCE,
  'a passkey': async (world: WayDoors): Promise<Shown> => {
    const { request, options } = await world.started({}, { access: 'passkey' });
    return { access: 'passkey', variables: { request, credential: world.signedFor(options) } };
  },
};

type FirstProof = keyof typeof FIRST_PROOFS;
export const ALL_FIRST = Object.keys(FIRST_PROOFS) as readonly FirstProof[];

/** One of two proofs. */
export const HALF_PROOFS = {
  ...GOOD_ONCE,
  'a password': async (): Promise<Shown> => ({ access: 'password', variables: { ...ANN, password: PASSWORD } }),
};

type HalfProof = keyof typeof HALF_PROOFS;
export const ALL_HALVES = Object.keys(HALF_PROOFS) as readonly HalfProof[];

/** By what a request that owes a second proof is completed. */
export const SECOND_PROOFS = {
  'a code of an app': async (world: WayDoors, request: string): Promise<Shown> => {
    return { access: 'totp', variables: { request, code: await world.appCode() } };
  },
  'a recovery code': async (world: WayDoors, request: string): Promise<Shown> => {
    return { access: 'recovery', variables: { request, code: world.recoveryCode() } };
  },
  'a passkey': async (world: WayDoors, request: string): Promise<Shown> => {
    const { options } = await world.started({ request }, { access: 'passkey' });
    return { access: 'passkey', variables: { request, credential: world.signedFor(options) } };
  },
};

type SecondProof = keyof typeof SECOND_PROOFS;
export const ALL_SECOND = Object.keys(SECOND_PROOFS) as readonly SecondProof[];
