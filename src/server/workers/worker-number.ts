/** The environment variable that says which of the workers a process is: 1, 2, … */
export const WORKER_VARIABLE = 'TESSERA_WORKER';

/** The number of the worker that this process is; `undefined`: no pool of workers has started it. */
export function workerNumber(): number | undefined {
  const number = process.env[WORKER_VARIABLE];
  return number === undefined || !process.connected ? undefined : Number(number);
}
