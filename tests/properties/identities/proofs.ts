/** What people have in their hands: mails, authenticators, apps, lists of codes; and what they show of it for a request. */
import { parseJson } from '../../../src/value/codecs/json-parse.js';
import { type Options, SoftAuthenticator, type SoftPasskey } from '../../support/authenticator.js';
import { TOTP_STEP, totpCode } from '../../support/authenticator-app.js';
import { type Begun, isProvider } from './known.js';
import { type Model, sure, type Verdict } from './model.js';
import type { Of } from './operations.js';
import { type AccessName, type Body, type Mailed, type Servers, type Started, VERIFIER } from './servers.js';

/** What a start has answered and mailed. */
interface Papers {
  readonly started: Started;
  readonly mailed?: Mailed | undefined;
}

/** What is shown for a request. */
export interface Shown {
  readonly access: AccessName;
  readonly body: Body;
  readonly isRight: Verdict;
  /** What it proves, if it is right. */
  readonly subject: string | undefined;
  /** Of an app: the step of its code. */
  readonly step?: number;
  /** The recovery code that it was. */
  readonly code?: string;
  readonly passkey?: SoftPasskey;
}

type Redeem = Of<'redeem'>;

export class Proofs {
  readonly #papers = new Map<Begun, Papers>();
  readonly #authenticator = new SoftAuthenticator('https://shop.example');
  /** All that were ever made, whether or not they still count. */
  readonly #passkeys: SoftPasskey[] = [];
  /** Codes that were right once. */
  readonly #usedCodes: string[] = [];

  constructor(
    readonly servers: Servers,
    readonly model: Model,
  ) {}

  keep(begun: Begun, papers: Papers): void {
    this.#papers.set(begun, papers);
  }

  of(begun: Begun): Papers | undefined {
    return this.#papers.get(begun);
  }

  /** What was right is of no use from now on, or is one more passkey. */
  used({ code, passkey }: Shown): void {
    if (code !== undefined) this.#usedCodes.push(code);
    if (passkey !== undefined && !this.#passkeys.includes(passkey)) this.#passkeys.push(passkey);
  }

  /** Absent if there is nothing to show. */
  async show(begun: Begun, redeem: Redeem): Promise<Shown | undefined> {
    const access = begun.purpose === 'second' ? this.#factor(begun, redeem) : begun.access;
    if (begun.isPage) return this.#page(begun, redeem);
    switch (access) {
      case 'mail':
        return this.#mail(begun, redeem);
      case 'passkey':
        return this.#passkey(begun, redeem);
      case 'totp':
        return this.#totp(begun, redeem);
      case 'recovery':
        return this.#recovery(begun, redeem);
      default:
        // No provider has proved it.
        return isProvider(access)
          ? { access, body: { code: begun.name, verifier: VERIFIER }, isRight: 'no', subject: undefined }
          : undefined;
    }
  }

  /** One that the person has, now and then another. */
  #factor({ person, secret }: Begun, { choice }: Redeem): AccessName {
    if (secret !== undefined) return 'totp';
    const has = person === undefined ? [] : this.model.factors(person);
    return [...has, 'totp' as const][choice % (has.length + 1)] as AccessName;
  }

  #page({ access, name, subject }: Begun, { proof }: Redeem): Shown {
    const isRight = proof === 'right';
    const verifier = isRight ? VERIFIER : 'w'.repeat(43);
    return { access, body: { code: name, verifier }, isRight: sure(isRight), subject };
  }

  #mail(begun: Begun, { proof }: Redeem): Shown {
    const right = this.#papers.get(begun)?.mailed?.code;
    const others = [...this.#papers.values()].flatMap(({ mailed }) => mailed?.code ?? []);
    const old = others.find((code) => code !== right);
    const code = (proof === 'right' ? right : proof === 'old' ? old : undefined) ?? '00000000';
    const isRight = sure(code === right);
    return { access: 'mail', body: { request: begun.name, code }, isRight, subject: begun.subject };
  }

  #totp(begun: Begun, { proof }: Redeem): Shown {
    const now = Math.floor(this.servers.now / TOTP_STEP);
    const identity = begun.person && this.model.identitiesOf(begun.person, 'totp')[0];
    const secret = begun.secret ?? identity?.secret;
    const used = begun.secret === undefined ? identity?.used : undefined;
    const step = proof === 'old' ? (used ?? now - 5) : now;
    const code = secret === undefined || proof === 'wrong' ? 'wrong!' : totpCode(secret, step);
    const isRight = secret !== undefined && proof !== 'wrong' && step >= now - 1 && (used === undefined || step > used);
    const shown = { access: 'totp', body: { request: begun.name, code }, subject: begun.person?.id } as const;
    return { ...shown, isRight: sure(isRight), step };
  }

  #recovery(begun: Begun, { proof, choice }: Redeem): Shown {
    const identity = begun.person && this.model.identitiesOf(begun.person, 'recovery')[0];
    const codes = begun.codes ?? [...(identity?.codes ?? [])];
    const right = codes[choice % Math.max(codes.length, 1)];
    const old = this.#usedCodes.findLast((each) => !codes.includes(each));
    const code = (proof === 'right' ? right : proof === 'old' ? old : undefined) ?? 'aaaa-aaaa-aaaa-aaaa';
    const shown = { access: 'recovery', body: { request: begun.name, code }, subject: begun.person?.id } as const;
    return { ...shown, isRight: sure(codes.includes(code)), code };
  }

  async #passkey(begun: Begun, { proof, choice, server }: Redeem): Promise<Shown | undefined> {
    const request = begun.name;
    const isMade = begun.purpose === 'link' || begun.purpose === 'signup';
    // What was asked of another is signed in its place.
    const lies = proof === 'right' ? {} : { challenge: Buffer.alloc(32).toString('base64url') };
    const shown = (passkey: SoftPasskey, credential: unknown, isRight: boolean): Shown => ({
      access: 'passkey',
      body: { request, credential: parseJson(JSON.stringify(credential)) },
      isRight: sure(isRight && proof === 'right'),
      subject: passkey.id,
      passkey,
    });
    if (isMade) {
      const { passkey, credential } = this.#authenticator.create(this.#optionsOf(begun), lies);
      return shown(passkey, credential, true);
    }
    const passkey = this.#passkeys.at(-1 - (choice % Math.max(this.#passkeys.length, 1)));
    const options = begun.purpose === 'second' ? await this.#asked(begun, server) : this.#optionsOf(begun);
    if (passkey === undefined || options === undefined) return undefined;
    const credential = this.#authenticator.get(passkey, options, lies);
    return shown(passkey, credential, this.model.owner('passkey', passkey.id) !== undefined);
  }

  #optionsOf(begun: Begun): Options {
    return this.#papers.get(begun)?.started.options as unknown as Options;
  }

  /** As the second proof of a sign-in: a passkey is asked for once the person wants to show one. */
  async #asked(begun: Begun, server: number): Promise<Options | undefined> {
    try {
      const { options } = await this.servers.start(server, 'passkey', { request: begun.name });
      return options as unknown as Options;
    } catch {
      // The request is over, or its person has none.
      return undefined;
    }
  }
}
