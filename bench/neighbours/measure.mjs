// How work is measured at a server that runs: by connections that stay open, each of which asks one thing after the other.
import { httpConnection } from '../harness/raw-client.mjs';
import { quantile } from '../harness/statistics.mjs';
import { temporaryFolder } from '../harness/temporary-folder.mjs';
import { notes } from './notes.mjs';

/**
 * @param {import('./systems.mjs').Server} server
 * @param {import('./systems.mjs').Work} work
 * @param {{clients: number, requests: number, from?: number}} how  `from` is the number of the first request
 * @returns {Promise<Record<'processor' | 'p50' | 'p99' | 'rate', number>>} microseconds a request, milliseconds, requests a second
 */
export async function measure(server, work, { clients, requests, from = 0 }) {
  const connections = await Promise.all(Array.from({ length: clients }, () => httpConnection(server.port)));
  const answers = new Array(requests);
  const times = new Array(requests);
  let next = 0;
  const ask = async (connection) => {
    for (let at = next++; at < requests; at = next++) {
      const bytes = work.request(from + at);
      const asked = performance.now();
      answers[at] = await connection.ask(bytes);
      times[at] = performance.now() - asked;
      if (answers[at] === undefined) throw new Error('the server hung up');
    }
  };
  const before = server.processor();
  const began = performance.now();
  await Promise.all(connections.map(ask));
  const seconds = (performance.now() - began) / 1_000;
  const processor = (server.processor() - before) / requests;
  for (const connection of connections) connection.close();
  // Behind the clock: reading answers would keep a processor from the server.
  for (const [at, answer] of answers.entries()) work.check(answer, from + at);
  times.sort((a, b) => a - b);
  return { processor, p50: quantile(times, 0.5), p99: quantile(times, 0.99), rate: requests / seconds };
}

/** Starts a system on an empty store, with tables, users and tags. */
export async function open(system) {
  const folder = temporaryFolder();
  await system.prepare(folder.path);
  let server = await system.start(folder.path);
  const { ready } = server;
  const tokens = await system.define(server.port, server);
  return {
    ready,
    works: system.works(tokens),
    server: () => server,
    restart: async () => {
      await server.stop();
      server = await system.start(folder.path);
    },
    close: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

/** Makes all notes: milliseconds, microseconds of the processor in all, and MiB that the server holds then. */
export async function fill(system, server) {
  const all = notes();
  const rows = await system.bulkOf(all);
  const before = server.processor();
  const began = performance.now();
  await system.bulk(server.port, rows, server);
  const time = performance.now() - began;
  const processor = server.processor() - before;
  const count = await system.count(server.port, server);
  if (count !== all.length) throw new Error(`${count} notes, where ${all.length} were made`);
  return { time, processor, ...server.memory() };
}
