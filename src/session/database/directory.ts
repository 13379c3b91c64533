/** Implements the user directory of `auth` on the store; each call runs in its own transaction. */
import type { AuditLog } from '../../audit/audit-log.js';
import type { AccessRun, App, Directory, IdentifiedRecord, IdentityRows, IncarnationOf } from '../../auth/directory.js';
import { guestIdentity } from '../../auth/identity.js';
import { recordFrom } from '../../auth/kinds/clause-record.js';
import { andThen, isPromise, lastly, type PromiseOrValue } from '../../base/promise-or-value.js';
import { type Grant, Grants } from '../../catalog/credentials/grant.js';
import { ensureIncarnation, findIncarnation, type Incarnation } from '../../catalog/credentials/incarnation.js';
import {
  type IssuedCredential,
  type RevocableToken,
  RevocationList,
} from '../../catalog/credentials/revocation-list.js';
import { SignInRequests } from '../../catalog/credentials/sign-in-request.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import type { AccessDefinition, UserDefinition } from '../../catalog/definitions/definition.js';
import { accessesAt, areaOf, findAccess, findUser } from '../../catalog/definitions/lookup.js';
import { SYSTEM_SIGN_INS } from '../../catalog/keys/store-keys.js';
import { type DatabasePath, databasePathOf, type RecordUser, type SystemUser } from '../../catalog/principal.js';
import { appOf, ExecutionIdentityRows } from '../../ddl/identity/identity-rows.js';
import type { Environment } from '../../env/environment.js';
import type { Expression } from '../../language/ast.js';
import { endRecordSessions, endSignIn } from '../../records/end-sessions.js';
import type { AuditRecorder } from '../../runtime/audit-recorder.js';
import { schemaChangeOf } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import { Frame } from '../../runtime/frame.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import { Scope } from '../../runtime/scope.js';
import { SentRequests } from '../../runtime/sent-requests.js';
import type { Executor } from '../../statements/executor.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import type { RecordId, Value } from '../../value/value.js';
import { Auditor } from '../audit/auditor.js';
import type { HeldTransactions } from '../resources/held-transactions.js';

export interface DirectoryServices {
  readonly engine: Engine;
  readonly executor: Executor;
  readonly environment: Environment;
  readonly audit: AuditLog | undefined;
  readonly transactions: Pick<HeldTransactions, 'budget'>;
}

export class StoreDirectory implements Directory {
  readonly #engine: Engine;
  readonly #executor: Executor;
  readonly #environment: Environment;
  /** Absent if no audit log is kept. */
  readonly #audit: AuditLog | undefined;

  readonly #transactions: Pick<HeldTransactions, 'budget'>;

  constructor(services: DirectoryServices) {
    this.#engine = services.engine;
    this.#executor = services.executor;
    this.#environment = services.environment;
    this.#audit = services.audit;
    this.#transactions = services.transactions;
  }

  user(databasePath: DatabasePath, name: string): PromiseOrValue<UserDefinition | undefined> {
    return this.#reading((transaction) => findUser(transaction, databasePath, name));
  }

  replaceHash(databasePath: DatabasePath, name: string, former: string, hash: string): PromiseOrValue<void> {
    const { random, clock } = this.#environment;
    return withRetries(this.#engine, (transaction) =>
      andThen(findUser(transaction, databasePath, name), (user) =>
        user?.passhash === former
          ? putAtLevel({ transaction, random, clock }, databasePath, { ...user, passhash: hash })
          : undefined,
      ),
    );
  }

  access(databasePath: DatabasePath, name: string): PromiseOrValue<AccessDefinition | undefined> {
    return this.#reading((transaction) => findAccess(transaction, databasePath, name));
  }

