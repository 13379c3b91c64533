/**
 * The rules of identities: whose a proof is, which session stands, and what its tokens say. All of it in memory, at one
 * place and one time; servers are compared with it.
 */
import {
  type Begun,
  type Definition,
  type Family,
  type Identity,
  isFactor,
  isWayIn,
  METHODS,
  type Person,
  type Purpose,
  REFRESHES,
  type Session,
  SIGNS_UP,
} from './known.js';
import type { AccessName } from './servers.js';

/** `either`: so close to a time that servers, whose clocks differ, may differ about it. */
export type Verdict = 'yes' | 'no' | 'either';

export function all(...verdicts: readonly Verdict[]): Verdict {
  return verdicts.includes('no') ? 'no' : verdicts.includes('either') ? 'either' : 'yes';
}

export function not(verdict: Verdict): Verdict {
  return verdict === 'either' ? verdict : verdict === 'yes' ? 'no' : 'yes';
}

export const sure = (is: boolean): Verdict => (is ? 'yes' : 'no');

const MINUTE = 60_000;
/** Milliseconds. */
export const LIFETIMES = {
  request: 10 * MINUTE,
  passkey: 5 * MINUTE,
  page: MINUTE,
  recent: 10 * MINUTE,
  token: 60 * MINUTE,
  grace: 10_000,
} as const;
/** Wrong proofs that a request stands. */
const MOST_TRIES = 5;
/** Wrong second proofs of a record that are free of delay. */
const FREE_TRIES = 4;
const MOST_PASSKEYS = 10;

/** What a redemption comes to. `spent`: a right proof that leads nowhere. */
export interface Redemption {
  readonly admitted: Verdict;
  readonly onRefusal: 'nothing' | 'miss' | 'spent';
  /** Whose it is; absent where a record is to be made. */
  readonly person?: Person | undefined;
}

export class Model {
  readonly people = new Map<string, Person>();
  readonly identities: Identity[] = [];
  readonly sessions: Session[] = [];
  readonly begun: Begun[] = [];
  readonly definitions = new Map<AccessName, Definition>();
  readonly #kills: { readonly id: string; readonly at: number; readonly kept: Session | undefined }[] = [];

  /** Of all records that there ever were, or may be. */
  readonly #ids: string[];

  /** @param spread by how much clocks differ, in milliseconds */
  constructor(
    readonly clock: { readonly now: number },
    readonly spread: number,
    ids: readonly string[],
  ) {
    this.#ids = [...ids];
  }

  /** One of those from the beginning, or the last that was made since. */
  idAt(at: number): string {
    return this.#ids[at] ?? (this.#ids.at(-1) as string);
  }

