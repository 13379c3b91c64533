import type { AccessRun, Directory, IncarnationOf } from '../../src/auth/directory.js';
import { recordFrom } from '../../src/auth/record-access.js';
import type { PromiseOrValue } from '../../src/base/promise-or-value.js';
import { Grants } from '../../src/catalog/credentials/grant.js';
import type { Incarnation } from '../../src/catalog/credentials/incarnation.js';
import type { IssuedCredential } from '../../src/catalog/credentials/revocation-list.js';
import type { AccessDefinition, UserDefinition } from '../../src/catalog/definitions/definition.js';
import type { DatabasePath } from '../../src/catalog/principal.js';
import type { Expression } from '../../src/language/ast.js';
import { MemoryEngine } from '../../src/storage/engines/memory.js';
import { withRetries } from '../../src/storage/retry.js';
import { toText } from '../../src/value/text/text.js';
import type { RecordId, Value } from '../../src/value/value.js';

export type Clause = (run: AccessRun) => Value | Promise<Value>;

/** A directory in memory. Clauses are functions, hidden behind params that name them. */
export class FakeDirectory implements Directory {
  readonly #users = new Map<string, UserDefinition>();
  readonly #accesses = new Map<string, AccessDefinition>();
  readonly #clauses = new Map<string, Clause>();
  readonly #engine = new MemoryEngine();
  readonly records = new Set<string>();
  /** Subjects, and ids of tokens. */
  readonly denied = new Set<string>();
  readonly runs: AccessRun[] = [];

  defineUser(user: UserDefinition, place: DatabasePath = {}): void {
    this.#users.set(keyOf(place, user.name), user);
  }

  removeUser(name: string, place: DatabasePath = {}): void {
    this.#users.delete(keyOf(place, name));
  }

  defineAccess(access: AccessDefinition, place: DatabasePath): void {
    this.#accesses.set(keyOf(place, access.name), access);
  }

  removeAccess(name: string, place: DatabasePath): void {
    this.#accesses.delete(keyOf(place, name));
  }

  deny(_: DatabasePath, { id }: { readonly id: string }): void {
    this.denied.add(id);
  }

  /** An expression that `evaluate` runs as `clause`. */
  clause(clause: Clause): Expression {
    const name = `clause${this.#clauses.size}`;
    this.#clauses.set(name, clause);
    return { kind: 'param', name };
  }

  user(place: DatabasePath, name: string) {
    return this.#users.get(keyOf(place, name));
  }

  replaceHash(place: DatabasePath, name: string, former: string, hash: string) {
    const user = this.user(place, name);
    if (user?.passhash === former) this.defineUser({ ...user, passhash: hash }, place);
  }

  access(place: DatabasePath, name: string) {
    return this.#accesses.get(keyOf(place, name));
  }

  grant(place: DatabasePath, access: string, id: string) {
    return this.grants(place, access, (grants) => grants.find(id));
  }

  grants<T>(
    place: DatabasePath,
    access: string,
    work: (grants: Grants, incarnationOf: IncarnationOf) => PromiseOrValue<T>,
  ) {
    return withRetries(this.#engine, (transaction) =>
      work(new Grants(transaction, 'D0000', access), (id) => this.incarnation(place, id)),
    );
  }

  isRevoked(place: DatabasePath, what: () => IssuedCredential) {
    const { token, subject } = what();
    return this.denied.has(keyOf(place, subject)) || (token !== undefined && this.denied.has(keyOf(place, token)));
  }

  incarnation(place: DatabasePath, id: RecordId): Incarnation | undefined {
    const exists = this.records.has(`${place.namespace} ${place.database} ${toText(id)}`);
    return exists ? { id: `the first ${toText(id)}`, since: undefined } : undefined;
  }

  async identify(expression: Expression, run: AccessRun) {
    const id = recordFrom(await this.evaluate(expression, run));
    return id && { id, incarnation: this.incarnation(run.place, id) };
  }

  async evaluate(expression: Expression, run: AccessRun): Promise<Value> {
    this.runs.push(run);
    const clause = expression.kind === 'param' ? this.#clauses.get(expression.name) : undefined;
    if (clause === undefined) throw new Error('no such clause');
    return clause(run);
  }
}

function keyOf({ namespace, database }: DatabasePath, name: string): string {
  return JSON.stringify([namespace, database, name]);
}
