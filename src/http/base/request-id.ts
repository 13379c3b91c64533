/** Request ids, by which lines of the log and the client's own records are matched. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/** The id of a request: given by the client, or new. */
export type RequestId = (request: Pick<IncomingMessage, 'headers'>) => string;

/** Uses a harmless `x-request-id` header, or a new id. */
export function requestIds(): RequestId {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && ACCEPTABLE.test(given) ? given : `${prefix}-${(count++).toString(36)}`;
  };
}
