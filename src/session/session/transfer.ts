/** Whole databases on their way out of a session and into it: piece by piece, never held whole. */
import type { SessionIdentity } from '../../auth/identity.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { asTesseraError, failure, type SourcePosition, type TesseraError } from '../../errors/error.js';
import { authorize } from '../../exec/authorize.js';
import type { Scope } from '../../exec/execution.js';
import { exportDatabase } from '../../exec/export/export.js';
import type { ExportSelection } from '../../exec/export/selection.js';
import type { RequestInterrupt } from '../../exec/interrupt.js';
import type { RequestMemory } from '../../exec/request-memory.js';
import type { Statement } from '../../language/ast.js';
import type { Limits } from '../../language/parser/parser.js';
import { type ReceivedStatement, StatementStream } from '../../language/statement-stream.js';
import { formatDuration } from '../../value/duration.js';
import type { Auditor } from '../audit/auditor.js';
import type { TransferTimeout } from '../contract.js';
import type { DurabilityTracker } from './durability-tracker.js';
import { RequestRunner, type RunnerServices } from './request-runner.js';
import type { ExportSnapshot } from './transactions.js';

/** The session in which it happens. */
export interface Transferer {
  readonly services: RunnerServices;
  readonly auditor: Auditor | undefined;
  /** Ends it with the session. */
  readonly interrupt: RequestInterrupt;
  /** As long as it takes if absent. */
  readonly timeout: TransferTimeout | undefined;
  readonly memory: RequestMemory;
  readonly scope: Scope;
  readonly durability: DurabilityTracker;
  /** Whose session it is by now. @throws TesseraError when the session is over, or is somebody's who may run nothing */
  identity(): PromiseOrValue<SessionIdentity>;
  /** What an export reads, until it is done or the session ends. @throws TesseraError `too_many_transactions` */
  snapshot(): PromiseOrValue<ExportSnapshot>;
}

/** What was exported may be nested deeper than what clients write, and a batch of records may be long. */
const IMPORTED_TEXT = { depth: 512, height: 4_000, length: 64 * 1024 * 1024 } satisfies Limits;

export async function* exportFrom(session: Transferer, selection: ExportSelection): AsyncGenerator<string> {
  const { services, auditor, timeout, memory, durability } = session;
  const interrupt = session.interrupt.within(timeout?.duration);
  let error: TesseraError | undefined = failure('cancelled');
  try {
    await auditor?.room();
    await durability.durable;
    const identity = await session.identity();
    const snapshot = await session.snapshot();
    try {
      const { transaction } = snapshot;
      const execution = services.executor.execution({ transaction, identity, interrupt, memory });
      for await (const piece of exportDatabase(execution, selection)) {
        yield piece;
        // Whoever takes it slowly may have lost the right to it meanwhile.
        authorize(await session.identity(), 'view', identity.place, 'Any');
        interrupt.check();
      }
    } finally {
      snapshot.cancel();
    }
    error = undefined;
  } catch (thrown) {
    error = toldAs('export', thrown, timeout);
    throw error;
  } finally {
    auditor?.transferred('export', error, {});
  }
}

export async function importInto(session: Transferer, pieces: AsyncIterable<string>): Promise<void> {
  const { services, auditor, timeout, memory, scope, durability } = session;
  const interrupt = session.interrupt.within(timeout?.duration);
  let error: TesseraError | undefined;
  let statements = 0;
  try {
    const identity = await session.identity();
    const runner = new RequestRunner(services, {
      identity,
      interrupt,
      memory,
      scope,
      held: undefined,
      durability,
      listener: undefined,
      auditor,
    });
    try {
      for await (const batch of batchesOf(checked(pieces, interrupt))) {
        if (batch === undefined) {
          await interrupt.checkpoint();
          continue;
        }
        await auditor?.room();
        authorize(await session.identity(), 'edit', identity.place, 'Any');
        await run(runner, interrupt, batch);
        // Nobody is told the results.
        memory.releaseTo(0);
        statements += batch.statements.length;
      }
    } finally {
      await durability.durable;
    }
  } catch (thrown) {
    error = toldAs('import', thrown, timeout);
    throw error;
  } finally {
    auditor?.transferred('import', error, { statements });
  }
}

/** The time of the whole is told otherwise than that of a statement in it. */
function toldAs(what: 'import' | 'export', thrown: unknown, timeout: TransferTimeout | undefined): TesseraError {
  const error = asTesseraError(thrown);
  if (error.code !== 'timed_out' || timeout === undefined) return error;
  return failure('transfer_timed_out', { what, duration: formatDuration(timeout.duration), setting: timeout.setting });
}

/** A text that comes without an end, in pieces that complete no statement, takes time, too. */
async function* checked(pieces: AsyncIterable<string>, interrupt: RequestInterrupt): AsyncGenerator<string> {
  for await (const piece of pieces) {
    interrupt.check();
    yield piece;
  }
}

interface Batch {
  readonly statements: readonly Statement[];
  readonly position: SourcePosition;
}

/** Statement by statement; what stands between BEGIN and COMMIT as a whole; `undefined` where others had better have a turn. */
async function* batchesOf(pieces: AsyncIterable<string>): AsyncGenerator<Batch | undefined> {
  const stream = new StatementStream(IMPORTED_TEXT);
  const block = new Block();
  for await (const piece of pieces) {
    stream.push(piece);
    yield* block.batches(stream.statementsAndPauses());
  }
  stream.end();
  yield* block.batches(stream.statementsAndPauses());
  yield* block.unfinished();
}

/** Holds a transaction back until it is complete. */
class Block {
  #held: ReceivedStatement[] = [];
  #length = 0;

  *batches(received: Iterable<ReceivedStatement | undefined>): Generator<Batch | undefined> {
    for (const each of received) {
      if (each === undefined) {
        yield undefined;
        continue;
      }
      const { kind } = each.statement;
      if (this.#held.length === 0 && kind !== 'begin') {
        yield { statements: [each.statement], position: each.position };
        continue;
      }
      this.#held.push(each);
      this.#length += each.length;
      if (this.#length > IMPORTED_TEXT.length) throw failure('query_too_long', { limit: IMPORTED_TEXT.length });
      if (kind === 'commit' || kind === 'cancel') yield* this.unfinished();
    }
  }

  *unfinished(): Generator<Batch> {
    const [first] = this.#held;
    if (first === undefined) return;
    const statements = this.#held.map(({ statement }) => statement);
    this.#held = [];
    this.#length = 0;
    yield { statements, position: first.position };
  }
}

/** @throws TesseraError `import_failed` with where it was; `cancelled` and `timed_out` of the import as a whole */
async function run(runner: RequestRunner, interrupt: RequestInterrupt, { statements, position }: Batch): Promise<void> {
  interrupt.check();
  try {
    for (const { outcome } of await runner.run(statements)) if (!outcome.ok) throw outcome.error;
  } catch (thrown) {
    const error = asTesseraError(thrown);
    if (error.code === 'cancelled') throw error;
    // A statement that was ended by a TIMEOUT of its own has failed; one that the import's time ended hasn't.
    interrupt.check();
    throw failure('import_failed', { ...position, reason: error.message }, { cause: error, position });
  }
}
