/** Plain HTTP requests to a server, for streams. */
import { type ClientRequest, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ByteCollector } from '../../base/byte-collector.js';
import { ConfigurationError } from '../../server/setting.js';
import type { ConnectionOptions } from './connection.js';
import { ServerError } from './server-error.js';
import { unreachableServer } from './unreachable-server.js';

export interface Exchange {
  /** Its body is still to be written and ended. */
  readonly request: ClientRequest;
  readonly response: Promise<IncomingMessage>;
}

/** Begins a request with the credentials of the options. Without a timeout. */
export function begin(
  options: ConnectionOptions,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders,
): Exchange {
  const url = new URL(options.endpoint.replace(/^ws/, 'http'));
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ConfigurationError(`"${options.endpoint}" must begin with ws://, wss://, http:// or https://`);
  }
  url.pathname = `${url.pathname.replace(/\/(rpc)?$/, '')}${path}`;
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(url, { method, headers: { ...headers, ...identityHeaders(options) } });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', (error) => reject(unreachableServer(url, error)));
  });
  return { request, response };
}

function identityHeaders({ user, pass, token, ns, db, authLevel }: ConnectionOptions): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  const isDatabase = authLevel === 'database' || authLevel === 'db';
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  else if ((user === undefined) !== (pass === undefined)) {
    throw new ConfigurationError('--user and --pass need each other');
  } else if (user !== undefined) {
    headers['authorization'] = `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}`;
    if (authLevel !== 'root' && ns !== undefined) headers['svc-auth-ns'] = headerText(ns);
    if (isDatabase && db !== undefined) headers['svc-auth-db'] = headerText(db);
  }
  if (ns !== undefined) headers['svc-ns'] = headerText(ns);
  if (db !== undefined) headers['svc-db'] = headerText(db);
  return headers;
}

/** Node writes headers as Latin-1; names go out as UTF-8. */
function headerText(name: string): string {
  return Buffer.from(name, 'utf8').toString('latin1');
}

/** An answer is read up to here; errors are short. */
const LONGEST_ANSWER = 1024 * 1024;

/** The body of an answer as text, cut off at a length that errors never reach. */
export async function bodyText(answer: IncomingMessage): Promise<string> {
  const collected = new ByteCollector();
  for await (const piece of answer as AsyncIterable<Buffer>)
    if (collected.length < LONGEST_ANSWER) collected.append(piece);
  return collected.take().toString('utf8');
}

/** The text of the server's error, from its body. */
export function responseError(answer: IncomingMessage, body: string): ServerError {
  return new ServerError(informationIn(body) ?? `The server answered with status ${answer.statusCode}`);
}

function informationIn(body: string): string | undefined {
  try {
    const { information } = JSON.parse(body) as { readonly information?: unknown };
    return typeof information === 'string' ? information : undefined;
  } catch {
    return undefined;
  }
}
