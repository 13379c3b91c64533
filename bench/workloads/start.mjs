// How long `tessera start` takes, from the start of the process to the first answer of /health.
import { startCommand } from '../harness/command.mjs';
import { temporaryFolder } from '../harness/temporary-folder.mjs';

const folders = new WeakMap();
/** Where a server keeps what it has; on disk there is a store already. */
async function storeOf(opened) {
  if (opened.folder === undefined) return 'memory';
  let folder = folders.get(opened);
  if (folder === undefined) {
    folder = temporaryFolder();
    folders.set(opened, folder);
    opened.also({ close: folder.remove });
    await (await startCommand(folder.path)).stop();
  }
  return folder.path;
}

/** @type {import('../harness/contract.mjs').Workload[]} */
export const START = [
  {
    name: 'start until ready',
    only: ['tessera:memory', 'tessera:lmdb'],
    figure: 'ready',
    rounds: 10,
    surrealql: () => undefined,
    sample: async (opened) => {
      const { ready, stop } = await startCommand(await storeOf(opened));
      await stop();
      return { ready };
    },
  },
];
