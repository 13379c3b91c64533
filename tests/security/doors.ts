/** Every way from outside to send statements as a user of a world, each with its whole answer as one text. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { WebSocket } from 'ws';
import { GraphqlService } from '../../src/graphql/service.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import { createHttpServer } from '../../src/http/server.js';
import type { Session } from '../../src/session/contract.js';
import { answers, type World } from '../support/world.js';

export type Place = readonly [namespace: string, database: string];
const HOME: Place = ['test', 'test'];

/** Statements of one request, sent by the session's user after selecting a database. */
type Door = (session: Session, text: string, place: Place) => Promise<string>;

export class Doors {
  readonly #world: World;
  readonly app: FastifyInstance;

  private constructor(world: World) {
    this.#world = world;
    const graphql = createGraphqlHandler(new GraphqlService(), 'standard');
    this.app = createHttpServer({ database: world.database, graphql });
  }

  static async open(world: World): Promise<Doors> {
    const doors = new Doors(world);
    await doors.app.listen({ host: '127.0.0.1', port: 0 });
    return doors;
  }

  readonly #ways: Readonly<Record<string, Door>> = {
    embedded: async (session, text, place) => {
      await session.use(...place);
      const told = await answers(session, text);
      await session.use(...HOME);
      return told;
    },
    '/sql': (session, text, place) => this.#post('/sql', session, place, text),
    '/rpc': (session, text, place) => this.#post('/rpc', session, place, JSON.stringify(query(text))),
    WebSocket: async (session, text, place) => {
      const token = this.#world.tokenOf(session);
      const calls = [{ method: 'use', params: [...place] }, query(text)];
      const told = await this.talk(
        token === undefined ? calls : [{ method: 'authenticate', params: [token] }, ...calls],
      );
      return told.join('\n');
    },
  };

  /** What each door answers to the same, by its name. */
  async ask(session: Session, text: string, place: Place = HOME): Promise<Record<string, string>> {
    const told: Record<string, string> = {};
    for (const [name, way] of Object.entries(this.#ways)) told[name] = await way(session, text, place);
    return told;
  }

  graphql(session: Session, document: string, place: Place = HOME): Promise<string> {
    return this.#post('/graphql', session, place, JSON.stringify({ query: document }));
  }

  /** The answers to calls on one connection, one after the other. */
  async talk(calls: readonly object[]): Promise<string[]> {
    const socket = new WebSocket(`ws://127.0.0.1:${(this.app.server.address() as AddressInfo).port}/rpc`, ['json']);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const told: string[] = [];
    for (const call of calls) {
      const answered = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
      socket.send(JSON.stringify({ id: 1, ...call }));
      told.push(await answered);
    }
    socket.terminate();
    return told;
  }

  async #post(url: string, session: Session, [namespace, database]: Place, payload: string): Promise<string> {
    const token = this.#world.tokenOf(session);
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'svc-ns': namespace,
      'svc-db': database,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const { body } = await this.app.inject({ method: 'POST', url, headers, payload });
    return body;
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

const query = (text: string) => ({ id: 1, method: 'query', params: [text] });
