/**
 * What a process changes on the disk, as strace sees it: the calls of native libraries and of all threads are among
 * them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { DiskCall } from './disk-calls.js';

const CALLS =
  'clone,clone3,fork,vfork,openat,lseek,write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,mkdir,rmdir,unlink,link,rename,close';
/** Others that change files fail the test: they aren't understood here. */
const UNKNOWN =
  'sync,syncfs,msync,sync_file_range,fallocate,truncate,copy_file_range,sendfile,pwritev2,linkat,renameat,renameat2,unlinkat,mkdirat,symlink';

/** Linux only, and where it is installed. */
export const CAN_TRACE = spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).status === 0;

/** Runs a command to its end, or to its death by `kill`, and answers its calls. Its trace is written to a file. */
export async function tracedCalls(command: readonly string[], trace: string): Promise<readonly DiskCall[]> {
  const options = ['-f', '--seccomp-bpf', '-y', '-xx', '-s', '100000000', '-o', trace];
  const started = spawn('strace', [...options, '-e', `trace=${CALLS},${UNKNOWN}`, ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Node's threads make the calls, rather than the kernel.
    env: { PATH: process.env['PATH'], UV_USE_IO_URING: '0' },
  });
  let errors = '';
  started.stderr.on('data', (text) => (errors += text));
  const [code] = await once(started, 'close');
  if (code !== 0) throw new Error(`ended with ${code}: ${errors}`);
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(trace, 'latin1') })) lines.push(line);
  const reader = new TraceReader(processesIn(lines));
  for (const line of lines) reader.read(line);
  return reader.calls;
}

/** The processes of threads. The calls of one may come before the call that has made it ends. */
function processesIn(lines: readonly string[]): ReadonlyMap<string, string> {
  const processes = new Map<string, string>();
  const begun = new Map<string, boolean>();
  for (const line of lines) {
    const [, thread = '', text = ''] = /^(\d+) +((?:<\.\.\. )?(?:clone|clone3|v?fork)\b.*)$/.exec(line) ?? [];
    if (thread === '') continue;
    const isThread = text.includes('CLONE_THREAD') || (begun.get(thread) ?? false);
    begun.set(thread, text.endsWith(UNFINISHED) && isThread);
    const made = / = (\d+)$/.exec(text)?.[1];
    if (made !== undefined && isThread) processes.set(made, processes.get(thread) ?? thread);
  }
  return processes;
}

/** An open file. */
interface Opened {
  readonly isAppended: boolean;
  readonly isDurable: boolean;
  at: number;
}

/** A call that has begun. */
interface Begun {
  readonly text: string;
  /** Which call of the list it would be. */
  readonly before: number;
}

const TEXT = /"((?:\\x[0-9a-f]{2})*)"/g;
const UNFINISHED = ' <unfinished ...>';

class TraceReader {
  readonly calls: DiskCall[] = [];
  readonly #processes: ReadonlyMap<string, string>;
  /** By the process and the number of the descriptor. */
  readonly #opened = new Map<string, Opened>();
  readonly #begun = new Map<string, Begun>();

  constructor(processes: ReadonlyMap<string, string>) {
    this.#processes = processes;
  }

  read(line: string): void {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (/^(\+\+\+|---|(<\.\.\. )?(clone|v?fork))/.test(text)) return;
    const process = this.#processes.get(thread) ?? thread;
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    if (resumed !== null) {
      const begun = this.#begun.get(thread);
      if (begun !== undefined) this.#end(process, { ...begun, text: begun.text + resumed[1] });
      return;
    }
    const isUnfinished = text.endsWith(UNFINISHED);
    const begun = { text: isUnfinished ? text.slice(0, -UNFINISHED.length) : text, before: this.calls.length };
    this.#begin(process, begun.text);
    if (isUnfinished) this.#begun.set(thread, begun);
    else this.#end(process, begun);
  }

