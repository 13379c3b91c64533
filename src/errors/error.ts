/** The error class, and `failure`, which makes each error from its row in the catalogue. */
import { constants } from 'node:buffer';
import { CATALOGUE, type DetailOf, type ErrorCode } from './catalogue.js';
import type { ErrorDetails, ErrorKind, ErrorRow } from './row.js';

/** The position of an error in the query text. Lines and columns count from 1, columns in characters. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

interface ErrorOptions {
  readonly cause?: unknown;
  readonly position?: SourcePosition;
  readonly fields?: readonly string[];
}

/**
 * The only error class. Match `code`; `message` is for people.
 *
 *     try { … } catch (error) { if (error instanceof TesseraError && error.code === 'record_exists') … }
 */
export class TesseraError extends Error {
  override readonly name = 'TesseraError';
  readonly kind: ErrorKind;
  readonly details: ErrorDetails | undefined;
  readonly rpcCode: number;
  readonly httpStatus: number;
  readonly retryable: boolean;
  readonly position: SourcePosition | undefined;
  /** The fields of a record that it is about. Not sent to clients, except by errors that name them in their text. */
  readonly fields: readonly string[];

  constructor(
    readonly code: ErrorCode,
    row: ErrorRow<never>,
    text: string,
    details: ErrorDetails | undefined,
    options: ErrorOptions = {},
  ) {
    super(text, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = row.kind;
    this.details = details;
    this.rpcCode = row.rpc ?? -32000;
    this.httpStatus = row.http ?? 400;
    this.retryable = row.retryable ?? false;
    this.position = options.position;
    this.fields = options.fields ?? [];
  }
}

type DetailArguments<C extends ErrorCode> =
  DetailOf<C> extends undefined
    ? [detail?: undefined, options?: { cause?: unknown; position?: SourcePosition }]
    : [detail: DetailOf<C>, options?: { cause?: unknown; position?: SourcePosition }];

/**
 * Creates the error of a code, to be thrown.
 *
 *     throw failure('record_exists', { id: 'person:1' });
 */
export function failure<C extends ErrorCode>(code: C, ...[detail, options]: DetailArguments<C>): TesseraError {
  const row = CATALOGUE[code] as unknown as ErrorRow<unknown>;
  const fields = row.fields?.(detail);
  return new TesseraError(code, row, row.text(detail), row.details?.(detail), {
    ...options,
    ...(fields && { fields }),
  });
}

/** V8's messages for strings, arrays and buffers beyond the maximum length. */
const TOO_LONG: ReadonlySet<string> = new Set([
  'Array buffer allocation failed',
  'Invalid array length',
  'Invalid string length',
  'Map maximum size exceeded',
  'Set maximum size exceeded',
]);

/** The message of anything thrown, for the text of another error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * Converts anything thrown. Foreign errors become `internal`, with the original as cause (for the log only); V8's
 * length errors become the corresponding limit errors.
 *
 *     catch (thrown) { report(asTesseraError(thrown)); }
 */
export function asTesseraError(thrown: unknown): TesseraError {
  if (thrown instanceof TesseraError) return thrown;
  if (thrown instanceof RangeError && TOO_LONG.has(thrown.message)) {
    return failure('value_too_large', { limit: constants.MAX_STRING_LENGTH }, { cause: thrown });
  }
  return failure('internal', undefined, { cause: thrown });
}
