/**
 * The steps of the Dockerfile, run in empty folders without a container engine: what is left out are the base image,
 * users and owners. The first stage, which builds the sources, runs with all tests only.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { pack } from '../support/packed.js';
import { isInTurn, RUNS_ALL } from '../support/runs-all.js';
import { cleanUp, temporaryFolder } from '../support/server-process.js';
import { build, newStage, readDockerfile, type Stage, withinRoot } from './dockerfile.js';

const MINUTES = 60_000;
// Folders of installed packages have many files.
afterAll(cleanUp, 2 * MINUTES);
const instructions = readDockerfile('Dockerfile');

/** The files that a build is sent: those of the repository, but for what `.dockerignore` names. */
function context(): string {
  const folder = temporaryFolder();
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n').filter(Boolean);
  for (const name of listed.split('\n').filter(Boolean)) {
    if (ignored.some((pattern) => name === pattern || name.startsWith(`${pattern}/`))) continue;
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    cpSync(name, join(folder, name), { verbatimSymlinks: true });
  }
  return folder;
}

/** The stage that builds the package, with the build that there is. */
function packageStage(): Stage {
  const stage = newStage(temporaryFolder());
  mkdirSync(join(stage.root, 'source'));
  cpSync(pack(), join(stage.root, 'source', 'tesseradb-0.0.0.tgz'));
  return stage;
}

const words = (json: string | undefined) => JSON.parse(json ?? '[]') as string[];

/** Every file outside of the data, with its size and time. */
function filesOf({ root }: Stage): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('data'))
    .map((name) => {
      const { size, mtimeMs } = statSync(join(root, name));
      return `${name} ${size} ${mtimeMs}`;
    });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

// In turns with other long tests.
it.skipIf(!isInTurn(1))(
  'makes a folder that serves, passes its health check, stops in order, and writes nothing but its data',
  async () => {
    const given = RUNS_ALL ? new Map<string, Stage>() : new Map([['package', packageStage()]]);
    const stage = build(instructions, { context: RUNS_ALL ? context() : '.', newFolder: temporaryFolder, given });
    const { environment, metadata } = stage;
    const bind = `127.0.0.1:${await freePort()}`;
    const env = {
      ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, withinRoot(stage, value)])),
      PATH: `${join(stage.root, 'usr/local/bin')}:${dirname(process.execPath)}`,
      SVC_BIND: bind,
      SVC_ENDPOINT: `http://${bind}`,
    };
    const healthCheck = words(metadata.get('HEALTHCHECK')?.replace(/^.* CMD /, ''));
    const isHealthy = () => spawnSync(healthCheck[0] ?? '', healthCheck.slice(1), { env }).status;
    expect(isHealthy()).toBe(2);
    const before = filesOf(stage);
    const [command = '', ...args] = [...words(metadata.get('ENTRYPOINT')), ...words(metadata.get('CMD'))];
    const child = spawn(command, args, { env, cwd: join(stage.root, stage.workdir), stdio: 'pipe' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await expect.poll(isHealthy, { timeout: 20_000 }).toBe(0);
    child.kill(metadata.get('STOPSIGNAL') as NodeJS.Signals);
    expect(await ended).toBe(0);
    expect(isHealthy()).toBe(2);
    expect(filesOf(stage)).toEqual(before);
    expect(readdirSync(join(stage.root, 'data'))).toContain('data.mdb');
    // Nothing that only building needs.
    const modules = readdirSync(join(stage.root, 'opt/tessera/node_modules'));
    expect(modules).toContain('fastify');
    expect(modules).not.toContain('typescript');
  },
  10 * MINUTES,
);

it('runs as a user without rights, with its data in a volume', () => {
  const last = instructions.slice(instructions.findLastIndex(({ word }) => word === 'FROM'));
  const value = (wanted: string) => last.find(({ word }) => word === wanted)?.rest;
  expect(value('USER')).toBe('node');
  expect(value('VOLUME')).toBe('/data');
  expect(value('ENV')).toContain('SVC_PATH=/data');
  expect(last.map(({ rest }) => rest).join('\n')).not.toMatch(/curl|wget|apt-get/);
});
