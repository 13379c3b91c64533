/** The threads of scripts: which are kept, and the effect on scripts whose thread dies. On the built code, as its threads are. */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import type { ScriptPool } from '../../src/runtime/script/pool.js';
import type { ScriptThread } from '../../src/runtime/script/thread.js';
import { DEFAULT_SCRIPT_LIMITS, type ScriptHost, type ScriptLimits } from '../../src/runtime/script-runner.js';

const built = (name: string): Promise<unknown> =>
  import(fileURLToPath(new URL(`../../dist/runtime/script/${name}.js`, import.meta.url)));

let Pool: typeof ScriptPool;
let Thread: typeof ScriptThread;
beforeAll(async () => {
  ({ ScriptPool: Pool } = (await built('pool')) as { ScriptPool: typeof ScriptPool });
  ({ ScriptThread: Thread } = (await built('thread')) as { ScriptThread: typeof ScriptThread });
});

const LIMITS: ScriptLimits = { ...DEFAULT_SCRIPT_LIMITS, threads: 1 };
/** Too little for the interpreter to begin. */
const TOO_SMALL: ScriptLimits = { ...LIMITS, memory: 0 };
const host: ScriptHost = { call: () => 'null' };
const interrupt = { check: () => undefined };

/** The limits that the next threads have, in their order; `undefined` for one that can't even be made. */
let fates: (ScriptLimits | undefined)[];
let threads: ScriptThread[];
let pool: ScriptPool;
beforeEach(() => {
  fates = [];
  threads = [];
  pool = new Pool(LIMITS, realEnvironment.timers, (limits) => {
    const fate = fates.length > 0 ? fates.shift() : limits;
    if (fate === undefined) throw new Error('no more threads');
    const thread = new Thread(fate);
    threads.push(thread);
    return thread;
  });
});
afterEach(() => pool.close());

const run = (body: string) =>
  pool.run({ body, input: '[null, []]' }, host, interrupt).catch((error: Error) => error.message);

it('a thread is kept for the next script', async () => {
  expect(await Promise.all([run('return 1'), run('return 2')])).toEqual(['1', '2']);
  expect(threads).toHaveLength(1);
});

it('one that dies at its start is replaced', async () => {
  fates = [TOO_SMALL, TOO_SMALL];
  expect(await Promise.all([run('return 1'), run('return 2'), run('return 3')])).toEqual([
    'Problem with embedded script function. Its thread ended',
    'Problem with embedded script function. Its thread ended',
    '3',
  ]);
});

it('one that can’t be made takes no place', async () => {
  fates = [undefined, undefined, undefined];
  expect(await Promise.all([run('return 1'), run('return 2'), run('return 3')])).toEqual(
    Array(3).fill('no more threads'),
  );
  expect(await run('return 4')).toBe('4');
});

it('one that dies while it waits for work is replaced', async () => {
  expect(await run('return 1')).toBe('1');
  threads[0]?.stop(new Error('died'));
  expect(await run('return 2')).toBe('2');
  expect(threads).toHaveLength(2);
});

it.each([
  ['memory that ended', 'const all = []; try { for (;;) all.push([1]) } catch { return 1 }', '1'],
  ['a call that ended its stack', 'const f = () => f(); return f()', undefined],
])('after %s the thread is kept only if its interpreter is sound', async (_, body, expected) => {
  const found = await run(body);
  if (expected !== undefined) expect(found).toBe(expected);
  expect(await run('return [2]')).toBe('[2]');
  expect(threads).toHaveLength(expected === undefined ? 1 : 2);
});

it('closing the pool fails what waits and ends what runs', async () => {
  const all = Promise.all([run('for (;;);'), run('return 1')]);
  pool.close();
  expect(await all).toEqual(Array(2).fill('The query was cancelled'));
  expect(threads.every(({ reusable }) => !reusable)).toBe(true);
});
