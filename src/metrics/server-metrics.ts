/** The counters and histograms that requests, statements and sign-ins report to. */
import { BackgroundMetrics } from './background-metrics.js';
import { CounterFamily, type Durations, type Family, FamilyList, HistogramFamily } from './families.js';
import { FileMetrics } from './file-metrics.js';

/**
 * The counters of a server. Label values are fixed names (routes, methods, kinds of statements,
 * error codes) but for tables, whose number is bounded.
 */
export class ServerMetrics {
  readonly #families = new FamilyList();
  readonly #requests = this.#families.with(
    new HistogramFamily(
      'tessera_request_duration_seconds',
      'Time from a request to its answer, by door (HTTP route, or websocket), method (of HTTP or RPC) and outcome.',
      ['door', 'method', 'outcome'],
    ),
  );
  readonly #requestErrors = this.#families.with(
    new CounterFamily(
      'tessera_request_errors_total',
      'Requests answered by an error, by its code; a failed statement of a query is none.',
      ['code'],
    ),
  );
  readonly #statements = this.#families.with(
    new HistogramFamily('tessera_statement_duration_seconds', 'Time that statements took, by kind and outcome.', [
      'kind',
      'outcome',
    ]),
  );
  readonly #statementErrors = this.#families.with(
    new CounterFamily(
      'tessera_statement_errors_total',
      'Statements that failed, by the code of the error (docs/reference/errors.md).',
      ['code'],
    ),
  );
  readonly #signIns = this.#families.with(
    new CounterFamily(
      'tessera_sign_ins_total',
      'Sign-ins, sign-ups and tokens presented, by action, method and outcome (ok, failed, throttled, error).',
      ['action', 'method', 'outcome'],
    ),
  );
  readonly #deniedWrites = this.#families.with(
    new CounterFamily(
      'tessera_denied_writes_total',
      'Writes that PERMISSIONS denied, by table and action.',
      ['table', 'action'],
      200,
    ),
  );
  readonly #conflicts = this.#families.with(
    new CounterFamily(
      'tessera_transaction_conflicts_total',
      'Transactions that conflicted with another one and were tried again or failed.',
      [],
    ),
  );
  readonly #liveChanges = this.#families.with(
    new HistogramFamily(
      'tessera_live_change_lag_seconds',
      'Time from a commit to the moment at which a live query was through with it, read by the client or not shown.',
      [],
    ),
  );
  readonly #liveResults = this.#families.with(
    new HistogramFamily('tessera_live_result_evaluation_seconds', 'Time of an evaluation for live results.', []),
  );
  /** Of that, statements without an error, by kind. */
  readonly #succeeded = new Map<string, Durations>();
  readonly files = new FileMetrics();
  /** Of work in the background. */
  readonly background = new BackgroundMetrics();

  /** `milliseconds` from its headers, or its message, to the end of its answer. */
  request(door: string, method: string, outcome: RequestOutcome, milliseconds: number): void {
    this.#requests.record(milliseconds / 1000, door, method, outcome);
  }

  /** Where the requests of a method that are answered without an error are counted, in seconds. */
  answers(door: string, method: string): Durations {
    return this.#requests.of(door, method, 'ok' satisfies RequestOutcome);
  }

  /** A request is answered by an error. */
  requestError(code: string): void {
    this.#requestErrors.add(code);
  }

  /** `error`: the code of the error with which it failed. */
  statement(kind: string, milliseconds: number, error?: string): void {
    if (error !== undefined) {
      this.#statements.record(milliseconds / 1000, kind, 'error');
      this.#statementErrors.add(error);
      return;
    }
    let succeeded = this.#succeeded.get(kind);
    if (succeeded === undefined) {
      succeeded = this.#statements.of(kind, 'ok');
      this.#succeeded.set(kind, succeeded);
    }
    succeeded.record(milliseconds / 1000);
  }

  signIn(action: string, method: string, outcome: SignInOutcome): void {
    this.#signIns.add(action, method, outcome);
  }

  deniedWrite(table: string, action: string): void {
    this.#deniedWrites.add(table, action);
  }

  /** A live query has processed a change: it was sent, or isn't visible to its user. */
  liveChange(milliseconds: number): void {
    this.#liveChanges.record(milliseconds / 1000);
  }

  /** A result was evaluated again, which all who follow it share. */
  liveResult(milliseconds: number): void {
    this.#liveResults.record(milliseconds / 1000);
  }

  readonly conflict = (): void => this.#conflicts.add();

  families(): readonly Family[] {
    return [...this.#families.all, ...this.files.families(), ...this.background.families()];
  }
}

/** `rejected`: the fault is the client's (4xx); `failed`: the server's (5xx). */
export type RequestOutcome = 'ok' | 'rejected' | 'failed';
/** `error`: the credentials couldn't be checked, as with an unavailable store. */
export type SignInOutcome = 'ok' | 'failed' | 'throttled' | 'error';
