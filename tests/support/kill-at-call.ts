/**
 * Ends the process by SIGKILL at one of its calls that change files: the one that the environment variable KILL_AT
 * counts. What is to be written then is written by half, and a file that is to be made is empty. To be imported before
 * what is killed.
 */
import fs from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const CHANGING = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC;

let left = Number(process.env['KILL_AT'] ?? Number.POSITIVE_INFINITY);
const isNow = () => --left === 0;
/** Of `open`: reading changes nothing. */
const isRead = (flags: unknown) =>
  typeof flags === 'number' ? (flags & CHANGING) === 0 : flags === undefined || flags === 'r';
const die = () => process.kill(process.pid, 'SIGKILL');

/** Has a method run something in its place when its time has come; `die` follows. */
function killAt<K extends string, F extends (...args: never[]) => unknown>(
  target: Record<K, F>,
  name: K,
  last?: (original: F, self: unknown, args: Parameters<F>) => unknown,
): void {
  const original = target[name];
  target[name] = function (this: unknown, ...args: Parameters<F>) {
    const isUncounted =
      (name.startsWith('open') && isRead(args[1])) || (name === 'writeSync' && isAllocation(args[0], args[1]));
    if (isUncounted || !isNow()) return Reflect.apply(original, this, args);
    const done = last?.(original, this, args);
    return done instanceof Promise ? done.then(die) : die();
  } as unknown as F;
}

/** Of the last call, which wrote zeros: more of them are the same allocation of a file, in which one call counts. */
let allocated: unknown;
const isAllocation = (descriptor: unknown, bytes: unknown) => {
  const before = allocated;
  allocated = bytes instanceof Uint8Array && bytes.every((byte) => byte === 0) ? descriptor : undefined;
  return allocated !== undefined && allocated === before;
};

const half = (bytes: Uint8Array) => bytes.subarray(0, bytes.length >> 1);

for (const name of [
  'mkdirSync',
  'renameSync',
  'rmSync',
  'fsyncSync',
  'fdatasync',
  'ftruncateSync',
  'openSync',
] as const)
  killAt(fs as never, name);
for (const name of ['mkdir', 'rename', 'open'] as const) killAt(promises as never, name);
killAt(fs as never, 'writeFileSync', (original: typeof fs.writeFileSync, _, [path]) => original(path as string, ''));
killAt(
  fs as never,
  'writeSync',
  (original: (...args: unknown[]) => number, _, [descriptor, bytes, from, , position]) =>
    position === undefined
      ? original(descriptor, half(bytes as Uint8Array))
      : original(descriptor, bytes, from, (bytes as Uint8Array).length >> 1, position),
);
const handle: FileHandle = await promises.open('/dev/null');
const methods = Object.getPrototypeOf(handle) as Record<string, (bytes: Uint8Array) => unknown>;
await handle.close();
killAt(methods, 'writeFile', (original, self, [bytes]) => Reflect.apply(original, self, [half(bytes)]));
killAt(methods, 'write', (original, self, [bytes]) => Reflect.apply(original, self, [half(bytes)]));
for (const name of ['sync', 'datasync']) killAt(methods, name);
left = Number(process.env['KILL_AT'] ?? Number.POSITIVE_INFINITY);
syncBuiltinESMExports();
