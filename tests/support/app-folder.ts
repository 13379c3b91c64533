/** The folder of an app, in which the built command runs. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, vi } from 'vitest';

const COMMAND = resolve('dist/bin/tessera.js');
const ENVIRONMENT = { PATH: process.env['PATH'], HOME: tmpdir() };

export interface Finished {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** A server of `tessera dev`. */
export interface DevServer {
  /** Waits until it has said a text, behind what was waited for before; returns what it said until then. */
  says(text: string): Promise<string>;
  /** Ends it as Ctrl-C does. Returns its exit code. */
  interrupt(): Promise<number | null>;
  readonly exited: Promise<number | null>;
}

export class AppFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'tessera-app-'));
  readonly #children: ChildProcess[] = [];

  file(name: string): string {
    return join(this.path, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.file(name)), { recursive: true });
    writeFileSync(this.file(name), text);
  }

  read(name: string): string {
    return readFileSync(this.file(name), 'utf8');
  }

  /** Runs a command to its end. */
  run(
    args: readonly string[],
    { input = '', environment = {} }: { input?: string; environment?: Record<string, string> } = {},
  ): Promise<Finished> {
    return new Promise((done) => {
      const child = execFile(
        process.execPath,
        [COMMAND, ...args],
        { cwd: this.path, env: { ...ENVIRONMENT, ...environment } },
        (error, output, errors) => done({ code: error === null ? 0 : Number(error.code), output, errors }),
      );
      child.stdin?.end(input);
    });
  }

  /** Starts `tessera dev` on a free port. */
  dev(...args: readonly string[]): DevServer {
    const child = spawn(process.execPath, [COMMAND, 'dev', '--bind', '127.0.0.1:0', ...args], {
      cwd: this.path,
      env: ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.push(child);
    let said = '';
    let seen = 0;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
      });
    }
    const exited = new Promise<number | null>((done) => child.once('close', done));
    return {
      exited,
      async says(text) {
        await vi.waitFor(() => expect(said.slice(seen)).toContain(text), { timeout: 60_000 });
        const from = seen;
        seen = said.indexOf(text, seen) + text.length;
        return said.slice(from, seen);
      },
      interrupt() {
        child.kill('SIGINT');
        return exited;
      },
    };
  }

  /** Ends its servers and removes it. */
  remove(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}
