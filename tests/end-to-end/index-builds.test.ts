/** The server killed in the middle of the build of an index: it goes on with it when it comes back, and the index agrees with the table. */
import { afterAll, expect, it } from 'vitest';
import { cleanUp, ROOT, type ServerProcess, startServer, temporaryFolder } from '../support/server-process.js';
import { asRoot } from './clients.js';

afterAll(cleanUp);

const ROWS = 40_000;

interface Build {
  readonly status: string;
  readonly initial?: number;
  readonly error?: string;
}

async function ask(server: ServerProcess, text: string): Promise<unknown> {
  return (await asRoot(server.url, text, ROOT)).at(-1);
}

/** How the build stands, as soon as that is worth telling. */
async function building(server: ServerProcess, until: (build: Build) => boolean): Promise<Build> {
  for (;;) {
    const build = (await ask(server, '(INFO FOR INDEX i ON t).building')) as Build;
    if (until(build)) return build;
  }
}

it('goes on with a build after it was killed', async () => {
  const folder = temporaryFolder();
  let server = await startServer(folder);
  await ask(server, `CREATE |t:0..${ROWS}| SET a = rand::int(0, 100), b = 1 RETURN NONE`);
  await ask(server, 'DEFINE INDEX i ON t FIELDS b; DEFINE INDEX OVERWRITE i ON t FIELDS a CONCURRENTLY');

  let reached = 0;
  let written = ROWS;
  for (let kills = 0; kills < 2; kills++) {
    const build = await building(server, ({ status, initial = 0 }) => status !== 'started' && initial > reached);
    expect(build.status).toBe('indexing');
    reached = build.initial ?? 0;
    // What was there before answers.
    expect(await ask(server, 'EXPLAIN SELECT * FROM t WHERE b = 1')).toContain('IndexScan');
    await ask(
      server,
      `CREATE t:${++written} SET a = 1; UPDATE t:${ROWS - kills - 1} SET a = 1; UPDATE t:${kills} SET a = 1`,
    );
    await server.stop('SIGKILL');
    server = await startServer(folder);
  }
  const build = await building(server, ({ status }) => status === 'ready' || status === 'error');
  expect(build).toEqual({ initial: expect.any(Number), pending: 0, status: 'ready', updated: 0 });
  expect(await ask(server, 'EXPLAIN SELECT * FROM t WHERE a = 1')).toContain('IndexScan');
  for (const a of [1, 2, 99]) {
    const found = await ask(server, `RETURN count(SELECT * FROM t WHERE a = ${a})`);
    expect(found).toBe(await ask(server, `RETURN count(SELECT * FROM t WITH NOINDEX WHERE a = ${a})`));
  }
  expect(await server.stop()).toBe(0);
}, 60_000);
