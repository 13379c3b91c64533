// Runs scripts in the process of the peer, and begins another one when it ends or says nothing for too long.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('peer-process.mjs', import.meta.url));
/** Milliseconds that a script may take. */
const PATIENCE = 10_000;

/** @param {string} dist @param {string} folder */
export function superviseProcess(dist, folder) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;

  /** @param {import('node:child_process').ChildProcess} from */
  const nextMessage = (from) =>
    new Promise((resolve) => {
      const settle = (/** @type {unknown} */ message) => {
        clearTimeout(timer);
        from.off('message', settle).off('exit', gone);
        resolve(message);
      };
      const gone = () => settle(undefined);
      const timer = setTimeout(() => {
        from.kill('SIGKILL');
        settle(undefined);
      }, PATIENCE);
      from.on('message', settle).on('exit', gone);
    });

  return {
    /**
     * What the peer answers; undefined if it didn't survive the script.
     * @param {import('./script.mjs').Step[]} steps
     * @returns {Promise<{ asked: string, lines: string[] }[] | undefined>}
     */
    async answers(steps) {
      if (child === undefined) {
        child = fork(PROCESS, [dist, folder], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
        if ((await nextMessage(child)) === undefined) throw new Error(`No peer can be started from ${folder}`);
      }
      const answer = nextMessage(child);
      child.send(steps);
      const given = await answer;
      if (given === undefined) child = undefined;
      return /** @type {{ asked: string, lines: string[] }[] | undefined} */ (given);
    },
    close() {
      child?.kill();
    },
  };
}
