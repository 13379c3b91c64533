/**
 * GraphQL as a stream of events, by GraphQL over SSE in its mode of distinct connections: one request, its answers, and
 * that was all.
 */
import { asTesseraError, type TesseraError } from '../../errors/error.js';
import type { Session } from '../../session/contract.js';
import type { GraphqlRequest } from '../base/request.js';
import type { GraphqlService } from '../service.js';
import { type GraphqlGet, type GraphqlPost, readSingle } from './handler.js';
import { standardText } from './response.js';

/**
 * The events that answer a request, as text; the signal ends them. What is wrong with the document is an event, too.
 * @throws TesseraError at once for errors of the request itself
 */
export type GraphqlEvents = (request: GraphqlGet | GraphqlPost, signal: AbortSignal) => AsyncIterable<string>;

const COMPLETE = 'event: complete\ndata:\n\n';

/**
 * Subscriptions over server-sent events; `report` receives errors that are faults of the server.
 * @throws TesseraError `graphql_request`, `unsupported_media_type`, when it is called
 */
export function createGraphqlEvents(service: GraphqlService, report: (error: TesseraError) => void): GraphqlEvents {
  return (request, signal) => events(service, request.session, readSingle(request), signal, report);
}

async function* events(
  service: GraphqlService,
  session: Session,
  request: GraphqlRequest,
  signal: AbortSignal,
  report: (error: TesseraError) => void,
): AsyncGenerator<string, undefined> {
  try {
    const opened = await service.subscribe(session, request);
    if ('failures' in opened) yield nextEvent(standardText(opened));
    else {
      const stop = () => void opened.return();
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
      for await (const outcome of opened) yield nextEvent(standardText(outcome));
    }
  } catch (thrown) {
    const error = asTesseraError(thrown);
    if (error.code === 'internal') report(error);
    yield nextEvent(standardText({ failures: [{ error, message: error.message }] }));
  }
  // An aborted stream must not look complete.
  if (!signal.aborted) yield COMPLETE;
}

/** JSON has no line breaks outside of its texts, and within them they are escaped. */
function nextEvent(json: string): string {
  return `event: next\ndata: ${json}\n\n`;
}
