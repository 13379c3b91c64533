/**
 * Codes by mail against a model: four clients begin, redeem, link, and owners revoke, delete, make again and change
 * addresses, in any order and at any distance of time. The model says who gets in as which record, and what each record
 * has proved.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { type ObjectValue, objectFrom, type RecordId } from '../../src/value/value.js';
import { waitingMails } from '../support/mailbox.js';
import { type Owned, openOwned } from '../support/owned.js';

const CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url');
const PATH = { namespace: 'test', database: 'test' };
const ADDRESSES = ['a@x.example', 'b@x.example', 'c@x.example'];
const RECORDS = ['user:ann', 'user:bob'];
const TEN_MINUTES = 600_000;
/** Where the clock of the tests stands when it begins, in milliseconds since 1970. */
const STARTED = 1_800_000_000_000;
const AT_ONCE = { minimum: 0, step: 1, maximum: 1 };

/** SIGNUP makes records of other ids than those that are deleted and made again. */
const SCHEMA = `
  DEFINE CONFIG MAIL FROM 'shop@shop.example' SMTP 'smtps://mail.invalid';
  DEFINE CONFIG AUTH NOTIFY NONE;
  DEFINE TABLE user; DEFINE INDEX email ON user FIELDS email UNIQUE;
  DEFINE ACCESS mail ON DATABASE TYPE RECORD
    SIGNUP (CREATE type::record('user', rand::ulid()) SET email = $identity.email)
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE;
  CREATE user:ann SET email = '${ADDRESSES[0]}';
  CREATE user:bob SET email = '${ADDRESSES[1]}';
`;

type Operation =
  | { readonly kind: 'start' | 'link'; readonly client: number; readonly address: number }
  | { readonly kind: 'redeem'; readonly client: number; readonly request: number; readonly isRight: boolean }
  | { readonly kind: 'revoke'; readonly address: number }
  | { readonly kind: 'delete' | 'create'; readonly record: number }
  | { readonly kind: 'change'; readonly record: number; readonly address: number }
  | { readonly kind: 'kill'; readonly record: number }
  | { readonly kind: 'pass'; readonly milliseconds: number };

const client = fc.nat(3);
const address = fc.nat(ADDRESSES.length - 1);
const record = fc.nat(RECORDS.length - 1);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('start' as const), client, address }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('link' as const), client, address }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('redeem' as const),
      client,
      request: fc.nat(5),
      isRight: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), address }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'create' as const), record }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), record, address }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), record }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), milliseconds: fc.nat(TEN_MINUTES) }) },
);

/** What the model knows of a request. */
interface Begun {
  readonly name: string;
  /** As it was mailed; absent if nothing was. */
  readonly code: string | undefined;
  readonly address: string;
  readonly link: boolean;
  /** The record whose it was then, and its incarnation. */
  readonly of: { readonly id: string; readonly incarnation: number } | undefined;
  /** The session that began a link. */
  readonly session: Signed | undefined;
  readonly at: number;
  misses: number;
  over: boolean;
}

interface Proved {
  readonly id: string;
  readonly incarnation: number;
  /** Sessions that it signed in end with it. */
  readonly number: number;
}

/** A session of a client: its record, what it was signed in by, and when. */
interface Signed {
  readonly session: Session;
  readonly id: string;
  readonly incarnation: number;
  readonly proved: number;
  readonly at: number;
}

class Model {
  now = 0;
  readonly begun: Begun[] = [];
  /** By address. */
  readonly proved = new Map<string, Proved>();
  /** The fields `email` of the records that exist. */
  readonly emails = new Map<string, string>(RECORDS.map((id, at) => [id, ADDRESSES[at] as string]));
  readonly incarnations = new Map<string, number>(RECORDS.map((id) => [id, 0]));
  readonly killedAt = new Map<string, number>();
  readonly ended = new Set<number>();
  #drawn = 0;

  draw(): number {
    return ++this.#drawn;
  }

  owner(address: string): string | undefined {
    return this.proved.get(address)?.id;
  }

  provedBy(id: string): readonly string[] {
    return [...this.proved].filter(([, { id: of }]) => of === id).map(([address]) => address);
  }

  /** Whether a client may begin a link: its session is alive, and at most ten minutes old. */
  isRecent(signed: Signed): boolean {
    // `auth_time` has whole seconds.
    const proved = Math.floor((STARTED + signed.at) / 1_000) * 1_000;
    return this.isAlive(signed) && STARTED + this.now - proved <= TEN_MINUTES;
  }

