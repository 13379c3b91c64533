/** People sign in by all ways: each step at any server, by several clients at once, and compared with the model. */
import { expect } from 'vitest';
import { toText } from '../../../src/value/text/text.js';
import { type Begun, type Identity, isProvider, isWayIn, type Person, type Session } from './known.js';
import { all, LIFETIMES, type Model, type Redemption, sure } from './model.js';
import type { Of } from './operations.js';
import { agreed, atOnce } from './outcomes.js';
import type { Proofs, Shown } from './proofs.js';
import { type AccessName, type Entered, PROVIDERS, type Provider, type Servers, type SignedIn } from './servers.js';

export const ADDRESSES = ['a@x.example', 'b@x.example', 'c@x.example'];

/** What is known of a session before a server has answered. */
type Expected = Omit<Session, 'at' | 'issuedAt' | 'isSignedOut' | 'usedAt' | 'successor' | 'tokens'>;

export class SignIns {
  readonly #servers: Servers;
  readonly #model: Model;
  readonly #proofs: Proofs;

  constructor(servers: Servers, model: Model, proofs: Proofs) {
    this.#servers = servers;
    this.#model = model;
    this.#proofs = proofs;
  }

  async byClause(operation: Of<'password'> | Of<'signUp'>): Promise<void> {
    const model = this.#model;
    const { kind, person: at, server } = operation;
    const access = operation.kind === 'signUp' ? 'password' : operation.access;
    const id = model.idAt(at);
    const known = model.people.get(id);
    const definition = model.definitions.get(access);
    const mayEnter = definition !== undefined && (kind === 'signUp' ? known === undefined : known !== undefined);
    const outcomes = await atOnce(this.#servers, 1, server, (each) =>
      this.#servers[kind === 'signUp' ? 'signUp' : 'signIn'](each, access, { name: keyOf(id) }),
    );
    const entered = agreed(sure(mayEnter), outcomes)?.value;
    if (entered === undefined || definition === undefined) return;
    const person = known ?? model.add(id, undefined);
    const authAt = this.#servers.clock(server);
    const expected = { person, definition, amr: ['pwd'], authAt, idp: undefined, identity: undefined };
    this.#enter(entered, { ...expected, family: model.newFamily(definition) }, true);
  }

  /** An app, for a second factor that is due and that the record doesn't have. */
  async enrol({ begun: at, isDull, server }: Of<'enrol'>): Promise<void> {
    const model = this.#model;
    const due = model.begun.filter((each) => each.purpose === 'second' && (model.isOpen(each) === 'no') === isDull);
    const begun = due.at(-1 - at);
    if (begun === undefined || begun.isLost) return;
    const admitted = all(model.isOpen(begun), sure(begun.mayEnrol && model.definitions.has('totp')));
    const outcomes = await atOnce(this.#servers, 1, server, (each) =>
      this.#servers.start(each, 'totp', { request: begun.name }),
    );
    const started = agreed(admitted, outcomes)?.value;
    if (started !== undefined) begun.secret = started.shown?.['secret'] as string;
  }

