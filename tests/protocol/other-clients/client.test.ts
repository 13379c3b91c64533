/**
 * The official clients for Python, Go and Rust, and tools that others have made, as they are published, against a real
 * server. They need their language and its registry: where either isn't there, the test is skipped and says why. What they say on the wire is tested everywhere, in `wire.test.ts`.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server/server.js';
import { isInTurn } from '../../support/runs-all.js';
import { ROOT, startTestServer } from '../../support/server.js';

const run = promisify(execFile);
const MINUTE = 60_000;
const SOURCES = fileURLToPath(new URL('.', import.meta.url));
/** What was installed or built is kept for the next run. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/tessera-clients', import.meta.url));

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

interface Client {
  readonly language: string;
  /** By which it is found out that the language is there. */
  readonly probe: readonly [command: string, ...parameters: string[]];
  /** Files that decide what is installed. */
  readonly pins: readonly string[];
  /** Installs it into an empty folder. */
  install(folder: string): Promise<unknown>;
  /** What runs the checks. */
  command(folder: string): readonly [command: string, ...parameters: string[]];
  /** How many checks there are. */
  readonly checks: number;
}

/** The wheels of some packages are of one version. */
const PYTHON_3_11 = ['python3', '-c', 'import sys, venv; sys.exit(sys.version_info[:2] != (3, 11))'] as const;
const PYTHON = ['python3', '-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))'] as const;

async function installPython(folder: string, pins: string): Promise<void> {
  await run('python3', ['-m', 'venv', folder], { timeout: MINUTE });
  await run(join(folder, 'bin/pip'), ['install', '--quiet', '-r', join(SOURCES, pins)], { timeout: 2 * MINUTE });
}

const CLIENTS: readonly Client[] = [
  {
    language: 'Python',
    probe: PYTHON,
    pins: ['python/requirements.txt'],
    install: (folder) => installPython(folder, 'python/requirements.txt'),
    command: (folder) => [join(folder, 'bin/python'), join(SOURCES, 'python/check.py')],
    checks: 17,
  },
  {
    // Prometheus' own parser, which reads `/metrics`.
    language: 'Prometheus',
    probe: PYTHON,
    pins: ['prometheus/requirements.txt'],
    install: (folder) => installPython(folder, 'prometheus/requirements.txt'),
    command: (folder) => [join(folder, 'bin/python'), join(SOURCES, 'prometheus/check.py')],
    checks: 10,
  },
  {
    // Its store of documents, which asks `type::table($table)` for the nearest.
    language: 'LangChain',
    probe: PYTHON,
    pins: ['langchain/requirements.txt'],
    install: (folder) => installPython(folder, 'langchain/requirements.txt'),
    command: (folder) => [join(folder, 'bin/python'), join(SOURCES, 'langchain/check.py')],
    checks: 6,
  },
  {
    // It has the crate 3.1 within, as the client for Java has.
    language: 'sdb-connector',
    probe: PYTHON_3_11,
    pins: ['sdb-connector/requirements.txt'],
    install: (folder) => installPython(folder, 'sdb-connector/requirements.txt'),
    command: (folder) => [join(folder, 'bin/python'), join(SOURCES, 'sdb-connector/check.py')],
    checks: 2,
  },
  {
    // A mapper for the official client for JavaScript, of which it takes the one that is installed here.
    language: 'Surqlize',
    probe: ['npm', '--version'],
    pins: ['surqlize/package.json', 'surqlize/check.mjs'],
    install: async (folder) => {
      cpSync(join(SOURCES, 'surqlize'), folder, { recursive: true });
      await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--legacy-peer-deps'], {
        cwd: folder,
        timeout: 2 * MINUTE,
      });
    },
    command: (folder) => [process.execPath, join(folder, 'check.mjs')],
    checks: 10,
  },
  {
    language: 'Go',
    probe: ['go', 'version'],
    pins: ['go/go.mod', 'go/go.sum', 'go/main.go'],
    install: async (folder) => {
      cpSync(join(SOURCES, 'go'), folder, { recursive: true });
      await run('go', ['build', '-o', 'check', '.'], { cwd: folder, timeout: 3 * MINUTE });
    },
    command: (folder) => [join(folder, 'check')],
    checks: 13,
  },
  rust('3.3.5'),
  rust('4.0.0-beta.1'),
];

/** The crate `surrealdb`, whose third generation speaks FlatBuffers and whose fourth CBOR. */
function rust(version: string): Client {
  return {
    language: `Rust ${version.split('.')[0]}`,
    probe: ['cargo', '--version'],
    pins: ['rust/Cargo.toml', 'rust/src/main.rs'],
    install: async (folder) => {
      cpSync(join(SOURCES, 'rust'), folder, { recursive: true });
      const manifest = join(folder, 'Cargo.toml');
      writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('VERSION', version));
      await run('cargo', ['build', '--quiet'], { cwd: folder, timeout: 7 * MINUTE });
    },
    command: (folder) => [join(folder, 'target/debug/check')],
    checks: 19,
  };
}

/** The folder of an installed client, or why there is none. */
async function installed({
  language,
  probe: [command, ...parameters],
  pins,
  install,
}: Client): Promise<{ readonly folder: string } | { readonly missing: string }> {
  try {
    await run(command, parameters, { timeout: MINUTE });
  } catch {
    return { missing: `${command} isn’t here, or is too old` };
  }
  const hash = createHash('sha256');
  for (const pin of pins) hash.update(readFileSync(join(SOURCES, pin)));
  const folder = join(CACHE, `${language.toLowerCase().replace(' ', '-')}-${hash.digest('hex').slice(0, 12)}`);
  const done = join(folder, 'installed');
  if (existsSync(done)) return { folder };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    await install(folder);
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    return { missing: `its package can’t be installed: ${(stderr.trim() || message).split('\n').at(-1)}` };
  }
  mkdirSync(done);
  return { folder };
}

// In turns with other long tests.
it.skipIf(!isInTurn(2)).for(CLIENTS)('the client for $language', { timeout: 8 * MINUTE }, async (client, { skip }) => {
  const found = await installed(client);
  if ('missing' in found) {
    // The report names the reason, and so does the log of a run that prints no names.
    console.warn(`Skipped: the client for ${client.language}, since ${found.missing}`);
    return skip(found.missing);
  }
  const [command, ...parameters] = client.command(found.folder);
  const given = [...parameters, new URL(server.url).host, ROOT.username, ROOT.password];
  const { stdout, stderr } = await run(command, given, { timeout: 2 * MINUTE }).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  const told = stdout.split('\n').filter((line) => /^(?:not )?ok /.test(line));
  expect(
    told.filter((line) => line.startsWith('not ok')),
    stderr,
  ).toEqual([]);
  expect(told, stderr).toHaveLength(client.checks);
});
