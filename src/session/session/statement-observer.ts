/** Counts, traces and logs the statements of a request as they run. */
import type { SessionIdentity } from '../../auth/identity.js';
import type { Statement } from '../../language/ast.js';
import type { WaitInterrupt } from '../../storage/contract.js';
import type { RequestTrace } from '../../tracing/request-trace.js';
import type { Span } from '../../tracing/tracer.js';
import { isSlow, writeSlow } from '../slow-log.js';
import type { StatementResult } from '../statement-executor.js';
import { withoutLiterals } from '../statement-text.js';
import type { RunnerRequest, RunnerServices } from './runner-contract.js';

export class StatementObserver {
  readonly #services: Pick<RunnerServices, 'metrics' | 'slowLog'>;
  readonly #request: Pick<RunnerRequest, 'variables' | 'trace'>;
  /** If the request is traced: a wait for the store begins; call the returned function when it has ended. */
  readonly waiting: WaitInterrupt['waiting'];
  /** Of the running statement, if requests are traced. */
  #span: Span | undefined;

  constructor(
    services: Pick<RunnerServices, 'metrics' | 'slowLog'>,
    request: Pick<RunnerRequest, 'variables' | 'trace'>,
  ) {
    this.#services = services;
    this.#request = request;
    const { span } = request.trace ?? {};
    this.waiting =
      span &&
      (() => {
        const wait = (this.#span ?? span).begin('store wait');
        return () => wait.end();
      });
  }

  get trace(): RequestTrace | undefined {
    return this.#request.trace;
  }

  /** A statement begins. */
  begin(statement: Statement): void {
    const span = this.#request.trace?.span;
    if (span === undefined) return;
    const { kind } = statement;
    this.#span = span.begin(kind, () => ({
      'db.system.name': 'tessera',
      'db.operation.name': kind,
      'db.query.text': withoutLiterals(statement),
    }));
  }

  /** It has ended, with the error of this code. */
  finish(error: string | undefined): void {
    this.#span?.end(error);
    this.#span = undefined;
  }

  /** Counts a statement by its result, and logs it if it was slow or cut off. */
  note(statement: Statement, { time, outcome }: StatementResult, identity: SessionIdentity): void {
    const { metrics, slowLog } = this.#services;
    const milliseconds = Number(time) / 1e6;
    const error = outcome.ok ? undefined : outcome.error.code;
    metrics?.statement(statement.kind, milliseconds, error);
    if (slowLog === undefined || !isSlow(slowLog, milliseconds, error)) return;
    const { principal, databasePath } = identity;
    const { variables, trace } = this.#request;
    writeSlow(slowLog, { statement, milliseconds, error, principal, databasePath, variables, trace });
  }

  /** Both of a statement that ran alone. */
  ended(statement: Statement, result: StatementResult, identity: SessionIdentity): void {
    this.finish(result.outcome.ok ? undefined : result.outcome.error.code);
    this.note(statement, result, identity);
  }

  /** The same as `note` for the statements of a block. */
  noteAll(statements: readonly Statement[], results: readonly StatementResult[], identity: SessionIdentity): void {
    for (const [at, result] of results.entries()) this.note(statements[at] as Statement, result, identity);
  }
}