  isAlive({ id, incarnation, proved, at }: Signed): boolean {
    const killed = this.killedAt.get(id) ?? -1;
    return this.emails.has(id) && this.incarnations.get(id) === incarnation && !this.ended.has(proved) && at > killed;
  }

  /** Whom a code for an address is mailed to: a record, a new one, or none. */
  recipient(address: string): string | 'new' | undefined {
    const owner = this.owner(address);
    if (owner !== undefined) return owner;
    const claimant = [...this.emails].find(([, email]) => email === address)?.[0];
    if (claimant === undefined) return 'new';
    return this.provedBy(claimant).length === 0 ? claimant : undefined;
  }

  forget(address: string): void {
    const proved = this.proved.get(address);
    if (proved !== undefined) this.ended.add(proved.number);
    this.proved.delete(address);
  }
}

/** Runs one operation against both. */
class Run {
  readonly #model = new Model();
  readonly #clients: (Signed | undefined)[] = [undefined, undefined, undefined, undefined];

  constructor(
    readonly owned: Owned,
    readonly engine: MemoryEngine,
  ) {}

  async do(operation: Operation): Promise<void> {
    // Whatever happens at the same time as KILL SESSIONS ends with it.
    this.#pass(1);
    switch (operation.kind) {
      case 'pass':
        return this.#pass(operation.milliseconds);
      case 'start':
        return this.#start(undefined, ADDRESSES[operation.address] as string);
      case 'link':
        return this.#start(this.#clients[operation.client], ADDRESSES[operation.address] as string, true);
      case 'redeem':
        return this.#redeem(operation.client, operation.request, operation.isRight);
      case 'revoke':
        return this.#revoke(ADDRESSES[operation.address] as string);
      case 'delete':
        return this.#delete(RECORDS[operation.record] as string);
      case 'create':
        return this.#create(RECORDS[operation.record] as string);
      case 'change':
        return this.#change(RECORDS[operation.record] as string, ADDRESSES[operation.address] as string);
      case 'kill':
        return this.#kill(RECORDS[operation.record] as string);
    }
  }

  /** What each record has proved is what the model says. */
  async check(): Promise<void> {
    for (const id of this.#model.emails.keys()) {
      const proved = await this.owned.value(`RETURN access::identities(${id}).map(|$each| $each.subject)`);
      expect(proved, id).toEqual(this.#model.provedBy(id));
    }
  }

  #pass(milliseconds: number): void {
    this.owned.environment.advance(milliseconds);
    this.#model.now += milliseconds;
  }

