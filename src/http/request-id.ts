import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/** The id of a request; a fresh one each time where it brings none. */
export type RequestId = (request: Pick<IncomingMessage, 'headers'>) => string;

/** Gives requests their ids: the header `x-request-id` where it is harmless, else a fresh one. */
export function requestIds(): RequestId {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && ACCEPTABLE.test(given) ? given : `${prefix}-${(count++).toString(36)}`;
  };
}