  async start({ access: drawn, purpose: asked, session: at, subject, isDull, server }: Of<'start'>): Promise<void> {
    const model = this.#model;
    const isOwn = asked === 'link' || asked === 'step';
    const session = isOwn
      ? model.sessions.filter((each) => isDull || model.isGood(each) !== 'no').at(-1 - at)
      : undefined;
    if (isOwn && session === undefined) return;
    const proved = session === undefined ? [] : model.identitiesOf(session.person);
    const access = asked === 'step' && !isDull ? (proved.at(-1 - subject)?.access ?? drawn) : drawn;
    const purpose = asked === 'sign-in' && access === 'passkey' && subject === 2 ? 'signup' : asked;
    const address = access !== 'mail' || purpose === 'step' ? undefined : (ADDRESSES[subject] as string);
    const mayBegin = session !== undefined ? model.mayBegin(session, access, purpose) : sure(isWayIn(access));
    const outcomes = await atOnce(this.#servers, 1, server, (each) =>
      this.#servers.start(
        each,
        access,
        { ...(address !== undefined && { email: address }), ...(purpose !== 'sign-in' && { [purpose]: true }) },
        session?.tokens.access,
      ),
    );
    const started = agreed(all(sure(model.definitions.has(access)), mayBegin), outcomes)?.value;
    if (started === undefined) return;
    const { codes, secret } = started.shown ?? {};
    const person = session?.person ?? (address === undefined ? undefined : this.#recipient(address));
    const begun: Begun = {
      access,
      purpose,
      name: started.request,
      at: this.#servers.now,
      since: this.#servers.now,
      lifetime: access === 'passkey' ? LIFETIMES.passkey : LIFETIMES.request,
      subject: access === 'mail' ? (address ?? proved.find((each) => each.access === 'mail')?.subject) : undefined,
      address,
      idp: undefined,
      person,
      session,
      mayEnrol: false,
      secret: secret as string | undefined,
      codes: codes as readonly string[] | undefined,
      isPage: false,
      tries: 0,
      isOver: false,
      isLost: false,
    };
    const isSame = (older: Begun) =>
      older.access === access &&
      older.purpose === purpose &&
      !older.isPage &&
      (access === 'mail' ? older.subject === begun.subject : !isWayIn(access) && older.person?.id === person?.id);
    model.replaceBegun(isSame);
    const mailed = access === 'mail' ? await this.#servers.mailed(begun.subject as string) : undefined;
    if (access === 'mail') expect(mailed !== undefined, `a mail to ${begun.subject}`).toBe(this.#isMailed(begun));
    this.#proofs.keep(begun, { started, mailed });
    model.begun.push(begun);
  }

  #recipient(address: string): Person | undefined {
    const recipient = this.#model.recipient(address);
    return recipient === 'new' ? undefined : recipient;
  }

