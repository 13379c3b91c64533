/** What built-in functions may reach of an execution: records, closures, network, sequences. */
import { shownSubject } from '../../auth/ways/shown-identity.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { Identities, shownName } from '../../catalog/credentials/identity.js';
import { mayAct } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { FunctionContext } from '../../functions/calls/contract.js';
import { NO_FIELDS } from '../../plan/fields-read.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import { assertEffectsAllowed } from '../../runtime/authorization/views.js';
import { noteOf } from '../../runtime/candidates.js';
import type { Execution } from '../../runtime/execution.js';
import { rewordErrors } from '../../runtime/peer-error-wording.js';
import { intValue } from '../../value/number.js';
import { toText } from '../../value/text/text.js';
import { type Closure, objectFrom, Range, type RecordId, type Value } from '../../value/value.js';
import { termsOf } from './analyzers.js';
import { callClosure } from './closure.js';

/**
 * The context of built-in functions in a call. Closures and reads use this very execution, its
 * depth and its checks, whatever execution it was derived from. One is made for each call, which costs less than
 * finding one that was made before.
 */
export class ExecutionFunctionContext implements FunctionContext {
  constructor(
    private readonly execution: Execution,
    private readonly row?: Value,
  ) {}

  get indexNote() {
    return noteOf(this.row);
  }

  get environment() {
    return this.execution.services.environment;
  }

  get session() {
    return this.execution.identity.session;
  }

  get passwords() {
    return this.execution.services.passwords;
  }

  get passwordStrength() {
    return this.execution.services.passwordStrength;
  }

  get network() {
    assertEffectsAllowed(this.execution, 'HTTP request');
    const { services, request } = this.execution;
    return request.sent === undefined ? services.network : request.sent.over(services.network);
  }

  get functions() {
    return this.execution.services.functions;
  }

  call(closure: Closure, args: readonly Value[]): PromiseOrValue<Value> {
    return rewordErrors(() => callClosure(this.execution, closure, args));
  }

  readRecord(id: RecordId): PromiseOrValue<Value> {
    return this.execution.services.reader.read(this.execution, id);
  }

  hasRecord(id: RecordId): PromiseOrValue<boolean> {
    return hasRecord(this.execution, id);
  }

  invokeApi(path: string, request: Value): PromiseOrValue<Value> {
    assertEffectsAllowed(this.execution, 'call of an API endpoint');
    return this.execution.services.apis.invoke(this.execution, path, request);
  }

  async identitiesOf(id: RecordId): Promise<Value> {
    const { context, checks, identity } = this.execution;
    const { principal, databasePath } = identity;
    const isOwn = identity.auth !== undefined && toText(identity.auth) === toText(id);
    // In clauses and PERMISSIONS there are no checks: these are the rules themselves.
    if (checks.view && !isOwn && !mayAct(principal, 'view', databasePath)) return [];
    const catalog = await context.catalog();
    if (catalog === undefined) return [];
    const identities = await new Identities(context.transaction, catalog.database.id).ofRecord(id);
    return identities.map((tied) => {
      const { access, kind, created, used } = tied;
      const { subject, issuer } = shownSubject(tied);
      const named = { ...(issuer !== undefined && { issuer }), ...shownName(tied) };
      return objectFrom({ access, kind, subject, ...named, created, used });
    });
  }

  nextNumber(sequence: string): PromiseOrValue<Value> {
    assertEffectsAllowed(this.execution, 'next number of a sequence');
    return nextNumber(this.execution, sequence);
  }

  get files() {
    return this.execution.services.files.of(this.execution);
  }

  hasTable(name: string): PromiseOrValue<boolean> {
    return andThen(this.execution.context.catalog(), (catalog) => catalog?.tables.has(name) ?? false);
  }

  analyze(name: string, text: string): PromiseOrValue<readonly string[]> {
    const { execution } = this;
    return andThen(execution.services.analyzers.named(execution, name), (analyzer) =>
      termsOf(execution, analyzer, text),
    );
  }

  check(): void {
    this.execution.interrupt.check();
  }

  checkpoint(units?: number): PromiseOrValue<void> {
    return this.execution.interrupt.checkpoint(units);
  }
}

function hasRecord(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
  const {
    services: { reader },
  } = execution;
  if (!(id.key instanceof Range))
    return andThen(reader.read(execution, id, 'select', NO_FIELDS), (found) => found !== undefined);
  let has = false;
  const done = reader.scan(execution, { table: id.table, range: id, limit: 1, fields: NO_FIELDS }, ({ length }) => {
    has = length > 0;
    return has;
  });
  return andThen(done, () => has);
}

/**
 * The next number of a sequence of the selected database.
 * @throws TesseraError `namespace_empty`, `database_empty`, `sequence_missing`, `sequence_forbidden`,
 * `sequence_exhausted`, `timed_out`
 */
function nextNumber(execution: Execution, name: string): PromiseOrValue<Value> {
  selectedDatabase(execution);
  return andThen(execution.context.catalog(), (catalog) => {
    const sequence = catalog?.sequences.get(name);
    if (catalog === undefined || sequence === undefined) throw failure('sequence_missing', { name });
    const { sequences, sequenceRights } = execution.services;
    return andThen(sequenceRights.assertMayDraw(execution, sequence), () =>
      andThen(sequences.next(catalog.database.id, sequence, execution.interrupt), intValue),
    );
  });
}
