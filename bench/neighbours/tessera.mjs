// Tessera on disk, started by its command.
import { execFileSync } from 'node:child_process';
import { command, lacksCommand } from '../harness/build.mjs';
import { freePort } from '../harness/command.mjs';
import { startProcess } from './processes.mjs';
import { bulk, bulkOf, count, define, HEALTH, ROOT, works } from './surrealql.mjs';

/** @type {import('./systems.mjs').System} */
export const tessera = {
  title: 'Tessera on disk',
  lacks: lacksCommand,
  version: () => execFileSync(process.execPath, [command(), '--version'], { encoding: 'utf8' }).trim(),
  prepare: () => undefined,
  start: async (folder) => {
    const port = await freePort();
    const flags = ['--bind', `127.0.0.1:${port}`, '--log', 'error', '--no-banner', '--allow-experimental', 'graphql'];
    const args = [command(), 'start', `${folder}/data`, '--user', ROOT.user, '--pass', ROOT.pass, ...flags];
    return startProcess({ command: process.execPath, args, port, question: HEALTH });
  },
  define,
  bulkOf,
  bulk,
  count,
  works,
};
