/** Plays operations with servers and with the model, and compares after each what servers answer and keep. */
import { expect } from 'vitest';
import { toText } from '../../../src/value/text/text.js';
import { isObject, type RecordId, type Value } from '../../../src/value/value.js';
import { type Identity, isProvider } from './known.js';
import { Model } from './model.js';
import type { Of, Operation } from './operations.js';
import { agreed, atOnce } from './outcomes.js';
import { Proofs } from './proofs.js';
import { ACCESS, type AccessName, defineAccess, type Servers } from './servers.js';
import { ADDRESSES, SignIns } from './sign-ins.js';

/** Of which the first two exist from the beginning. */
const IDS = ['user:ann', 'user:bob', 'user:cid'];
const PEOPLE = [0, 1].map((at) => `CREATE ${IDS[at]} SET email = '${ADDRESSES[at]}';`).join(' ');
/** The sessions whose tokens are tried after each operation. */
const TRIED = 4;

export class Play {
  readonly #servers: Servers;
  readonly #model: Model;
  readonly #signIns: SignIns;
  #resets = 0;

  private constructor(servers: Servers) {
    this.#servers = servers;
    this.#model = new Model(servers, servers.spread, IDS);
    this.#signIns = new SignIns(servers, this.#model, new Proofs(servers, this.#model));
    for (const name of Object.keys(ACCESS) as AccessName[]) this.#model.define(name);
    for (const at of [0, 1]) this.#model.add(IDS[at] as string, ADDRESSES[at]);
  }

  /** In a database of its own. */
  static async begin(servers: Servers): Promise<Play> {
    await servers.reset(PEOPLE);
    return new Play(servers);
  }

  async do(operation: Operation): Promise<void> {
    // Whatever happens at the same time as KILL SESSIONS ends with it.
    this.#servers.pass(1);
    await this.#done(operation);
    await this.#check(operation.server);
  }

