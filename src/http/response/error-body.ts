/** The JSON form of errors over HTTP. */
import { STATUS_CODES } from 'node:http';
import type { TesseraError } from '../../errors/error.js';
import { secondFactorIn } from '../../errors/second-factor.js';

/** The meaning of a status in two texts; the reference engine's where clients depend on them. */
const BY_STATUS: Readonly<Record<number, readonly [details: string, description: string]>> = {
  400: [
    'Request problems detected',
    'There is a problem with your request. Refer to the documentation for further information.',
  ],
  401: [
    'Authentication failed',
    'Your authentication details are invalid. Reauthenticate using valid authentication parameters.',
  ],
  403: ['Forbidden', 'You are not allowed to do this.'],
  404: ['Requested resource does not exist', 'The requested resource does not exist. Check that the address is right.'],
  405: [
    'Requested method not allowed',
    'The requested http method is not allowed for this resource. Refer to the documentation for allowed methods.',
  ],
  406: ['Not acceptable', 'The answer is not available in a format that the request accepts.'],
  409: ['Conflict', 'The request met a change made at the same time. It can be sent again.'],
  413: ['Payload too large', 'The request has exceeded the maximum payload size.'],
  415: [
    'Unsupported media type',
    'The request needs to adhere to certain constraints: see the accepted content types.',
  ],
  429: ['Too many requests', 'Wait for as long as the header Retry-After says before you send the request again.'],
  500: ['Internal server error', 'There was a problem with our servers.'],
  503: ['Service unavailable', 'The service cannot answer at the moment. The request can be sent again.'],
};

/**
 * `{code, details, description, information, error, field?, request?, access?, enrol?}`: status, its two texts, the
 * message, the stable code, the field of a sign-up that is to blame, if the access method reveals it, and what is due
 * where a second factor is required.
 */
export function errorBody(error: TesseraError): string {
  const status = error.httpStatus;
  const [details, general] = BY_STATUS[status] ?? [STATUS_CODES[status] ?? 'Error', error.message];
  const description = status === 409 && !error.retryable ? 'The request conflicts with what is stored.' : general;
  const told = { code: status, details, description, information: error.message, error: error.code };
  const field = fieldOf(error);
  return JSON.stringify({ ...told, ...(field !== undefined && { field }), ...secondFactorIn(error) });
}

function fieldOf({ details }: TesseraError): string | undefined {
  return details?.kind === 'Field' ? (details.details as { readonly field: string }).field : undefined;
}

/** Seconds to wait before a retry, if the error specifies them. */
export function retryAfter({ details }: TesseraError): number | undefined {
  const inner = details?.details as { readonly retryAfter?: unknown } | undefined;
  return typeof inner?.retryAfter === 'number' ? Math.ceil(inner.retryAfter) : undefined;
}