  async #start(signed: Signed | undefined, address: string, link = false): Promise<void> {
    const model = this.#model;
    if (link && signed === undefined) return;
    const session = signed?.session ?? this.owned.database.session({});
    const body = objectFrom({ challenge: CHALLENGE, email: address, link });
    const starting = session.startSignIn({ databasePath: PATH, access: 'mail', body });
    if (link && signed !== undefined && !model.isRecent(signed)) {
      await expect(starting).rejects.toMatchObject({ kind: 'NotAllowed' });
      if (!model.isAlive(signed)) this.#clients[this.#clients.indexOf(signed)] = undefined;
      return;
    }
    const { request: name } = await starting;
    for (const older of model.begun) if (older.address === address && older.link === link) older.over = true;
    const recipient = link ? undefined : model.recipient(address);
    const owner = model.owner(address);
    const isMailed = link ? owner === undefined || owner === signed?.id : recipient !== undefined;
    const id = link ? signed?.id : recipient === 'new' ? undefined : (recipient ?? claimantOf(model, address));
    const of = id === undefined ? undefined : { id, incarnation: model.incarnations.get(id) ?? 0 };
    const code = await this.#mailed(address);
    expect(code !== undefined, `a mail to ${address}`).toBe(isMailed);
    model.begun.push({ name, code, address, link, of, session: signed, at: model.now, misses: 0, over: false });
  }

  #lastMails = new Set<string>();

  /** The code of the mail that was queued since the last time. */
  async #mailed(address: string): Promise<string | undefined> {
    const mails = await waitingMails(this.engine);
    const mail = mails.find(({ id, to }) => to === address && !this.#lastMails.has(id));
    for (const { id } of mails) this.#lastMails.add(id);
    return mail?.code;
  }

  async #redeem(client: number, at: number, isRight: boolean): Promise<void> {
    const model = this.#model;
    const begun = model.begun.at(-1 - at);
    if (begun === undefined) return;
    const session = this.owned.database.session({});
    const code = isRight ? (begun.code ?? '00000000') : '00000000';
    const signingIn = session.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'mail', request: begun.name, code }));
    const entering = this.#outcome(begun, isRight);
    if (entering === undefined) {
      await expect(signingIn).rejects.toMatchObject({ name: 'TesseraError' });
      return;
    }
    await signingIn;
    const id = toText(session.identity.auth as RecordId);
    if (entering.id === 'new') {
      model.emails.set(id, begun.address);
      model.incarnations.set(id, 0);
    } else expect(id).toBe(entering.id);
    if (begun.link) for (const former of model.provedBy(id)) if (former !== begun.address) model.forget(former);
    const incarnation = model.incarnations.get(id) as number;
    const number = model.proved.get(begun.address)?.number ?? model.draw();
    model.proved.set(begun.address, { id, incarnation, number });
    const { auth_time } = session.identity.token as ObjectValue;
    const provedAt = begun.link ? (begun.session as Signed).at : model.now;
    expect(auth_time).toBe(Math.floor((STARTED + provedAt) / 1_000));
    this.#clients[client] = { session, id, incarnation, proved: number, at: provedAt };
  }

  /** Who gets in by a request, if anyone does; it is over then, or one try is counted. */
  #outcome(begun: Begun, isRight: boolean): { readonly id: string } | undefined {
    const model = this.#model;
    if (begun.over || begun.misses >= 5 || model.now - begun.at >= TEN_MINUTES) return undefined;
    if (!isRight || begun.code === undefined) {
      begun.misses++;
      return undefined;
    }
    begun.over = true;
    const { address, of, link, session } = begun;
    const owner = model.owner(address);
    const id = of?.id ?? owner;
    if (id === undefined) return [...model.emails.values()].includes(address) ? undefined : { id: 'new' };
    if (owner !== undefined && owner !== id) return undefined;
    if (!model.emails.has(id)) return undefined;
    if (of !== undefined && model.incarnations.get(id) !== of.incarnation) return undefined;
    if (begun.at <= (model.killedAt.get(id) ?? -1)) return undefined;
    if (session !== undefined && model.ended.has(session.proved)) return undefined;
    if (!link && model.provedBy(id).some((proved) => proved !== address)) return undefined;
    return { id };
  }

  async #revoke(address: string): Promise<void> {
    await this.owned.value(`ACCESS mail REVOKE WHERE identity = '${address}'`);
    this.#model.forget(address);
  }

  async #delete(id: string): Promise<void> {
    await this.owned.value(`DELETE ${id}`);
    for (const address of this.#model.provedBy(id)) this.#model.proved.delete(address);
    this.#model.emails.delete(id);
  }

  async #create(id: string): Promise<void> {
    const model = this.#model;
    if (model.emails.has(id)) return;
    const email = `${model.draw()}@elsewhere.example`;
    await this.owned.value(`CREATE ${id} SET email = '${email}'`);
    model.emails.set(id, email);
    model.incarnations.set(id, (model.incarnations.get(id) ?? 0) + 1);
  }

  async #change(id: string, address: string): Promise<void> {
    const model = this.#model;
    if (!model.emails.has(id)) return;
    const isFree = ![...model.emails].some(([other, email]) => other !== id && email === address);
    const changing = this.owned.value(`UPDATE ${id} SET email = '${address}'`);
    if (!isFree) return expect(changing).rejects.toMatchObject({ code: 'index_violation' });
    await changing;
    model.emails.set(id, address);
  }

  async #kill(id: string): Promise<void> {
    await this.owned.value(`KILL SESSIONS FOR RECORD ${id}`);
    this.#model.killedAt.set(id, this.#model.now);
  }
}

function claimantOf(model: Model, address: string): string | undefined {
  return [...model.emails].find(([, email]) => email === address)?.[0];
}

describe('Sign-in requests', () => {
  test('let in whom the model lets in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60, size: 'max' }), async (operations) => {
        const engine = new MemoryEngine();
        const authentication = { failureDelay: AT_ONCE, startDelay: AT_ONCE };
        const owned = await openOwned({ engine, authentication });
        await owned.value(SCHEMA);
        const run = new Run(owned, engine);
        for (const each of operations) await run.do(each);
        await run.check();
        await owned.database.close();
      }),
      { numRuns: 80 },
    );
  }, 120_000);
});