  add(id: string, email: string | undefined): Person {
    const person = { id, email, isGone: false, wrong: 0, lockedUntil: 0 };
    this.people.set(id, person);
    if (!this.#ids.includes(id)) this.#ids.push(id);
    return person;
  }

  /** Whether a time has passed since another. */
  isOver(since: number, lifetime: number): Verdict {
    const left = since + lifetime - this.clock.now;
    if (this.spread > 0 && Math.abs(left) <= this.spread) return 'either';
    return sure(left <= 0);
  }

  define(name: AccessName): void {
    this.definitions.set(name, { name });
  }

  /** Those that count: their record exists, and so does their access method. */
  identitiesOf(person: Person, access?: AccessName): readonly Identity[] {
    return this.identities.filter(
      (each) => !each.isOver && each.person === person && (access === undefined || each.access === access),
    );
  }

  owner(access: AccessName, subject: string): Identity | undefined {
    return this.identities.find((each) => !each.isOver && each.access === access && each.subject === subject);
  }

  personWith(email: string): Person | undefined {
    return [...this.people.values()].find((person) => person.email === email);
  }

  // What sessions say and may do.

  acr({ amr }: Pick<Session, 'amr'>): 'aal1' | 'aal2' {
    const has = (method: string) => amr.includes(method);
    const others = ['pwd', 'mail', 'fed'].some(has);
    return has('mfa') || (others && (has('otp') || has('recovery'))) ? 'aal2' : 'aal1';
  }

  /** Whether everything that it rests on still is what it was. */
  standing({ definition, person, identity, family, isSignedOut, at }: Session, self?: Session): Verdict {
    const isGone =
      this.definitions.get(definition.name) !== definition ||
      person.isGone ||
      identity?.isOver === true ||
      family?.isRevoked === true ||
      isSignedOut;
    return isGone ? 'no' : not(this.#isKilled(person.id, at, self));
  }

  hasExpired({ issuedAt }: Session): Verdict {
    return this.isOver(issuedAt, LIFETIMES.token);
  }

  /** Whether its token opens sessions. */
  isGood(session: Session): Verdict {
    return all(this.standing(session, session), not(this.hasExpired(session)));
  }

  isRecent({ authAt }: Session): Verdict {
    // In whole seconds, and to the end of the last millisecond.
    return not(this.isOver(Math.floor(authAt / 1_000) * 1_000, LIFETIMES.recent + 1));
  }

  #isKilled(id: string, at: number, session?: Session): Verdict {
    const verdicts = this.#kills.map((kill): Verdict => {
      if (kill.id !== id || (kill.kept !== undefined && kill.kept === session)) return 'no';
      if (this.spread > 0 && Math.abs(kill.at - at) <= this.spread) return 'either';
      return sure(at <= kill.at);
    });
    return not(all(...verdicts.map(not)));
  }

  kill(id: string, kept?: Session): void {
    this.#kills.push({ id, at: this.clock.now, kept });
  }

  // Second factors.

  /** The access methods at which a person can give a second proof. */
  factors(person: Person): readonly AccessName[] {
    const usable = this.identitiesOf(person).filter(
      ({ access, codes }) => isFactor(access) && this.definitions.has(access) && codes?.size !== 0,
    );
    return [...new Set(usable.map(({ access }) => access))].sort();
  }

  /** After a first proof at an access method. */
  owes(person: Person, { name }: Definition): boolean {
    return name === 'strict' || this.factors(person).includes('totp');
  }

  /** Whether a change of its ways needs both proofs, and this has one. */
  isTooWeak(session: Session): boolean {
    const guards = this.factors(session.person).filter((access) => access !== 'recovery');
    return this.acr(session) === 'aal1' && guards.length > 0;
  }

  miss(person: Person): void {
    person.wrong++;
    const beyond = person.wrong - FREE_TRIES;
    if (beyond > 0) person.lockedUntil = this.clock.now + Math.min(MINUTE * 2 ** (beyond - 1), 60 * MINUTE);
  }

  /** The record for which wrong proofs of a request count. */
  countedFor({ purpose, person, secret, codes }: Begun, access: AccessName): Person | undefined {
    const isProof = purpose === 'step' || purpose === 'second';
    return isProof && isFactor(access) && secret === undefined && codes === undefined ? person : undefined;
  }

  // Requests.

  /** Whether a session may begin a link or step. */
  mayBegin(session: Session, access: AccessName, purpose: Purpose): Verdict {
    const { person } = session;
    const proved = this.identitiesOf(person, access).length;
    if (purpose === 'step') return all(this.isGood(session), sure(proved > 0));
    const isFull = access === 'passkey' && proved >= MOST_PASSKEYS;
    return all(this.isGood(session), this.isRecent(session), sure(!this.isTooWeak(session) && !isFull));
  }

  /** Whom a code for an address is mailed to: a person, a new one, or no one. */
  recipient(address: string): Person | 'new' | undefined {
    const owner = this.owner('mail', address)?.person;
    if (owner !== undefined) return owner;
    const claimant = this.personWith(address);
    if (claimant === undefined) return 'new';
    // Once a record has proved an address, another in its fields has no effect.
    return this.identitiesOf(claimant, 'mail').length === 0 ? claimant : undefined;
  }

  /** Whether a request can still be redeemed, as far as it alone says. */
  isOpen({ isOver, tries, since, lifetime }: Begun): Verdict {
    return all(sure(!isOver && tries < MOST_TRIES), not(this.isOver(since, lifetime)));
  }

  /** Whether clocks that differ decide about a request, so that nothing is known of a wrong proof. */
  isDoubtful(begun: Begun, access: AccessName): boolean {
    const locked = this.isOver(this.countedFor(begun, access)?.lockedUntil ?? 0, 0);
    return locked === 'either' || this.isOver(begun.since, begun.lifetime) === 'either';
  }

  /** A newer request for the same ends the ones before. */
  replaceBegun(isSame: (begun: Begun) => boolean): void {
    for (const older of this.begun) if (isSame(older)) older.isOver = true;
  }

  /**
   * The result of a proof that is shown for a request at an access method.
   * @param isRight whether the proof is right; `subject`: what it proves
   */
  redemption(begun: Begun, access: AccessName, isRight: Verdict, subject: string | undefined): Redemption {
    const refused = (onRefusal: Redemption['onRefusal']): Redemption => ({ admitted: 'no', onRefusal });
    const isOpen = this.isOpen(begun);
    const isAt = begun.purpose === 'second' ? isFactor(access) : begun.access === access;
    if (isOpen === 'no' || !isAt || !this.definitions.has(access) || begun.person?.isGone) return refused('nothing');
    const counted = this.countedFor(begun, access);
    const lock = counted === undefined ? 'yes' : this.isOver(counted.lockedUntil, 0);
    if (lock === 'no') return refused('nothing');
    if (isRight === 'no' || subject === undefined) return refused('miss');
    const owner = this.owner(access, subject)?.person;
    const isSignIn = begun.purpose === 'sign-in' || begun.purpose === 'signup';
    const person = begun.person ?? owner ?? (isSignIn ? this.#claimed(begun, access) : undefined);
    if (person === undefined) {
      const isFree = begun.address === undefined || this.personWith(begun.address) === undefined;
      if (!isSignIn || !SIGNS_UP.has(access) || !isFree) return refused('spent');
    } else if ((owner !== undefined && owner !== person) || !this.#maySettle(begun, access, person, subject)) {
      return refused('spent');
    }
    const stands = person === undefined ? 'yes' : this.#stands(begun, person);
    return { admitted: all(isOpen, lock, isRight, stands), onRefusal: 'spent', person };
  }

  /** LINK VERIFIED EMAIL: the one record that has proved the address by mail. */
  #claimed({ address }: Begun, access: AccessName): Person | undefined {
    const isAsked = access === 'corp' && address !== undefined && this.definitions.has('mail');
    return isAsked ? this.owner('mail', address)?.person : undefined;
  }

  /** Whether the record, and the session that has begun, are still there. */
  #stands({ session, at, purpose }: Begun, person: Person): Verdict {
    const isKilled = this.#isKilled(person.id, at, purpose === 'second' ? undefined : session);
    const begunBy =
      session === undefined ? 'yes' : purpose === 'second' ? this.standing(session) : this.isGood(session);
    return all(sure(!person.isGone), not(isKilled), begunBy);
  }

  #maySettle({ purpose, session, secret, codes }: Begun, access: AccessName, person: Person, subject: string): boolean {
    const isNew = secret !== undefined || codes !== undefined;
    if (purpose === 'link' && session !== undefined && this.isTooWeak(session)) return false;
    // It may have got one since the request began.
    if (purpose === 'second' && isNew && this.factors(person).length > 0) return false;
    const others = this.identitiesOf(person, access).filter((each) => each.subject !== subject);
    const isKnown = this.owner(access, subject)?.person === person;
    if ((purpose === 'step' || purpose === 'second') && !isNew && !isKnown) return false;
    if (access === 'mail') return purpose === 'link' || others.length === 0;
    return others.length < MOST_PASSKEYS;
  }

  /** The session that a redemption gives, as if nothing more were due. */
  sessionAfter(begun: Begun, access: AccessName, identity: Identity, now: number) {
    const { purpose, session } = begun;
    const added = METHODS[access];
    if (session === undefined) return { name: access, amr: added, authAt: now, idp: begun.idp, identity };
    const isStep = purpose !== 'link';
    const amr = isStep || !isWayIn(access) || access === 'passkey' ? union(session.amr, added) : session.amr;
    const authAt = isStep ? now : session.authAt;
    const idp = isStep ? (begun.idp ?? session.idp) : session.idp;
    // A way in is one of its own; a factor goes on with the session that it is added to.
    const isOwn = isWayIn(access) && purpose !== 'second';
    const entered = isOwn
      ? { name: access, identity }
      : { name: session.definition.name, identity: session.identity ?? (isWayIn(access) ? identity : undefined) };
    return { ...entered, amr, authAt, idp };
  }

  /**
   * What a refresh token leads to: the session of the last pair of its family, and whether it was used so long ago that
   * the family is revoked. `undefined` if that depends on clocks that differ.
   */
  refreshed(session: Session): { latest: Session; admitted: Verdict; isTheft: Verdict } | undefined {
    let latest = session;
    while (latest.successor !== undefined) latest = latest.successor;
    const isLate = session.usedAt === undefined ? 'no' : this.isOver(session.usedAt, LIFETIMES.grace + 1);
    const stands = this.standing(session, session);
    const both = all(stands, this.standing(latest, latest));
    if (isLate === 'either' ? both !== 'yes' : isLate === 'yes' && stands === 'either') return undefined;
    return { latest, admitted: all(both, not(isLate)), isTheft: all(stands, isLate) };
  }

  /** A session with a refresh token of a new family, where its access method gives one. */
  newFamily({ name }: Definition): Family | undefined {
    return REFRESHES.has(name) ? { isRevoked: false } : undefined;
  }
}

function union(before: readonly string[], added: readonly string[]): readonly string[] {
  return [...new Set([...before, ...added])];
}
