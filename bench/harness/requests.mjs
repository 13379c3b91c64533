// Requests over connections to a server, each sent again and again.
import { plain } from './answers.mjs';
import { flood } from './raw-client.mjs';

/** As many clients as ask at the same time. */
export const CONNECTIONS = 16;
/** How long a sample takes. */
export const MILLISECONDS = 100;
/** How often a request is sent before the first sample, so that servers are warm; those with large answers for so many samples. */
const WARMING = 10_000;
const WARMING_SAMPLES = 30;

/**
 * A way to ask: connections, the bytes of a request, and the result that an answer holds.
 * @typedef {object} Way
 * @property {(port: number, who: object) => Promise<any>} connect
 * @property {(who: object, text: string) => Promise<Uint8Array> | Uint8Array} bytes
 * @property {(answer: Uint8Array) => unknown} decode
 *
 * @typedef {{as?: string, atOnce?: number, gives?: unknown}} How  `as: 'user'` asks as a record user; `atOnce` requests are sent in one piece;
 *   `gives` is what a server that knows its answers is to say
 */

/**
 * @param {import('../servers/start.mjs').Server} server
 * @param {Way} way
 * @param {(how: How, text: string) => Promise<object>} whoIs  what connections and requests are made with
 */
export function requests(server, { connect, bytes, decode }, whoIs) {
  const floods = new WeakMap();
  const opened = [];
  const disconnect = () => {
    for (const connection of opened.splice(0)) connection.close();
  };
  return {
    /** @param {string} text @param {How} [how] */
    request(text, how = {}) {
      const { atOnce = 1 } = how;
      const begin = async () => {
        const who = await whoIs(how, text);
        const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(server.port, who)));
        opened.push(...connections);
        return { connections, one: await bytes(who, text) };
      };
      let begun;
      let warmed = 0;
      const operation = async () => {
        begun ??= begin();
        const { connections, one } = await begun;
        return decode(await connections[0].ask(one));
      };
      floods.set(operation, async () => {
        const { connections, one } = await begun;
        const bytes = Buffer.concat(Array(atOnce).fill(one));
        for (; warmed < WARMING; warmed += WARMING / WARMING_SAMPLES)
          warmed += (await flood(connections, bytes, atOnce, MILLISECONDS)).answered;
        const before = await server.processor();
        const { answered, seconds } = await flood(connections, bytes, atOnce, MILLISECONDS);
        return { rate: answered / seconds, processor: (((await server.processor()) - before) * 1e3) / answered };
      });
      return operation;
    },
    /** Requests a second, and nanoseconds of the server for each. */
    flood: (operation) => floods.get(operation)(),
    answer: keysOf,
    processor: server.processor,
    disconnect,
    close: () => {
      disconnect();
      server.stop();
    },
  };
}

/** In JSON a record id is a text. */
const keysOf = (value) =>
  JSON.parse(JSON.stringify(plain(value)), (_key, each) =>
    typeof each === 'string' && /^[a-z]+:\d+$/.test(each) ? Number(each.split(':')[1]) : each,
  );
