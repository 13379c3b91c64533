/** The official JavaScript client, ready for Node 20, which has no WebSocket of its own. */
import { createRemoteEngines, Surreal } from 'surrealdb';
import { WebSocket } from 'ws';
import { createTesseraEngines } from '../../src/embedded/engines.js';

/**
 * As in browsers, each message is an event by itself: of those that come together, release 2.0.8 of the client would
 * pass on the first notification alone.
 */
class SteppingWebSocket extends WebSocket {
  constructor(address: string, protocols?: string | string[]) {
    super(address, protocols, { allowSynchronousEvents: false });
  }
}

/** Not connected yet; `mem:` and `tessera:` run the engine in process. */
export const newClient = (): Surreal =>
  new Surreal({
    websocketImpl: SteppingWebSocket as unknown as typeof globalThis.WebSocket,
    engines: { ...createRemoteEngines(), ...createTesseraEngines() },
  });
