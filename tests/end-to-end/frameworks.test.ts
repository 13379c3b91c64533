/**
 * The components of `docs/guides/frameworks.md` as Vue, Svelte and Solid compile them, and a collection of the
 * `@tanstack/db` that their adapters have. They are installed from the registry once; without it the tests are skipped.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, type TestContext } from 'vitest';
import type { LiveCollection, Row } from '../../collections/tanstack-db.js';
import { liveCollection, newId } from '../../collections/tanstack-db.js';
import { newApp, newSession, PASSWORD } from '../collections/app.js';
import { isInTurn } from '../support/runs-all.js';
import { startTestServer } from '../support/server.js';
import { blocksOf } from './pages.js';

const run = promisify(execFile);
const PAGE = 'docs/guides/frameworks.md';
const CACHE = resolve('node_modules/.cache/tessera-frameworks-1');
const PACKAGES = [
  'vue@3.5.45',
  '@tanstack/vue-db@0.2.1',
  'svelte@5.57.3',
  '@tanstack/svelte-db@0.4.1',
  'solid-js@1.9.20',
  '@tanstack/solid-db@0.2.45',
];
const inTurn = it.skipIf(!isInTurn(4));
const MINUTES = 60_000;

async function installed({ skip }: TestContext): Promise<void> {
  if (existsSync(join(CACHE, 'node_modules/tesseradb'))) return;
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, 'package.json'), '{ "private": true, "type": "module" }');
  try {
    await run('npm', ['install', '--silent', '--no-audit', ...PACKAGES], { cwd: CACHE, timeout: MINUTES });
  } catch (error) {
    rmSync(CACHE, { recursive: true });
    return skip(`They can’t be installed: ${String(error)}`);
  }
  symlinkSync(resolve('node_modules/surrealdb'), join(CACHE, 'node_modules/surrealdb'), 'dir');
  symlinkSync(resolve('.'), join(CACHE, 'node_modules/tesseradb'), 'dir');
}

/** A module of what is installed, which this repository has no types of. */
const imported = async <T>(path: string): Promise<T> =>
  (await import(pathToFileURL(join(CACHE, 'node_modules', path)).href)) as T;

const blocks = (language: string) =>
  blocksOf(PAGE).flatMap((block) => (block.language === language ? [block.text] : []));

interface VueCompiler {
  parse(source: string): { readonly descriptor: object; readonly errors: readonly unknown[] };
  compileScript(descriptor: object, options: object): { readonly content: string };
}
interface SvelteCompiler {
  compile(source: string, options: object): { readonly warnings: readonly { readonly message: string }[] };
}

inTurn(
  'compiles, and its types fit',
  async (test) => {
    await installed(test);
    const [session = '', vueSession = '', svelteSession = '', solidSession = ''] = blocks('ts');
    const [vue = ''] = blocks('vue');
    const [svelte = ''] = blocks('svelte');
    const [solid = ''] = blocks('tsx');

    const compiler = await imported<VueCompiler>('vue/compiler-sfc/index.mjs');
    const { descriptor, errors } = compiler.parse(vue);
    expect(errors).toEqual([]);
    const { content } = compiler.compileScript(descriptor, { id: 'tasks', inlineTemplate: true });
    const { compile } = await imported<SvelteCompiler>('svelte/src/compiler/index.js');
    expect(compile(svelte, { generate: 'client' }).warnings).toEqual([]);

    const sources = {
      'session.ts': session,
      'vue.ts': vueSession,
      'tasks-vue.ts': content,
      'svelte.ts': svelteSession,
      'tasks-svelte.ts': /<script lang="ts">(.*)<\/script>/s.exec(svelte)?.[1] ?? '',
      'solid.ts': solidSession,
      'tasks-solid.tsx': solid,
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          target: 'ES2022',
          lib: ['ES2023', 'DOM'],
          module: 'ESNext',
          moduleResolution: 'Bundler',
          jsx: 'preserve',
          jsxImportSource: 'solid-js',
          strict: true,
          skipLibCheck: true,
          noEmit: true,
          types: ['svelte'],
        },
        include: ['.'],
      }),
    };
    mkdirSync(join(CACHE, 'src'), { recursive: true });
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(CACHE, 'src', name), text);
    const { stdout } = await run('node_modules/.bin/tsc', ['-p', join(CACHE, 'src')]).catch((error) => error);
    expect(stdout).toBe('');
  },
  3 * MINUTES,
);

interface Task extends Row {
  text: string;
  done: boolean;
}
/** What this test uses of the adapters' `@tanstack/db`. */
interface AdaptersDb {
  createCollection(options: LiveCollection<Task>): {
    preload(): Promise<void>;
    cleanup(): Promise<void>;
    insert(task: Task): { readonly isPersisted: { readonly promise: Promise<unknown> } };
    readonly toArray: readonly Task[];
  };
}

inTurn(
  'collections of the adapters’ own release of TanStack DB work',
  async (test) => {
    await installed(test);
    const { createCollection } = await imported<AdaptersDb>('@tanstack/db/dist/esm/index.js');
    const server = await startTestServer();
    const owner = await newApp(server);
    const session = newSession(server.url);
    const stop = session.start();
    await session.signUp({ email: 'ann@example.com', password: PASSWORD });
    const tasks = createCollection(liveCollection<Task>({ client: session.client, query: 'SELECT * FROM task' }));
    await tasks.preload();
    const texts = () => tasks.toArray.map(({ text }) => text).sort();
    await tasks.insert({ id: newId('task'), text: 'Milk', done: false }).isPersisted.promise;
    await owner.query("CREATE task SET text = 'Tea'");
    await expect.poll(texts).toEqual(['Milk', 'Tea']);
    const refused = tasks.insert({ id: newId('task'), text: 'x'.repeat(30), done: false });
    expect(texts()).toHaveLength(3);
    await expect(refused.isPersisted.promise).rejects.toThrow(/text/);
    expect(texts()).toEqual(['Milk', 'Tea']);
    stop();
    await tasks.cleanup();
    await owner.close();
    await server.close();
  },
  3 * MINUTES,
);
