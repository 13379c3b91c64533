// Processor time and memory of other processes, on Linux.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const threads = (pid) => readdirSync(`/proc/${pid}/task`);

/** Microseconds that the threads of a process have run, those that are still there. */
export function threadsTime(pid) {
  const times = threads(pid).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e3;
}

/** MiB of memory of the machine that a process holds. */
export const residentMemory = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

const childrenOf = (pid) =>
  threads(pid).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );

/**
 * MiB that a process and all that it has started hold, what several share counted once: of their own, and of files,
 * programs among them, which the machine can take back.
 */
export function familyMemory(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const sizes = [/Pss_(?:Anon|Shmem):\s+(\d+)/g, /Pss_File:\s+(\d+)/g].map((name) =>
    [...text.matchAll(name)].reduce((sum, [, size]) => sum + Number(size) / 1024, 0),
  );
  const others = childrenOf(pid).map(familyMemory);
  const [own, files] = sizes.map((size, at) => others.reduce((sum, other) => sum + Object.values(other)[at], size));
  return { own, files };
}

/** Microseconds of a process, of all that it has started, and of those of them that have ended since. */
export function familyTime(pid) {
  try {
    const children = childrenOf(pid);
    return threadsTime(pid) + endedTime(pid) + children.reduce((sum, child) => sum + familyTime(child), 0);
  } catch (error) {
    // One that ends while it is looked at is counted with its parent's ended ones the next time.
    if (['ENOENT', 'ESRCH'].includes(error.code)) return 0;
    throw error;
  }
}

/** Microseconds of its children that have ended, which the system counts in ticks. */
function endedTime(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  tick ??= 1e6 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return (Number(fields[13]) + Number(fields[14])) * tick;
}
let tick;
