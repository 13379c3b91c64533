/** The log of statements that were slow or ended by a limit. */
import type { DatabasePath, Principal } from '../catalog/principal.js';
import type { ErrorCode } from '../errors/catalogue.js';
import type { Statement } from '../language/ast.js';
import type { RequestTrace } from '../tracing/request-trace.js';
import { toText } from '../value/text/text.js';
import { kindOf, type ObjectValue, type Value } from '../value/value.js';
import { withoutLiterals } from './statement-text.js';

/** A line of the log. */
export interface SlowStatement {
  readonly request: string | undefined;
  readonly trace: string | undefined;
  readonly kind: Statement['kind'];
  readonly milliseconds: number;
  /** The code of its error. */
  readonly error: string | undefined;
  /** Without the values of literals, nor secrets. */
  readonly statement: string;
  /** The parameters that came with the request, as text; those that may not be shown read `[redacted]`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly user: string;
  readonly namespace: string | undefined;
  readonly database: string | undefined;
}

export interface SlowLog {
  /** Threshold in milliseconds. */
  readonly threshold: number;
  /** Whether the value of a parameter may be written. Those whose names sound like secrets never are. */
  mayShow(parameter: string): boolean;
  write(line: SlowStatement): void;
}

/** Errors of limits: their statements are logged however long they took. */
const CUT_OFF: ReadonlySet<string> = new Set<ErrorCode>([
  'timed_out',
  'cancelled',
  'commit_outcome_unknown',
  'heap_exhausted',
  'request_memory_exceeded',
]);

/** Parameters with such names are never shown. */
const SECRET_NAME = /pass|pwd|secret|token|otp|pin$|code|key|refresh|credential/i;
const REDACTED = '[redacted]';
/** Characters of a parameter's value, and parameters, that are written. */
const LONGEST_VALUE = 256;
const MOST_PARAMETERS = 32;

/** Whether a statement is logged: it took as long as the threshold, or was ended by a limit. */
export function isSlow({ threshold }: SlowLog, milliseconds: number, error: string | undefined): boolean {
  return milliseconds >= threshold || (error !== undefined && CUT_OFF.has(error));
}

/** What a line is written about. */
export interface SlowRun {
  readonly statement: Statement;
  readonly milliseconds: number;
  readonly error: string | undefined;
  readonly principal: Principal;
  readonly databasePath: DatabasePath;
  readonly trace: RequestTrace | undefined;
  /** The parameters that came with the request. */
  readonly variables: ObjectValue | undefined;
}

/** Writes a line about a statement; its text is bounded. */
export function writeSlow(log: SlowLog, run: SlowRun): void {
  const { statement, milliseconds, error, principal, databasePath, trace, variables } = run;
  log.write({
    request: trace?.request,
    trace: trace?.traceId,
    kind: statement.kind,
    milliseconds: Math.round(milliseconds * 1000) / 1000,
    error,
    statement: withoutLiterals(statement),
    parameters: parametersOf(log, variables),
    user: nameOf(principal),
    namespace: databasePath.namespace,
    database: databasePath.database,
  });
}

function parametersOf(log: SlowLog, variables: ObjectValue | undefined): Readonly<Record<string, string>> {
  const names = Object.keys(variables ?? {}).slice(0, MOST_PARAMETERS);
  const isShown = (name: string) => !SECRET_NAME.test(name) && log.mayShow(name);
  return Object.fromEntries(names.map((name) => [name, isShown(name) ? shortText(variables?.[name]) : REDACTED]));
}

/** Collections may be large, and aren't written out. */
function shortText(value: Value): string {
  if (typeof value === 'string') return value.slice(0, LONGEST_VALUE);
  const kind = kindOf(value);
  return kind === 'object' || kind === 'array' || kind === 'set' ? `[${kind}]` : toText(value).slice(0, LONGEST_VALUE);
}

function nameOf(principal: Principal): string {
  switch (principal.kind) {
    case 'guest':
      return 'guest';
    case 'record':
      return toText(principal.id);
    case 'system':
      return principal.name;
  }
}
