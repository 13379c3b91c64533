/** The rows that proving an identity reads and writes, within the transaction of an execution. */
import type { App, IdentityRows } from '../../auth/directory.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { FactorTries } from '../../catalog/credentials/factor-tries.js';
import { Grants } from '../../catalog/credentials/grant.js';
import { Identities, type IdentityGrant } from '../../catalog/credentials/identity.js';
import { ensureIncarnation, type Incarnation } from '../../catalog/credentials/incarnation.js';
import { type IssuedCredential, RevocationList } from '../../catalog/credentials/revocation-list.js';
import { SignInRequests } from '../../catalog/credentials/sign-in-request.js';
import { keyMarks } from '../../catalog/credentials/signing-key.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { configOfKind } from '../../catalog/definitions/lookup.js';
import { databaseArea } from '../../catalog/keys/store-keys.js';
import type { OutgoingMail } from '../../catalog/mail/outbox.js';
import type { DatabasePath } from '../../catalog/principal.js';
import type { AccessWay } from '../../language/ast.js';
import { schemaChangeOf } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { ObjectValue, RecordId } from '../../value/value.js';

/** What `existed` asks: a snapshot from before the transaction. */
export type FormerState = (id: RecordId) => PromiseOrValue<boolean>;

/** Mails an hour, unless DEFINE CONFIG MAIL … LIMIT says otherwise. */
const MAILS_AN_HOUR = 1_000;
const LONGEST_NAME = 100;

/**
 * The app of a database, as its CONFIG AUTH and MAIL describe it. A database that doesn't exist is like one that says
 * nothing, so that pages don't reveal which exist. Pages of the root and of a namespace name the server.
 */
export function appOf(catalog: DatabaseCatalog | undefined, { database = 'Tessera' }: DatabasePath): App {
  const config = configOfKind(catalog?.configs.get('auth')?.config, 'auth');
  const mail = configOfKind(catalog?.configs.get('mail')?.config, 'mail');
  return {
    name: (config?.title ?? database).replace(/\p{C}/gu, ' ').slice(0, LONGEST_NAME),
    config,
    redirects: config?.redirects ?? [],
    mailsAnHour: mail?.limit ?? MAILS_AN_HOUR,
  };
}

/** The rows of the selected database, for statements, which know nothing of other transactions. */
export async function identityRowsOf(execution: Execution): Promise<IdentityRows | undefined> {
  const catalog = await execution.context.catalog();
  return catalog && new ExecutionIdentityRows(execution, catalog, () => true);
}

export class ExecutionIdentityRows implements IdentityRows {
  readonly app: App;
  readonly requests: SignInRequests;
  readonly identities: Identities;
  readonly factorTries: FactorTries;
  readonly #execution: Execution;
  readonly #catalog: DatabaseCatalog;
  readonly #existed: FormerState;

  constructor(execution: Execution, catalog: DatabaseCatalog, existed: FormerState) {
    const { transaction } = execution.context;
    this.app = appOf(catalog, execution.identity.databasePath);
    this.requests = new SignInRequests(transaction, catalog.database.id);
    this.identities = new Identities(transaction, catalog.database.id);
    this.factorTries = new FactorTries(transaction, catalog.database.id);
    this.#execution = execution;
    this.#catalog = catalog;
    this.#existed = existed;
  }

  get accessNames(): readonly string[] {
    return [...this.#catalog.accesses.keys()];
  }

  way(access: string): AccessWay | undefined {
    const accessKind = this.#catalog.accesses.get(access)?.accessKind;
    return accessKind?.kind === 'record' ? accessKind.way : undefined;
  }

  keyMarks(access: string): readonly string[] {
    const accessKind = this.#catalog.accesses.get(access)?.accessKind;
    return accessKind === undefined ? [] : keyMarks(accessKind);
  }

  grants(access: string): Grants {
    return new Grants(this.#execution.context.transaction, this.#area, access);
  }

  incarnationOf(id: RecordId): PromiseOrValue<Incarnation | undefined> {
    return ensureIncarnation(schemaChangeOf(this.#execution), this.#catalog, id, false);
  }

  async owner(access: string, subject: string): Promise<IdentityGrant | undefined> {
    const identity = await this.identities.find(access, subject);
    if (identity === undefined || identity.kind !== this.way(access)?.kind) return undefined;
    const incarnation = await this.incarnationOf(identity.record);
    return incarnation?.id === identity.incarnation ? identity : undefined;
  }

  record(id: RecordId): PromiseOrValue<ObjectValue | undefined> {
    return this.#execution.services.reader.read(this.#execution, id);
  }

  existed(id: RecordId): PromiseOrValue<boolean> {
    return this.#existed(id);
  }

  isRevoked(credential: IssuedCredential): PromiseOrValue<boolean> {
    return this.#revocations.isRevoked(credential);
  }

  endIdentity(identity: IdentityGrant): PromiseOrValue<void> {
    const {
      services: { environment, revocationFlag, sessions },
      context: { transaction },
      identity: { databasePath },
    } = this.#execution;
    this.identities.remove(identity);
    revocationFlag.set(transaction);
    sessions.scheduleRevalidation(transaction, databasePath);
    return this.#revocations.revokeToken({ id: identity.id, expiry: undefined }, environment.clock.now());
  }

  assertMail(): PromiseOrValue<void> {
    return this.#execution.services.outbox.assertUsable(this.#execution.context.transaction, this.#catalog.database.id);
  }

  queueMail(mail: OutgoingMail): PromiseOrValue<void> {
    const { database, namespace } = this.#catalog;
    const { transaction } = this.#execution.context;
    const of = { id: database.id, namespace: namespace.name, name: database.name };
    return this.#execution.services.outbox.queue(transaction, of, mail);
  }

  get #area(): string {
    return databaseArea(this.#catalog.database.id);
  }

  get #revocations(): RevocationList {
    return new RevocationList(this.#execution.context.transaction, this.#area);
  }
}
