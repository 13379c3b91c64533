/** Exports and imports whole databases as streams. */
import { exportDatabase } from '../../ddl/export/export.js';
import type { ExportSelection } from '../../ddl/export/selection.js';
import { asTesseraError, failure, type SourcePosition, type TesseraError } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import type { ParserLimits } from '../../language/parser/parser.js';
import { type ReceivedStatement, StatementStream } from '../../language/statement-stream.js';
import { NO_TOKENS, sumOfTokens, weightOfCompiled, weightOfTrees } from '../../language/tree-weight.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import type { RequestInterrupt } from '../../runtime/interrupt.js';
import type { RequestMemory } from '../../runtime/request-memory.js';
import { formatDuration } from '../../value/time/duration.js';
import type { TransferTimeout } from '../contract.js';
import { requestScope } from '../resources/session-variables.js';
import { runAll } from './run/request.js';
import { RequestRun } from './run/request-run.js';
import { beginRequest, type RunningRequest, runRequest, streamRequest } from './run/running.js';
import type { SessionState } from './state.js';
import { beginExport } from './transactions.js';
import { admittedIdentity } from './validity.js';

/** Exports the selected database. The export has a time limit of its own, and ends with the session. */
export function exportFrom(
  session: SessionState,
  selection: ExportSelection,
  timeout: TransferTimeout | undefined,
): AsyncGenerator<string> {
  const running = beginRequest(session);
  return streamRequest(session, running, exportPieces(session, running, selection, timeout));
}

/** Imports a text. The import has a time limit of its own, and ends with the session. */
export async function importInto(
  session: SessionState,
  pieces: AsyncIterable<string>,
  timeout: TransferTimeout | undefined,
): Promise<void> {
  const running = beginRequest(session);
  await runRequest(session, running, () => importPieces(session, running, pieces, timeout));
}

/** Exported values may be nested deeper than what clients write, and batches of records may be long. */
const IMPORTED_TEXT = { depth: 512, height: 4_000, length: 64 * 1024 * 1024 } satisfies ParserLimits;