  #isMailed({ purpose, subject = '', person }: Begun): boolean {
    if (purpose === 'sign-in') return this.#model.recipient(subject) !== undefined;
    // An address of another record can't be linked; only its owner could notice.
    const owner = this.#model.owner('mail', subject)?.person;
    return owner === undefined || owner === person;
  }

  /** A mailed link is opened, or a person comes back from a provider. */
  async lead({ begun: at, copies, subject, isVouched, isDull, server }: Of<'lead'>): Promise<void> {
    const model = this.#model;
    const ways = model.begun.filter(({ access, purpose, isPage }) => {
      return (access === 'mail' || isProvider(access)) && purpose !== 'second' && !isPage;
    });
    const begun = ways.filter((each) => (model.isOpen(each) === 'no') === isDull).at(-1 - at);
    const papers = begun && this.#proofs.of(begun);
    if (begun === undefined || papers === undefined || begun.isLost) return;
    const { access } = begun;
    const isMail = access === 'mail';
    const provider = access as Provider;
    if (isMail && papers.mailed === undefined) return;
    const email = ADDRESSES[subject] as string;
    const sub = `person-${subject}`;
    const person = { sub, email, email_verified: isVouched, name: 'Somebody' };
    const back = isMail ? undefined : this.#servers.atProvider(provider, papers.started.url as string, person);
    const admitted = all(model.isOpen(begun), sure(isMail || model.definitions.has(access)));
    const outcomes = await atOnce(this.#servers, copies, server, (each) =>
      back === undefined
        ? this.#servers.confirm(each, papers.mailed?.link as string)
        : this.#servers.callback(each, provider, back),
    );
    const code = agreed(admitted, outcomes)?.value;
    if (!isMail || code !== undefined) begun.isOver = true;
    if (code === undefined) {
      begun.isLost = admitted === 'either';
      return;
    }
    const proved = isMail
      ? {}
      : {
          subject: JSON.stringify([`https://${PROVIDERS[provider]}`, sub]),
          address: isVouched ? email : undefined,
          idp: sub,
        };
    const page = { ...begun, ...proved, name: code, since: this.#servers.now, lifetime: LIFETIMES.page };
    model.begun.push({ ...page, isPage: true, tries: 0, isOver: false });
  }

  async redeem(redeem: Of<'redeem'>): Promise<void> {
    const model = this.#model;
    const isReady = ({ access, purpose, isPage }: Begun) => isPage || purpose === 'second' || !isProvider(access);
    const ready = model.begun.filter((each) => (isReady(each) && model.isOpen(each) !== 'no') !== redeem.isDull);
    const begun = ready.at(-1 - redeem.begun);
    if (begun === undefined || begun.isLost) return;
    const shown = await this.#proofs.show(begun, redeem);
    if (shown === undefined) return;
    const { access, isRight, subject } = shown;
    if (isRight === 'no' && model.isDoubtful(begun, access)) return;
    const redemption = model.redemption(begun, access, isRight, subject);
    const copies = redemption.onRefusal === 'miss' ? 1 : redeem.copies;
    const outcomes = await atOnce(this.#servers, copies, redeem.server, (each) =>
      this.#servers.signIn(each, access, shown.body),
    );
    const outcome = agreed(redemption.admitted, outcomes);
    if (outcome === undefined) this.#refused(begun, access, redemption);
    else this.#redeemed(begun, shown, redemption, outcome.value, outcome.server);
  }

  #refused(begun: Begun, access: AccessName, { admitted, onRefusal }: Redemption): void {
    if (admitted === 'either') begun.isLost = true;
    else if (onRefusal === 'spent') begun.isOver = true;
    else if (onRefusal === 'miss') {
      begun.tries++;
      const counted = this.#model.countedFor(begun, access);
      if (counted !== undefined) this.#model.miss(counted);
    }
  }

  #redeemed(begun: Begun, shown: Shown, { person: known }: Redemption, entered: Entered, server: number): void {
    const model = this.#model;
    const { access } = shown;
    begun.isOver = true;
    // A recovery code that confirms the list stays good.
    if (begun.codes === undefined) this.#proofs.used(shown);
    const counted = model.countedFor(begun, access);
    if (counted !== undefined) Object.assign(counted, { wrong: 0, lockedUntil: 0 });
    const person = known ?? model.add(idIn(entered), begun.address);
    const identity = this.#tie(begun, shown, person);
    const { name, ...after } = model.sessionAfter(begun, access, identity, this.#servers.clock(server));
    const definition = model.definitions.get(name);
    if (definition === undefined) throw new Error(`${name} issues tokens, and is not there`);
    const isWhole = begun.purpose === 'second' || begun.purpose === 'link' || !isWayIn(access);
    this.#enter(entered, { person, definition, ...after, family: model.newFamily(definition) }, !isWhole);
  }

  /** The identity that was proved, new or not. */
  #tie({ access: begunAt, purpose, secret, codes }: Begun, shown: Shown, person: Person): Identity {
    const model = this.#model;
    const { access, step, code, passkey } = shown;
    const subject = shown.subject as string;
    const isNew = secret !== undefined || codes !== undefined;
    const former = model.owner(access, subject);
    if (former !== undefined && !isNew) {
      if (step !== undefined) former.used = step;
      if (code !== undefined) former.codes?.delete(code);
      return former;
    }
    if (former !== undefined) former.isOver = true;
    if (begunAt === 'mail' && purpose === 'link')
      for (const other of model.identitiesOf(person, 'mail')) other.isOver = true;
    const identity = {
      access,
      subject,
      person,
      passkey,
      secret,
      used: step,
      codes: codes && new Set(codes),
      isOver: false,
    };
    model.identities.push(identity);
    return identity;
  }

  /** A sign-in whose proofs were right: it owes a second one, or has given a session. */
  #enter(entered: Entered, expected: Expected, mayOwe: boolean): void {
    const model = this.#model;
    const { person, definition, idp } = expected;
    const now = this.#servers.now;
    const isDue = mayOwe && model.acr(expected) === 'aal1' && model.owes(person, definition);
    expect('due' in entered, 'a second factor is due').toBe(isDue);
    const session = {
      ...expected,
      at: now,
      issuedAt: now,
      isSignedOut: false,
      usedAt: undefined,
      successor: undefined,
    };
    if ('due' in entered) {
      const factors = model.factors(person);
      const mayEnrol = factors.length === 0;
      expect([...entered.due.access].sort()).toEqual(factors);
      expect(entered.due.enrol).toEqual(mayEnrol ? ['totp'].filter(() => model.definitions.has('totp')) : undefined);
      model.replaceBegun((older) => older.purpose === 'second' && older.person?.id === person.id);
      model.begun.push({
        access: definition.name,
        purpose: 'second',
        name: entered.due.request,
        at: now,
        since: now,
        lifetime: LIFETIMES.request,
        subject: undefined,
        address: undefined,
        idp,
        person,
        session: { ...session, tokens: { access: '' } },
        mayEnrol,
        isPage: false,
        tries: 0,
        isOver: false,
        isLost: false,
      });
      return;
    }
    const issuedAt = this.#compare(entered, expected, now);
    model.sessions.push({ ...session, issuedAt, tokens: entered.tokens });
  }

  /** `$token`, and what is signed, say what was proved. When it was issued, which is about `at`. */
  #compare(
    { tokens, claims }: SignedIn,
    { person, definition, amr, authAt, idp, family }: Expected,
    at: number,
  ): number {
    const payload = JSON.parse(Buffer.from(tokens.access.split('.')[1] as string, 'base64url').toString());
    const said = { acr: this.#model.acr({ amr }), amr, auth_time: Math.floor(authAt / 1_000), AC: definition.name };
    const idpOf = (told: unknown) => (told as { idp?: { sub?: string } }).idp?.sub;
    expect([payload, idpOf(payload)]).toEqual([expect.objectContaining({ ...said, ID: person.id }), idp]);
    expect([{ ...claims, ID: toText(claims['ID']) }, idpOf(claims)]).toEqual([
      expect.objectContaining({ ...said, ID: person.id }),
      idp,
    ]);
    expect(tokens.refresh !== undefined, 'a refresh token').toBe(family !== undefined);
    const issuedAt = payload.iat * 1_000;
    expect(Math.abs(at - issuedAt)).toBeLessThanOrEqual(this.#servers.spread + 1_000);
    return issuedAt;
  }

  async refresh({ session: at, copies, server }: Of<'refresh'>): Promise<void> {
    const model = this.#model;
    const used = model.sessions.filter(({ family }) => family !== undefined).at(-1 - at);
    const refreshed = used && model.refreshed(used);
    if (used?.family === undefined || refreshed === undefined) return;
    const { latest, admitted, isTheft } = refreshed;
    // By clocks that differ by more than the grace, one of two at once is a thief.
    const count = model.spread >= LIFETIMES.grace || admitted === 'either' ? 1 : copies;
    const pair = { access: used.tokens.access, refresh: used.tokens.refresh as string };
    const outcomes = await atOnce(this.#servers, count, server, (each) => this.#servers.refresh(each, pair));
    const answers = outcomes.map((each) => agreed(admitted, [each])?.value);
    const [entered] = answers;
    if (entered === undefined) {
      used.family.isRevoked ||= isTheft !== 'no';
      return;
    }
    for (const { tokens } of answers as SignedIn[]) expect(tokens.refresh).toBe(entered.tokens.refresh);
    const isFirst = used.usedAt === undefined;
    const issuedAt = this.#compare(entered, latest, isFirst ? this.#servers.now : latest.at);
    if (isFirst) {
      const next = { ...used, at: this.#servers.now, issuedAt, isSignedOut: false, tokens: entered.tokens };
      Object.assign(used, { usedAt: this.#servers.now, successor: next });
      model.sessions.push(next);
    } else expect(entered.tokens.refresh).toBe(latest.tokens.refresh);
  }
}

/** Records that were made by a name have it as their key. */
function keyOf(id: string): string {
  return id.slice('user:'.length).replace(/^[`⟨]|[`⟩]$/g, '');
}

/** The record that was made. */
function idIn(entered: Entered): string {
  if ('due' in entered) throw new Error('a new record owes a second factor');
  return toText(entered.claims['ID']);
}
