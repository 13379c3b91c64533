/** A server with GraphQL over the real stack, on a clock of the test's own. */
import type { AddressInfo } from 'node:net';
import { type ClientOptions, createClient } from 'graphql-ws/client';
import { WebSocket } from 'ws';
import { type GraphqlOptions, GraphqlService } from '../../src/graphql/service.js';
import { createGraphqlEvents } from '../../src/graphql/transports/event-stream.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import { createGraphqlSocket } from '../../src/graphql/transports/transport-ws.js';
import { createHttpServer, type HttpServerParts } from '../../src/http/server.js';
import { StubbedEnvironment } from './environment.js';
import { run, World } from './world.js';

export const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE note PERMISSIONS FOR select WHERE public OR owner = $auth, FOR create, update, delete FULL;
  DEFINE FIELD text ON note TYPE option<string>;
  DEFINE FIELD public ON note TYPE bool DEFAULT false;
  DEFINE FIELD owner ON note TYPE option<record<user>>;
  DEFINE FIELD size ON note TYPE option<int>;
  DEFINE FIELD secret ON note TYPE option<string> PERMISSIONS FOR select NONE;`;

/** A message as it comes, or how the socket was closed. */
export type Heard = Record<string, unknown> | { readonly code: number; readonly reason: string };

export class LiveServer {
  readonly #sockets: WebSocket[] = [];

  private constructor(
    readonly world: World,
    readonly environment: StubbedEnvironment,
    readonly app: ReturnType<typeof createHttpServer>,
  ) {}

  static async open(parts: Partial<HttpServerParts> = {}, options: GraphqlOptions = {}): Promise<LiveServer> {
    const environment = new StubbedEnvironment();
    environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
    const world = await World.open({ environment });
    await run(world.owner, SETUP);
    const service = new GraphqlService(options);
    const app = createHttpServer({
      database: world.database,
      environment,
      graphql: createGraphqlHandler(service, 'standard'),
      graphqlSocket: createGraphqlSocket(service, fail),
      graphqlEvents: createGraphqlEvents(service, fail),
      ...parts,
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    return new LiveServer(world, environment, app);
  }

  get address(): string {
    return `127.0.0.1:${(this.app.server.address() as AddressInfo).port}`;
  }

  /** The ids of the live queries of the table note. */
  async lives(): Promise<string[]> {
    return Object.keys(((await run(this.world.owner, 'RETURN (INFO FOR TABLE note).lives'))[0] ?? {}) as object);
  }

  /** The client that people use. */
  client(
    connectionParams: Record<string, unknown>,
    onClosed?: (event: unknown) => void,
    options: Partial<ClientOptions> = {},
  ) {
    return createClient({
      url: `ws://${this.address}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { 'svc-ns': 'test', 'svc-db': 'test', ...connectionParams },
      retryAttempts: 0,
      lazy: true,
      ...(onClosed && { on: { closed: onClosed } }),
      ...options,
    });
  }

  /** A bare socket. */
  async socket(path = '/graphql', headers: Record<string, string> = {}, protocol = 'graphql-transport-ws') {
    const socket = new WebSocket(`ws://${this.address}${path}`, protocol === '' ? [] : [protocol], { headers });
    this.#sockets.push(socket);
    const heard: Heard[] = [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data)) as Heard));
    socket.on('close', (code, reason) => heard.push({ code, reason: String(reason) }));
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const say = (...messages: unknown[]) => {
      for (const message of messages) socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    };
    return { socket, heard, say };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    // A client that cancels a fetch connects again, and requests nothing: the server would wait for it.
    this.app.server.closeAllConnections();
    await this.app.close();
    await this.world.close();
  }
}

function fail(error: Error): never {
  throw error;
}

/** Lets everything that can happen happen. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}