  #done(operation: Operation): Promise<void> | void {
    switch (operation.kind) {
      case 'pass':
        return this.#servers.pass(operation.milliseconds);
      case 'replace':
        return this.#servers.replace(operation.server);
      case 'password':
      case 'signUp':
        return this.#signIns.byClause(operation);
      case 'enrol':
        return this.#signIns.enrol(operation);
      case 'start':
        return this.#signIns.start(operation);
      case 'lead':
        return this.#signIns.lead(operation);
      case 'redeem':
        return this.#signIns.redeem(operation);
      case 'refresh':
        return this.#signIns.refresh(operation);
      case 'signOut':
      case 'revokeFamily':
      case 'killOthers':
        return this.#end(operation);
      case 'revoke':
        return this.#revoke(operation);
      case 'define':
      case 'remove':
        return this.#define(operation);
      default:
        return this.#change(operation);
    }
  }

  /** What people end. */
  async #end({ kind, session: at, server }: Of<'signOut' | 'revokeFamily' | 'killOthers'>): Promise<void> {
    const model = this.#model;
    const session = model.sessions.at(-1 - at);
    if (session === undefined) return;
    const { access, refresh } = session.tokens;
    if (kind === 'revokeFamily' && refresh === undefined) return;
    const admitted = kind === 'revokeFamily' ? model.standing(session, session) : model.isGood(session);
    const outcomes = await atOnce(this.#servers, 1, server, async (each) => {
      if (kind === 'revokeFamily')
        await (await this.#servers.session(each)).revoke({ access, refresh: refresh as string });
      else {
        const own = await this.#servers.session(each, access);
        if (kind === 'signOut') await own.signOut();
        else for (const { outcome: ended } of await own.query('KILL OTHER SESSIONS')) if (!ended.ok) throw ended.error;
      }
      return true;
    });
    if (agreed(admitted, outcomes) === undefined) return;
    if (kind === 'signOut') session.isSignedOut = true;
    else if (kind === 'killOthers') model.kill(session.person.id, session);
    else if (session.family !== undefined) session.family.isRevoked = true;
  }

  async #revoke({ identity: at, server }: Of<'revoke'>): Promise<void> {
    const live = this.#model.identities.filter(({ access, isOver }) => !isOver && this.#model.definitions.has(access));
    const identity = live.at(-1 - at);
    if (identity === undefined) return;
    const { access, person } = identity;
    const which = `subject.record = ${person.id} AND identity = '${shownSubject(identity)}'`;
    await this.#servers.owned(server, `ACCESS ${access} REVOKE WHERE ${which}`);
    identity.isOver = true;
  }

  async #define({ kind, access, server }: Of<'define' | 'remove'>): Promise<void> {
    const model = this.#model;
    if (kind === 'define' || !model.definitions.has(access)) {
      await this.#servers.owned(server, defineAccess(access));
      model.define(access);
    } else {
      model.definitions.delete(access);
      await this.#servers.owned(server, `REMOVE ACCESS ${access} ON DATABASE`);
    }
  }

  /** What owners do to records. */
  async #change(operation: Of<'kill' | 'reset' | 'delete' | 'create' | 'change'>): Promise<void> {
    const model = this.#model;
    const { kind, server } = operation;
    const id = model.idAt(operation.person);
    const person = model.people.get(id);
    if ((person === undefined) !== (kind === 'create')) return;
    const change = (text: string) => this.#servers.owned(server, text);
    if (person === undefined) {
      await change(`CREATE ${id}`);
      model.add(id, undefined);
    } else if (kind === 'kill') {
      await change(`KILL SESSIONS FOR RECORD ${id}`);
      model.kill(id);
    } else if (kind === 'reset') {
      // A record that has never signed in has nothing that would end.
      if (!model.sessions.some((session) => session.person === person)) return;
      await change(`UPDATE ${id} SET pass = '${++this.#resets}'`);
      model.kill(id);
    } else if (kind === 'delete') {
      await change(`DELETE ${id}`);
      model.people.delete(id);
      person.isGone = true;
      for (const identity of model.identitiesOf(person)) identity.isOver = true;
    } else if (kind === 'change') {
      const email = ADDRESSES[operation.subject] as string;
      const owner = model.personWith(email);
      if (owner !== undefined && owner !== person) return;
      await change(`UPDATE ${id} SET email = '${email}'`);
      person.email = email;
    }
  }

  /** At each server: who still is in by a token. At one: what each record has proved. */
  async #check(server: number): Promise<void> {
    const model = this.#model;
    for (const session of model.sessions.slice(-TRIED)) {
      const good = model.isGood(session);
      const found: boolean[] = [];
      for (let at = 0; at < this.#servers.count; at++) {
        const opened = await atOnce(this.#servers, 1, at, (each) => this.#servers.session(each, session.tokens.access));
        const own = agreed(good, opened)?.value;
        if (own !== undefined) expect(toText(own.identity.auth as RecordId)).toBe(session.person.id);
        found.push(own !== undefined);
      }
      // Whatever a server says of a session that was revoked close to its beginning, the others say, too.
      if (model.hasExpired(session) === 'no') expect(new Set(found).size, 'answers of all servers').toBe(1);
    }
    const people = [...model.people.values()];
    const proved = await this.#servers.owned(server, `RETURN [${people.map(({ id }) => `access::identities(${id})`)}]`);
    const shown = (proved as readonly Value[][]).map((each) =>
      each.flatMap((identity) => (isObject(identity) ? [`${identity['access']} ${identity['subject']}`] : [])).sort(),
    );
    const known = people.map((person) =>
      model
        .identitiesOf(person)
        .map((each) => `${each.access} ${shownSubject(each)}`)
        .sort(),
    );
    expect(shown).toEqual(known);
  }
}

function shownSubject({ access, subject }: Identity): string {
  return isProvider(access) ? ((JSON.parse(subject) as string[])[1] as string) : subject;
}
