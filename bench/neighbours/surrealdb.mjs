// SurrealDB's own server on disk, from the command `surreal` or the one of `--surreal`. Written after its public documentation and not yet run: see
// records/neighbours.md.
import { freePort } from '../harness/command.mjs';
import { startProcess, versionOf } from './processes.mjs';
import { bulk, bulkOf, count, define, HEALTH, ROOT, works } from './surrealql.mjs';

let command = 'surreal';

/** @type {import('./systems.mjs').System} */
export const surrealDb = {
  title: 'SurrealDB',
  use: (options) => {
    command = options.surreal ?? command;
  },
  lacks: () => (versionOf(command) === undefined ? `there is no command '${command}'` : undefined),
  version: () => versionOf(command),
  prepare: () => undefined,
  start: async (folder) => {
    const port = await freePort();
    const flags = ['--bind', `127.0.0.1:${port}`, '--log', 'none', '--allow-experimental', 'graphql'];
    // `sync=every` flushes each commit before it is answered, as the others do.
    const args = ['start', '--user', ROOT.user, '--pass', ROOT.pass, ...flags, `surrealkv://${folder}/data?sync=every`];
    return startProcess({ command, args, port, question: HEALTH });
  },
  define,
  bulkOf,
  bulk,
  count,
  works,
};
