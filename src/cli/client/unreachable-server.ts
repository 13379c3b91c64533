/** Describes why a server is unreachable: address, cause and remedy. */
import { ServerError } from './server-error.js';

/** By the codes of Node and of its `fetch`; others keep Node's own text. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name cannot be looked up',
  EHOSTUNREACH: 'there is no way to that address',
  ENETUNREACH: 'there is no way to that address',
  ETIMEDOUT: 'it takes too long to answer',
  UND_ERR_CONNECT_TIMEOUT: 'it takes too long to answer',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted: name its authority in NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted: name its authority in NODE_EXTRA_CA_CERTS',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

interface NetworkError extends Error {
  readonly code?: string;
  /** `fetch` keeps what happened here. */
  readonly cause?: unknown;
  /** Of a name with several addresses, what happened at each. */
  readonly errors?: readonly unknown[];
}

/** The error of a failed request or connection to `url`. */
export function unreachableServer(url: URL, error: unknown): ServerError {
  const { code, message } = innermost(error);
  const reason = (code !== undefined && REASONS[code]) || message;
  const text = `No server answers at ${url.origin}: ${reason}. Start one with "tessera start", or name another with --endpoint`;
  return new ServerError(text, { cause: error });
}

function innermost(error: unknown): { readonly code?: string; readonly message: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, message, cause, errors }: NetworkError = error;
  const within = errors?.[0] ?? cause;
  if (within instanceof Error) return innermost(within);
  return { message, ...(code !== undefined && { code }) };
}