  /** What is written may be on the disk as soon as that begins. */
  #begin(process: string, text: string): void {
    const [, descriptor = '', encoded = ''] = /^p?writev?(?:64)?\((\d+)<([^>]*)>/.exec(text) ?? [];
    if (descriptor === '') return;
    const bytes = Buffer.concat(textsIn(text));
    if (descriptor === '1') {
      for (const line of bytes.toString().trimEnd().split('\n')) this.calls.push({ kind: 'say', line });
      return;
    }
    const opened = this.#opened.get(`${process} ${descriptor}`);
    const path = decoded(encoded).toString();
    if (opened === undefined || !path.startsWith('/')) return;
    const at = /^pwrite/.test(text) ? Number(/, (\d+)\)?[^,]*$/.exec(text)?.[1]) : opened.at;
    this.calls.push({ kind: 'write', path, at: opened.isAppended ? 'end' : at, bytes });
    if (!text.startsWith('pwrite')) opened.at += bytes.length;
  }

  #end(process: string, { text, before }: Begun): void {
    const [, name = '', answer = '', file = ''] = /^(\w+)\(.* = (-?\d+)(?:<([^>]*)>)?/.exec(text) ?? [];
    if (name === '' || answer === '-1') return;
    const [first = '', second = ''] = textsIn(text).slice(0, 2).map(String);
    const [, descriptor = '', encoded = ''] = /^\w+\((\d+)<([^>]*)>/.exec(text) ?? [];
    const path = decoded(encoded).toString();
    switch (name) {
      case 'openat':
        this.#open(`${process} ${answer}`, decoded(file).toString(), text);
        return;
      case 'close':
        this.#opened.delete(`${process} ${descriptor}`);
        return;
      case 'lseek': {
        const opened = this.#opened.get(`${process} ${descriptor}`);
        if (opened !== undefined) opened.at = Number(answer);
        return;
      }
      case 'write':
      case 'writev':
      case 'pwrite64':
      case 'pwritev':
        if (this.#opened.get(`${process} ${descriptor}`)?.isDurable && this.calls[before]?.kind === 'write')
          this.calls.push({ kind: 'flush write', path, write: before });
        return;
      case 'fsync':
      case 'fdatasync':
        this.calls.push({ kind: 'flush', path, before });
        return;
      case 'ftruncate':
        this.calls.push({ kind: 'cut', path, length: Number(/, (\d+)\)/.exec(text)?.[1]) });
        return;
      case 'mkdir':
        this.calls.push({ kind: 'make folder', path: first });
        return;
      case 'rmdir':
      case 'unlink':
        this.calls.push({ kind: 'remove', path: first });
        return;
      case 'link':
      case 'rename':
        this.calls.push({ kind: name, path: first, to: second });
        return;
      default:
        throw new Error(`a call that isn't understood: ${text.slice(0, 200)}`);
    }
  }

  #open(key: string, path: string, text: string): void {
    const flags = new Set(/O_[A-Z_|]+/.exec(text)?.[0].split('|'));
    const isDurable = flags.has('O_DSYNC') || flags.has('O_SYNC');
    this.#opened.set(key, { isAppended: flags.has('O_APPEND'), isDurable, at: 0 });
    if (flags.has('O_CREAT')) this.calls.push({ kind: 'make', path });
    if (flags.has('O_TRUNC')) this.calls.push({ kind: 'cut', path, length: 0 });
  }
}

function textsIn(text: string): Buffer[] {
  return [...text.matchAll(TEXT)].map(([, encoded = '']) => decoded(encoded));
}

/** Of bytes as strace writes them, `\x` and two digits each. By a loop, since they are most of a trace. */
function decoded(encoded: string): Buffer {
  const bytes = Buffer.allocUnsafe(encoded.length / 4);
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = (digitAt(encoded, at * 4 + 2) << 4) | digitAt(encoded, at * 4 + 3);
  return bytes;
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code > 57 ? code - 87 : code - 48;
}
