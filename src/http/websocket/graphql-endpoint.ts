/** GraphQL over WebSockets: authentication and selection. The GraphQL room implements the rest. */
import { asTesseraError, failure } from '../../errors/error.js';
import type { GraphqlSocketSession, OpenGraphqlSocket } from '../../graphql/transports/transport-ws.js';
import { checkQuerying } from '../../rpc/capabilities.js';
import type { Session } from '../../session/contract.js';
import { utf8Text } from '../../value/codecs/formats.js';
import type { Context } from '../base/context.js';
import { LIMIT_SETTINGS } from '../base/options.js';
import { selectionOf, textOf } from '../base/request-headers.js';
import { prepareSession } from '../request/request-session.js';
import { socketMeter } from '../routes/request-metrics.js';
import type { SocketChannel, SocketEndpoint, SocketSession } from './socket-endpoint.js';

/** RFC 6455, §7.4.1. */
const CLOSE = { unsupportedData: 1003, tooLarge: 1009 } as const;
const TOO_LARGE = `The message exceeds the limit (${LIMIT_SETTINGS.graphqlBody})`;

export const GRAPHQL: SocketEndpoint = {
  name: 'graphql',
  protocols: ['graphql-transport-ws'],
  anyProtocol: false,
  admit: socketOf,
  open(context, origin, request) {
    const { environment } = context;
    const longest = context.options.limits.graphqlBody;
    const openSocket = socketOf(context);
    const session = context.database.session(origin);
    const meter = socketMeter(context, request, 'graphql_websocket');
    return {
      session,
      begin: (line) => {
        const connect = (payload: Readonly<Record<string, unknown>>) => connectAs(context, session, payload);
        const socket = openSocket(session, { line: closingLine(line), environment, connect, meter });
        return new Texts(session, line, socket, longest);
      },
      close: () => session.close(),
    };
  },
};

function socketOf({ graphqlSocket }: Context): OpenGraphqlSocket {
  if (graphqlSocket === undefined) throw failure('graphql_disabled');
  return graphqlSocket;
}

/** Signs in and selects by the payload of `connection_init`, which uses the names of HTTP headers. */
async function connectAs(
  context: Context,
  session: Session,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const names = new Map(Object.entries(payload).map(([name, value]) => [name.toLowerCase(), value]));
  const token = textOf('token', names.get('token'));
  const authorization = textOf('authorization', names.get('authorization'));
  await prepareSession(session, token === undefined ? authorization : `Bearer ${token}`, selectionOf(names));
  checkQuerying(context.options.capabilities, session.identity.principal);
  const { namespace, database } = session.identity.databasePath;
  if (namespace === undefined) throw failure('namespace_empty');
  if (database === undefined) throw failure('database_empty');
}

/** A channel that closes when a response doesn't fit in memory. */
function closingLine(line: SocketChannel): Pick<SocketChannel, 'send' | 'close' | 'closeFor'> {
  return {
    send(text) {
      try {
        return line.send(text);
      } catch (thrown) {
        return line.closeFor(asTesseraError(thrown));
      }
    },
    close: (code, reason) => line.close(code, reason),
    closeFor: (reason) => line.closeFor(reason),
  };
}

class Texts implements SocketSession {
  readonly #session: Session;
  readonly #line: SocketChannel;
  readonly #graphql: GraphqlSocketSession;
  readonly #longest: number;

  constructor(session: Session, line: SocketChannel, graphql: GraphqlSocketSession, longest: number) {
    this.#session = session;
    this.#line = line;
    this.#graphql = graphql;
    this.#longest = longest;
  }

  receive(data: Uint8Array, isBinary: boolean): Promise<void> | undefined {
    if (isBinary) this.#line.close(CLOSE.unsupportedData, 'This connection speaks JSON, in text messages');
    // The library parses a message in one step.
    else if (data.length > this.#longest) this.#line.close(CLOSE.tooLarge, TOO_LARGE);
    else return this.#graphql.receive(utf8Text(data));
    return undefined;
  }

  /** A message is complete when it is answered. */
  readonly isBusy = false;
  settle(): void {}

  isSignedIn(): boolean {
    return this.#session.identity.principal.kind !== 'guest';
  }

  close(): void {
    this.#graphql.close();
    this.#session.close();
  }
}
