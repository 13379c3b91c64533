/** Responds with an error on a socket without a Fastify reply: before a request, or instead of an upgrade. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TesseraError } from '../../errors/error.js';
import { errorBody } from './error-body.js';
import { errorHeaders } from './reply.js';

/** What is known of the request. */
interface Known {
  /** The request's id, which the log contains. */
  readonly id: string;
  /** By which a page may read the response; a page can't read that to a WebSocket handshake. */
  readonly cors?: readonly (readonly [name: string, value: string])[];
}

/** Responds to a request before Fastify sees it, and closes the connection. */
export function rawAnswer(response: ServerResponse, error: TesseraError, { id, cors = [] }: Known): void {
  const headers = {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
    ...Object.fromEntries([...cors, ...errorHeaders(error)]),
    connection: 'close',
  };
  response.writeHead(error.httpStatus, headers).end(errorBody(error));
}

/** The same without a response of Node's. */
export function rawError(socket: Duplex, error: TesseraError, { id, cors = [] }: Known): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(error);
  const head = [
    `HTTP/1.1 ${error.httpStatus} ${STATUS_CODES[error.httpStatus] ?? 'Error'}`,
    'content-type: application/json',
    'x-content-type-options: nosniff',
    `x-request-id: ${id}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...[...cors, ...errorHeaders(error)].map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