  grant(databasePath: DatabasePath, access: string, id: string): PromiseOrValue<Grant | undefined> {
    return this.#reading((transaction) =>
      andThen(areaOf(transaction, databasePath), (area) =>
        area === undefined ? undefined : new Grants(transaction, area, access).find(id),
      ),
    );
  }

  isFamilyRevoked(databasePath: DatabasePath, access: string, family: string): PromiseOrValue<boolean> {
    return this.#reading(async (transaction) => {
      const area = await areaOf(transaction, databasePath);
      if (area === undefined) return true;
      const at = await new Grants(transaction, area, access).familyRevocation(family);
      return at !== undefined;
    });
  }

  grants<T>(
    databasePath: DatabasePath,
    access: string,
    work: (grants: Grants, incarnationOf: IncarnationOf, endSessions: () => void) => PromiseOrValue<T>,
  ): PromiseOrValue<T | undefined> {
    return withRetries(this.#engine, (transaction) =>
      andThen(areaOf(transaction, databasePath), (area) => {
        if (area === undefined) return undefined;
        const execution = () => this.#privileged(transaction, databasePath);
        const incarnationOf = (id: RecordId) => this.#ensure(execution(), id, false);
        const endSessions = () => execution().services.sessions.scheduleRevalidation(transaction, databasePath);
        return work(new Grants(transaction, area, access), incarnationOf, endSessions);
      }),
    );
  }

  record(databasePath: DatabasePath, id: RecordId): PromiseOrValue<IdentifiedRecord | undefined> {
    return this.#reading(async (transaction) => {
      const execution = this.#privileged(transaction, databasePath);
      const catalog = await execution.context.catalog();
      const incarnation = await findIncarnation(transaction, catalog, id);
      if (incarnation !== undefined) return { id, incarnation };
      return (await execution.services.writer.exists(execution, id)) ? { id, incarnation: undefined } : undefined;
    });
  }

  incarnation(databasePath: DatabasePath, id: RecordId): PromiseOrValue<Incarnation | undefined> {
    return andThen(this.record(databasePath, id), (found) =>
      found === undefined || found.incarnation !== undefined
        ? found?.incarnation
        : withRetries(this.#engine, (transaction) =>
            this.#ensure(this.#privileged(transaction, databasePath), id, false),
          ),
    );
  }

  #ensure(execution: Execution, id: RecordId, proven: boolean): PromiseOrValue<Incarnation | undefined> {
    return andThen(execution.context.catalog(), (catalog) =>
      ensureIncarnation(schemaChangeOf(execution), catalog, id, proven),
    );
  }

  #privileged(transaction: Transaction, databasePath: DatabasePath): Execution {
    return this.#executor.execution({
      transaction,
      identity: guestIdentity({ origin: {}, databasePath }),
      interrupt: RequestInterrupt.begin(this.#environment),
      privileged: true,
    });
  }

  isRevoked(databasePath: DatabasePath, what: () => IssuedCredential): PromiseOrValue<boolean> {
    if (!this.#executor.revocationFlag.isSet) return false;
    return this.#reading((transaction) =>
      andThen(
        areaOf(transaction, databasePath),
        (area) => area !== undefined && new RevocationList(transaction, area).isRevoked(what()),
      ),
    );
  }

  endSignIn(principal: SystemUser | RecordUser, token: RevocableToken): PromiseOrValue<void> {
    const databasePath = databasePathOf(principal);
    const record = principal.kind === 'record' ? principal.id : undefined;
    return withRetries(this.#engine, (transaction) =>
      endSignIn(this.#privileged(transaction, databasePath), { databasePath, record, token }),
    );
  }

  evaluate(expression: Expression, run: AccessRun): PromiseOrValue<Value> {
    return this.#evaluate(expression, run, (value) => value);
  }

  identify(
    expression: Expression,
    run: AccessRun,
    claim?: (record: IdentifiedRecord, rows: IdentityRows) => Promise<void>,
  ): PromiseOrValue<IdentifiedRecord | undefined> {
    return this.#evaluate(expression, run, async (value, execution) => {
      const id = recordFrom(value);
      if (id === undefined) return undefined;
      const identified = { id, incarnation: await this.#ensure(execution, id, true) };
      const rows = claim && (await this.#identityRows(execution));
      await (rows && claim?.(identified, rows));
      const { entrance } = execution.request;
      if (entrance?.endsOthers === true) await endRecordSessions(execution, run.databasePath, id, entrance.token);
      return identified;
    });
  }

  app(databasePath: DatabasePath): PromiseOrValue<App> {
    return this.#reading(async (transaction) => {
      return appOf(await this.#privileged(transaction, databasePath).context.catalog(), databasePath);
    });
  }

  accesses(databasePath: DatabasePath): PromiseOrValue<readonly AccessDefinition[]> {
    return this.#reading((transaction) => accessesAt(transaction, databasePath));
  }

  systemRequests<T>(databasePath: DatabasePath, work: (requests: SignInRequests) => Promise<T>): PromiseOrValue<T> {
    return withRetries(this.#engine, (transaction) => work(SignInRequests.ofSystemUsers(transaction, databasePath)));
  }

  openRequests(of: DatabasePath | 'system-users', most: number, source: string | undefined) {
    return this.#reading(async (transaction) => {
      const { context, interrupt } = this.#privileged(transaction, of === 'system-users' ? {} : of);
      const database = of === 'system-users' ? SYSTEM_SIGN_INS : (await context.catalog())?.database.id;
      const requests = database === undefined ? undefined : new SignInRequests(transaction, database);
      const open = await requests?.countOpen(this.#environment.clock.now(), most, source, interrupt);
      return open ?? { all: 0, ofSource: 0 };
    });
  }

  proving<T>(databasePath: DatabasePath, work: (rows: IdentityRows) => Promise<T>): PromiseOrValue<T | undefined> {
    return withRetries(this.#engine, async (transaction) => {
      const rows = await this.#identityRows(this.#privileged(transaction, databasePath));
      return rows && work(rows);
    });
  }

  async #identityRows(execution: Execution): Promise<IdentityRows | undefined> {
    const catalog = await execution.context.catalog();
    const { databasePath } = execution.identity;
    const existed = async (id: RecordId) => (await this.record(databasePath, id)) !== undefined;
    return catalog && new ExecutionIdentityRows(execution, catalog, existed);
  }

  /** Passes the value of a clause to `work`, within the clause's transaction. */
  #evaluate<T>(
    expression: Expression,
    { databasePath, variables, identity, entrance: opened }: AccessRun,
    goOn: (value: Value, execution: Execution) => PromiseOrValue<T>,
  ): PromiseOrValue<T> {
    const evaluate = this.#executor.compiler.expression(expression);
    const { principal, session, token, auth, access, origin } = identity;
    const run = (auditRecorder?: () => AuditRecorder) => {
      const sent = new SentRequests();
      const work = (transaction: Transaction) => {
        sent.begin();
        const execution = this.#executor.execution({
          transaction,
          identity: { principal, databasePath, session, token, auth, access },
          interrupt: RequestInterrupt.begin(this.#environment),
          privileged: true,
          inStoredCode: true,
          entrance: opened && { token: { id: opened.id }, endsOthers: false },
          auditRecorder: auditRecorder?.(),
          sent,
        });
        const scope = new Scope();
        for (const name of Object.keys(variables)) scope.set(name, variables[name]);
        return andThen(evaluate(new Frame(execution, scope)), (value) => goOn(value, execution));
      };
      return withRetries(this.#engine, work, { memory: this.#transactions.budget });
    };
    if (this.#audit === undefined) return run();
    return new Auditor(this.#audit, origin, { key: undefined, identity }).attempting(run);
  }

  #reading<T>(work: (transaction: Transaction) => PromiseOrValue<T>): PromiseOrValue<T> {
    const transaction = this.#engine.begin({ writable: false });
    return isPromise(transaction) ? transaction.then((begun) => readIn(begun, work)) : readIn(transaction, work);
  }
}

function readIn<T>(transaction: Transaction, work: (transaction: Transaction) => PromiseOrValue<T>): PromiseOrValue<T> {
  return lastly(
    () => work(transaction),
    () => transaction.cancel(),
  );
}
