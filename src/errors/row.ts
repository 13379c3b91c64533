/** The kinds of errors, as the peer's clients know them (`reference/protocol.md` §8). */
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

/** One row of the catalogue. `D` is what the error's maker has to supply. */
export interface ErrorRow<D> {
  readonly kind: ErrorKind;
  /** The text for people. Equal to the peer's where the peer has one. Must never hold a secret. */
  text(detail: D): string;
  details?(detail: D): ErrorDetails | undefined;
  /** The JSON-RPC code; −32000 (any other failure) unless told. */
  readonly rpc?: number;
  /** The HTTP status when the whole request fails with this error; 400 unless told. */
  readonly http?: number;
  /** Whether the same request may succeed when it is sent again. */
  readonly retryable?: boolean;
}

/** Types a row. */
export function row<D = void>(definition: ErrorRow<D>): ErrorRow<D> {
  return definition;
}
