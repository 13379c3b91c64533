/** The kinds of errors, as the reference engine's clients know them. */
export type ErrorKind =
  | 'Validation'
  | 'Configuration'
  | 'Thrown'
  | 'Query'
  | 'Serialization'
  | 'NotAllowed'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Connection'
  | 'Internal';

/** Machine-readable details beside the text: `{kind: 'Record', details: {id: 'person:1'}}`. */
export interface ErrorDetails {
  readonly kind: string;
  readonly details?: Readonly<Record<string, unknown>> | ErrorDetails;
}

/** A row of the catalogue. `D` is the data that the error requires. */
export interface ErrorRow<D> {
  readonly kind: ErrorKind;
  /** The message. Equal to the reference engine's where it has one. Must not contain secrets. */
  text(detail: D): string;
  details?(detail: D): ErrorDetails | undefined;
  /** The fields of a record that it is about, for the server alone. */
  fields?(detail: D): readonly string[];
  /** The JSON-RPC code. Default −32000 (any other failure). */
  readonly rpc?: number;
  /** The HTTP status if the whole request fails with this error. Default 400. */
  readonly http?: number;
  /** Whether the same request may succeed if it is repeated. */
  readonly retryable?: boolean;
}

/** Types a row. */
export function row<D = void>(definition: ErrorRow<D>): ErrorRow<D> {
  return definition;
}
