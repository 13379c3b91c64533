/**
 * The package as npm gives it to people: packed, and installed into an empty project with `--engine-strict`, on each version of Node that is
 * promised. The other versions come as packages of npm's, too.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesIn } from '../support/documentation.js';
import { pack } from '../support/packed.js';
import { isInTurn, RUNS_ALL } from '../support/runs-all.js';
import { cleanUp, temporaryFolder } from '../support/server-process.js';

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
}

const run = promisify(execFile);
const MINUTES = 60_000;
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;
const packageJson = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string };

/** A registry that has the package, and redirects requests for others to the usual registry. */
async function serveRegistry(tarball: string): Promise<Server> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().replace(/\/$/, '');
  const bytes = readFileSync(tarball);
  const server = createServer((request, response) => {
    const url = request.url ?? '/';
    if (url === `/${packageJson.name}.tgz`) {
      response.end(bytes);
      return;
    }
    if (url !== `/${packageJson.name}`) {
      response.writeHead(302, { location: upstream + url }).end();
      return;
    }
    const { port } = server.address() as AddressInfo;
    const version = {
      ...packageJson,
      // Registries say so of packages that carry a shrinkwrap.
      _hasShrinkwrap: true,
      dist: {
        tarball: `http://127.0.0.1:${port}/${packageJson.name}.tgz`,
        integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      },
    };
    const { name } = packageJson;
    const document = {
      name,
      'dist-tags': { latest: packageJson.version },
      versions: { [packageJson.version]: version },
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

/** A version of Node, from npm: the folder of its command. */
async function nodeBin(major: number): Promise<string> {
  if (process.version.startsWith(`v${major}.`)) return dirname(process.execPath);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), '{}');
  const { platform, arch } = process;
  await run('npm', ['i', '--silent', `node-${platform}-${arch}@${major}`], { cwd: folder });
  return join(folder, 'node_modules', `node-${platform}-${arch}`, 'bin');
}

/** An empty project with the package in it; gives its folder. */
async function install(bin: string, ...args: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), '{ "name": "of-a-user", "type": "module" }');
  await run('npm', ['i', '--engine-strict', '--silent', ...args], { cwd: folder, env: withNode(bin) });
  return folder;
}

function withNode(bin: string): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
}

const PROGRAM = `
  import { Tessera } from 'tesseradb';
  const database = await Tessera.open('./data');
  await database.use('a', 'b');
  const [created] = await database.query('CREATE note:1 SET text = "kept"');
  console.log(process.version.split('.')[0], JSON.stringify(created));
  await database.close();
`;

async function use(folder: string, bin: string): Promise<string> {
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
  const options = { cwd: folder, env: withNode(bin) };
  const { stdout: version } = await run(join('node_modules', '.bin', 'tessera'), ['version'], options);
  expect(version).toContain(packageJson.version);
  const { stdout } = await run('node', ['program.mjs'], options);
  return stdout;
}

/** The installed server has the pages for browsers, with their scripts. */
async function expectPages(folder: string): Promise<void> {
  const args = ['start', 'memory', '--bind', '127.0.0.1:0', '--allow-experimental', 'graphql'];
  const child = spawn(join('node_modules', '.bin', 'tessera'), args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      const listen = (chunk: Buffer) => {
        said += chunk;
        const [, found] = /"url":"([^"]+)".*"Listening"/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.once('close', () => reject(new Error(said)));
    });
    for (const path of ['/', '/graphql']) {
      const page = await (await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })).text();
      expect(page).toContain('<!doctype html>');
      const [, script] = /<script [^>]*src="([^"]+)"/.exec(page) ?? [];
      expect((await fetch(`${url}${script}`)).status).toBe(200);
    }
  } finally {
    child.kill();
  }
}

interface Problem {
  readonly kind: string;
  readonly resolutionKind: string;
}
/** How programs with `require` look packages up. */
const FOR_REQUIRE: ReadonlySet<string> = new Set(['node10', 'node16-cjs']);

// In turns with other long tests.
describe.skipIf(!isInTurn(4))('the package, installed into an empty project', () => {
  let tarball: string;
  let registry: Server;
  beforeAll(async () => {
    tarball = pack();
    registry = await serveRegistry(tarball);
  });
  afterAll(async () => {
    registry.close();
    await cleanUp();
  });

  // The others are installed from the registry first.
  it.each(RUNS_ALL ? [20, 22, 24] : [20])(
    'has the versions that are tested, and runs, on Node %d',
    async (major) => {
      const bin = await nodeBin(major);
      const { port } = registry.address() as AddressInfo;
      const folder = await install(bin, '--registry', `http://127.0.0.1:${port}`, packageJson.name);
      const installed = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as LockFile;
      const own = `node_modules/${packageJson.name}`;
      const versions: Record<string, string | undefined> = {};
      const locked: Record<string, string | undefined> = {};
      for (const [path, { version }] of Object.entries(installed.packages)) {
        if (path === own) continue;
        versions[path] = version;
        locked[path] = lock.packages[path.slice(own.length + 1)]?.version;
      }
      expect(Object.keys(versions).length).toBeGreaterThan(40);
      expect(versions).toEqual(locked);
      expect(await use(folder, bin)).toContain(`v${major} `);
    },
    2 * MINUTES,
  );

  it(
    'installs from the tarball itself',
    async () => {
      const bin = dirname(process.execPath);
      const folder = await install(bin, resolve(tarball));
      expect(await use(folder, bin)).toContain('kept');
      // The package has one command, which npx runs by the name of the package.
      const { stdout } = await run('npx', ['--no', packageJson.name, 'version'], { cwd: folder });
      expect(stdout).toContain(packageJson.version);
      await expectPages(folder);
    },
    2 * MINUTES,
  );

  it('is found, with its types, by Node and by bundlers', async () => {
    const bytes = new Uint8Array(readFileSync(tarball));
    const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
    expect(messages).toEqual([]);
    // Tessera is for `import` only.
    const attw = join('node_modules', '.bin', 'attw');
    const { stdout } = await run(attw, [tarball, '--profile', 'esm-only', '--format', 'json']);
    const { analysis } = JSON.parse(stdout) as { analysis: { entrypoints: object; problems: Problem[] } };
    expect(Object.keys(analysis.entrypoints)).toEqual(['.', './engines', './tanstack-db', './session', './react']);
    expect(analysis.problems.filter(({ resolutionKind }) => !FOR_REQUIRE.has(resolutionKind))).toEqual([]);
  });

  it('carries the documentation for those who use it', () => {
    const packed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n');
    const sources = ['guides', 'reference', 'operating'].flatMap((folder) => pagesIn(`docs/${folder}`));
    const pages = sources.flatMap((source) => [source, source.replace(/\.md$/, '.html')]);
    expect(pages.length).toBeGreaterThan(80);
    expect(pages.filter((page) => !packed.includes(`package/dist/pages/${page}`))).toEqual([]);
  });

  it('has no source maps, whose sources it has not', () => {
    const names = readdirSync('dist', { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.endsWith('.map'))).toEqual([]);
    expect(names.length).toBeGreaterThan(500);
  });
});
