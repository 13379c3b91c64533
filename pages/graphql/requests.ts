/** What the page asks of `/graphql`: queries and mutations by HTTP, subscriptions over a WebSocket. */
import { type DocumentNode, type ExecutionResult, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { createClient } from 'graphql-ws';
import { encodeHeaders, headersOf } from '../server.js';
import type { SignedIn } from '../session.js';

export interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string;
  readonly variables?: object;
}

export interface Receiver {
  next(answer: ExecutionResult): void;
  /** No more comes; with what was wrong, if anything. */
  ended(fault?: string): void;
  /** The server no longer knows the sign-in. */
  expired(): void;
}

const address = new URL(location.pathname, location.origin);

/** Asks, and returns what ends it. Headers that were written count before those of the sign-in. */
export function ask(
  session: SignedIn,
  request: GraphqlRequest,
  written: Readonly<Record<string, string>>,
  receiver: Receiver,
): () => void {
  const headers = combined(headersOf(session), written);
  if (isSubscription(request)) return subscribe(request, headers, receiver);
  const controller = new AbortController();
  const isOurs = headers['Authorization'] !== undefined && written['Authorization'] === undefined;
  send(request, headers, controller.signal).then(
    ({ status, answer }) => {
      receiver.next(answer);
      receiver.ended();
      if (status === 401 && isOurs) receiver.expired();
    },
    (thrown: Error) => receiver.ended(controller.signal.aborted ? 'It was stopped.' : thrown.message),
  );
  return () => controller.abort();
}

/** Names of headers are the same in capitals. */
function combined(
  own: Readonly<Record<string, string>>,
  written: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = new Set(Object.keys(written).map((name) => name.toLowerCase()));
  const left = Object.entries(own).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(left), ...written };
}

async function send(request: GraphqlRequest, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
  // Who asks is what the headers say, and a refusal opens no dialog of the browser's.
  const response = await fetch(address, {
    method: 'POST',
    credentials: 'omit',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json;q=0.9',
      ...encodeHeaders(headers),
    },
    body: JSON.stringify(request),
  });
  return { status: response.status, answer: (await response.json()) as ExecutionResult };
}

function subscribe(
  { query, operationName, variables }: GraphqlRequest,
  headers: Readonly<Record<string, string>>,
  receiver: Receiver,
): () => void {
  const url = new URL(address);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const client = createClient({ url: url.href, connectionParams: headers, retryAttempts: 0 });
  const payload = { query, ...(operationName !== undefined && { operationName }), variables: { ...variables } };
  client.subscribe(payload, {
    next: (answer) => receiver.next(answer as ExecutionResult),
    error: (thrown) => receiver.ended(faultOf(thrown)),
    complete: () => receiver.ended(),
  });
  return () => void client.dispose();
}

/** The errors of GraphQL, an error, or why the socket was closed. */
function faultOf(thrown: unknown): string {
  if (Array.isArray(thrown)) return thrown.map(({ message }: { readonly message: string }) => message).join('\n');
  const { message, reason } = thrown as { readonly message?: string; readonly reason?: string };
  return message ?? (reason || 'The connection was closed.');
}

/** The operations of a document, none of one that can't be read: the server says what is wrong with it. */
export function operationsIn(document: string): readonly OperationDefinitionNode[] {
  return (parsed(document)?.definitions ?? []).filter((each) => each.kind === Kind.OPERATION_DEFINITION);
}

function parsed(document: string): DocumentNode | undefined {
  try {
    return parse(document, { noLocation: true });
  } catch {
    return undefined;
  }
}

function isSubscription({ query, operationName }: GraphqlRequest): boolean {
  const operations = operationsIn(query);
  const chosen = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  return chosen?.operation === 'subscription';
}