async function* exportPieces(
  session: SessionState,
  running: RunningRequest,
  selection: ExportSelection,
  timeout: TransferTimeout | undefined,
): AsyncGenerator<string> {
  const { services, auditor, durability } = session;
  const { memory } = running;
  const interrupt = running.interrupt.within(timeout?.duration);
  let error: TesseraError | undefined = failure('cancelled');
  try {
    await auditor?.room();
    await durability.durable;
    const identity = await admittedIdentity(session);
    const snapshot = await beginExport(session);
    try {
      const { transaction } = snapshot;
      const execution = services.executor.execution({ transaction, identity, interrupt, memory });
      for await (const piece of exportDatabase(execution, selection)) {
        yield piece;
        // The session may have lost its rights since the last chunk.
        authorize(await admittedIdentity(session), 'view', identity.databasePath, 'Any');
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

async function importPieces(
  session: SessionState,
  running: RunningRequest,
  pieces: AsyncIterable<string>,
  timeout: TransferTimeout | undefined,
): Promise<void> {
  const { services, auditor, durability } = session;
  const { memory } = running;
  const interrupt = running.interrupt.within(timeout?.duration);
  let error: TesseraError | undefined;
  let statements = 0;
  try {
    const identity = await admittedIdentity(session);
    // Of those who may import nothing, nothing is read.
    authorize(identity, 'edit', identity.databasePath, 'Any');
    const run = new RequestRun(services, {
      identity,
      interrupt,
      memory,
      scope: requestScope(session.kept, undefined),
      durability,
      listener: undefined,
      auditor,
      variables: undefined,
      heldIdentities: undefined,
      trace: undefined,
    });
    try {
      for await (const batch of batchesOf(checked(pieces, interrupt), memory)) {
        if (batch === undefined) {
          await interrupt.checkpoint();
          continue;
        }
        await auditor?.room();
        authorize(await admittedIdentity(session), 'edit', identity.databasePath, 'Any');
        const mark = memory.used;
        memory.charge(batch.weight);
        await runBatch(run, interrupt, batch);
        // Results aren't returned.
        memory.releaseTo(mark);
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

/** The timeout of a transfer has its own error code. */
function toldAs(what: 'import' | 'export', thrown: unknown, timeout: TransferTimeout | undefined): TesseraError {
  const error = asTesseraError(thrown);
  if (error.code !== 'timed_out' || timeout === undefined) return error;
  return failure('transfer_timed_out', { what, duration: formatDuration(timeout.duration), setting: timeout.setting });
}

/** Bytes of a unit of the text that statements keep parts of. */
const TEXT_UNIT = 2;
const CHARGED_TOGETHER = 256;

/** Yields to the interrupt for each chunk, so that an endless incomplete statement times out as well. */
async function* checked(pieces: AsyncIterable<string>, interrupt: RequestInterrupt): AsyncGenerator<string> {
  for await (const piece of pieces) {
    interrupt.check();
    yield piece;
  }
}

interface Batch {
  readonly statements: readonly Statement[];
  readonly position: SourcePosition;
  /** Bytes that the statements take. */
  readonly weight: number;
}

/**
 * Splits a text into statements, with a BEGIN … COMMIT block as one batch; `undefined` marks a point to yield. Of the
 * memory, what was received and isn't a batch yet is charged.
 * @throws TesseraError as the parser; `request_memory_exceeded`
 */
async function* batchesOf(pieces: AsyncIterable<string>, memory: RequestMemory): AsyncGenerator<Batch | undefined> {
  const stream = new StatementStream(IMPORTED_TEXT, true);
  const block = new Block();
  const hold = () => {
    const held = stream.weight + block.weight;
    if (held > memory.used) memory.charge(held - memory.used);
    else memory.releaseTo(held);
  };
  const received = function* () {
    hold();
    for (const batch of block.batches(stream.statementsAndPauses())) {
      hold();
      yield batch;
    }
    hold();
  };
  for await (const piece of pieces) {
    stream.push(piece);
    yield* received();
  }
  stream.end();
  yield* received();
  yield* block.unfinished();
}

/** Buffers the statements of a BEGIN … COMMIT block until it is complete. */
class Block {
  #held: ReceivedStatement[] = [];
  #length = 0;
  #tokens = NO_TOKENS;

  /** Bytes that the statements take: with what is compiled of them, since a block may run again. */
  get weight(): number {
    return this.#length * TEXT_UNIT + weightOfCompiled(this.#tokens);
  }

  *batches(received: Iterable<ReceivedStatement | undefined>): Generator<Batch | undefined> {
    for (const each of received) {
      if (each === undefined) {
        yield undefined;
        continue;
      }
      const { statement, position, tokens } = each;
      if (this.#held.length === 0 && statement.kind !== 'begin') {
        yield { statements: [statement], position, weight: weightOfTrees(tokens) };
        continue;
      }
      this.#held.push(each);
      this.#length += each.length;
      this.#tokens = sumOfTokens(this.#tokens, tokens);
      if (this.#length > IMPORTED_TEXT.length) throw failure('query_too_long', { limit: IMPORTED_TEXT.length });
      if (statement.kind === 'commit' || statement.kind === 'cancel') yield* this.unfinished();
      // So that its weight is charged now and then.
      else if (this.#held.length % CHARGED_TOGETHER === 0) yield undefined;
    }
  }

  *unfinished(): Generator<Batch> {
    const [first] = this.#held;
    if (first === undefined) return;
    const statements = this.#held.map(({ statement }) => statement);
    const { weight } = this;
    this.#held = [];
    this.#length = 0;
    this.#tokens = NO_TOKENS;
    yield { statements, position: first.position, weight };
  }
}

/**
 * Runs one batch.
 * @throws TesseraError `import_failed` with the position; `cancelled` and `timed_out` for the import as a whole
 */
async function runBatch(run: RequestRun, interrupt: RequestInterrupt, { statements, position }: Batch): Promise<void> {
  interrupt.check();
  try {
    for (const { outcome } of await runAll(run, { statements })) if (!outcome.ok) throw outcome.error;
  } catch (thrown) {
    const error = asTesseraError(thrown);
    if (error.code === 'cancelled') throw error;
    // A statement's own TIMEOUT is a failure of the import; the import's timeout isn't a failure of the statement.
    interrupt.check();
    throw failure('import_failed', { ...position, reason: error.message }, { cause: error, position });
  }
}
