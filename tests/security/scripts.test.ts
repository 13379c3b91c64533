/**
 * Attacks by embedded JavaScript: on the time, the memory and the stack of the server, on other scripts, and on the way
 * out.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openScripting, type Scripting } from '../support/scripting.js';
import { SLOWDOWN } from '../support/timeouts.js';
import { attack } from './attack.js';

/**
 * Milliseconds for what has no end of its own; whatever else is run has the time that a busy machine may need for it.
 */
const TIME = 200 * SLOWDOWN;
let scripting: Scripting;
const internal: unknown[] = [];

const openFor = (time: number) =>
  openScripting({ scripting: { time, threads: 1 }, report: (error) => internal.push(error.cause) });

beforeEach(async () => {
  internal.length = 0;
  scripting = await openFor(4_000 * SLOWDOWN);
});
/** Whatever it was: no fault of our own, and scripts still run. */
afterEach(async () => {
  expect(internal).toEqual([]);
  // The time of a script may be too short for a new thread while the machine is busy.
  await expect.poll(() => scripting.answer('RETURN function() { return [1].map((x) => x + 1) }')).toBe('[2]');
  await scripting.database.close();
});

async function reopenFor(time: number): Promise<void> {
  await scripting.database.close();
  scripting = await openFor(time);
}

const run = (body: string) => scripting.answer(`RETURN function() { ${body} }`);
const STOPPED = `It was stopped after ${TIME} ms`;

/** They would run for ever, whether the interpreter looks at its clock meanwhile or not. */
const ENDLESS = [
  'while (true) {}',
  'for (;;) { try { for (;;) {} } catch {} finally { continue } }',
  'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
  'Array.prototype.join.call({ length: 2 ** 32 })',
  "/(a+)+b/.test('a'.repeat(50))",
  'const again = () => Promise.resolve().then(() => { again() }); await again()',
  'const f = async () => { for (;;) await null }; await f()',
  'for (;;) surrealdb.functions.math.abs(-1)',
  'for (;;) await surrealdb.value("$x")',
  'return { toString() { for (;;); } } + ""',
  'return { get a() { for (;;); } }',
];

attack(43, 'endless loops in scripts are stopped, and others are served meanwhile', async () => {
  await reopenFor(TIME);
  for (const body of ENDLESS) {
    let ended = false;
    const endless = run(body).finally(() => {
      ended = true;
    });
    let served = 0;
    while (!ended) {
      expect(await scripting.answer('RETURN 1')).toBe('1');
      served++;
      await new Promise((next) => setImmediate(next));
    }
    expect([body, await endless]).toEqual([
      body,
      expect.stringMatching(/It was stopped after|out of memory|never settles/),
    ]);
    expect(served).toBeGreaterThan(0);
  }
});

attack(44, 'huge texts handed to the compiler end in an error', async () => {
  for (const body of [
    "return eval('['.repeat(1e6))",
    "return new Function('a'.repeat(1e7) + ';'.repeat(1e7))()",
    "return JSON.parse('['.repeat(1e6))",
    "return new RegExp('('.repeat(1e6))",
    `return ${'('.repeat(50_000)}1${')'.repeat(50_000)}`,
    `return ${'1+'.repeat(100_000)}1`,
  ]) {
    expect(await run(body)).toMatch(/^Problem with embedded script function|^100001$|^Parse error/);
  }
});

attack(64, 'format strings in errors of scripts are plain text', async () => {
  expect(await run("throw new Error('%s%n%p')")).toContain('An exception occurred: %s%n%p');
});

describe('memory', () => {
  it.each([
    'const all = []; for (;;) all.push(new Array(1000).fill(1))',
    "const all = []; for (;;) all.push('x'.repeat(1000) + all.length)",
    "let text = 'x'; for (;;) text += text",
    'return new Uint8Array(2 ** 40)',
    'return new ArrayBuffer(1e9)',
    'const all = []; for (;;) all.push({ n: all.length })',
    'const all = []; const more = () => { all.push(Promise.resolve().then(more), new Array(100).fill(0)) }; more(); await new Promise(() => {})',
    'return 2n ** 10_000_000n',
    "return 'x'.padEnd(2 ** 30).split('')",
  ])('%s', async (body) => {
    const before = process.memoryUsage().rss;
    expect(await run(body)).toMatch(/^Problem with embedded script function/);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 2 ** 20);
  });
});

describe('stack', () => {
  it.each([
    'const f = () => f(); return f()',
    'const f = () => { try { return f() } finally { f() } }; return f()',
    'const a = {}; a.a = a; return a',
    'let a = []; for (let n = 0; n < 1e5; n++) a = [a]; return a',
    'let a = {}; for (let n = 0; n < 1e5; n++) a = { a }; return JSON.stringify(a)',
    'const p = new Proxy({}, { get: (_, name) => p[name] }); return p.x',
    'const p = {}; p.toString = () => String(p); return String(p)',
  ])('%s', async (body) => {
    expect(await run(body)).toMatch(/^Problem with embedded script function/);
  });

  it('functions and scripts that call each other end', async () => {
    const text = `DEFINE FUNCTION fn::f($n: int) {
        RETURN function($n) { return await surrealdb.query('RETURN fn::f($n)', { n: arguments[0] + 1 }) }
      }; RETURN fn::f(0)`;
    expect(await scripting.answer(text)).toMatch(/excessive computation depth|It was stopped/);
  });

  it('a deep value is refused', async () => {
    const deep = 'let a = 1; for (let n = 0; n < 1100; n++) a = [a]; return a';
    expect(await run(deep)).toMatch(/nested|stack overflow/);
  });
});

describe('the way out', () => {
  it.each([
    ['return globalThis.constructor.constructor("return typeof process")()', "'undefined'"],
    ['return surrealdb.constructor.constructor("return typeof require")()', "'undefined'"],
    ['return (async () => {}).constructor("return typeof process")()', "'undefined'"],
    [
      'return Object.getOwnPropertyNames(globalThis).filter((name) => /ask|host|invoke|prepare|port/i.test(name))',
      '[]',
    ],
    ['Object.prototype.then = 1; Object.prototype.$ = "kept"; Object.prototype.v = 0; return { a: 1 }', '{ a: 1 }'],
    ['return { $: "kept", v: 5 }', '{ "$": \'kept\', v: 5 }'],
    ['return JSON.parse(\'{"__proto__": {"x": 1}}\')', '{ __proto__: { x: 1 } }'],
    ['Array.prototype.map = () => "evil"; JSON.parse = 5; return [1, 2]', '[1, 2]'],
  ])('%s', async (body, expected) => {
    expect(await run(body)).toBe(expected);
  });

  it.each(['import("node:fs")', 'import("surrealdb")', 'import.meta'])('%s', async (body) => {
    expect(await run(`return await ${body}`)).toMatch(/^Problem with embedded script function/);
  });

  it('braces in the body end nothing but the function', async () => {
    await expect(run('return 1 })(); (async function() { return typeof process')).rejects.toThrow('Parse error');
  });

  it('what one script leaves behind, no other finds', async () => {
    await run('globalThis.leak = 1; Array.prototype.map = () => "evil"; surrealdb.value = () => 1');
    expect(await run('return [typeof leak, [1].map((x) => x)]')).toBe("['undefined', [1]]");
  });
});

describe('rights', () => {
  it('a script has those of its caller', async () => {
    const { database } = scripting;
    await database.query(`
      DEFINE TABLE secret PERMISSIONS NONE; CREATE secret:1 SET a = 1;
      DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth;
      DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE user:eve);
      DEFINE FUNCTION fn::look() { RETURN function() { return await surrealdb.query('SELECT * FROM secret') } } PERMISSIONS FULL`);
    const eve = database.session();
    await eve.signUp({ NS: 'test', DB: 'test', AC: 'people' });
    expect(await eve.query('RETURN fn::look()')).toEqual([[]]);
    expect(await eve.query("RETURN function() { return await surrealdb.query('SELECT * FROM secret') }")).toEqual([[]]);
    await expect(eve.query("RETURN function() { return await surrealdb.value('secret:1.a') }")).resolves.toEqual([
      undefined,
    ]);
  });

  it('a condition writes nothing through a script', async () => {
    await scripting.database.query('CREATE t:1');
    const text = `RETURN [1].map(|$x| function() { return await surrealdb.query('CREATE t:2') }); `;
    expect(await scripting.answer(text)).toMatch(/^Problem with embedded script function/);
    expect(await scripting.answer('SELECT VALUE id FROM t')).toBe('[t:1]');
  });
});

it('a statement’s TIMEOUT stops a script', async () => {
  await scripting.database.query('CREATE t:1');
  expect(await scripting.answer('SELECT function() { for (;;); } FROM t TIMEOUT 50ms')).toContain(
    'exceeded the timeout: 50ms',
  );
});

it('many at once take their turns', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => run(`return ${at}`)));
  expect(all).toEqual(Array.from({ length: 20 }, (_, at) => String(at)));
});

it('one that is stopped takes no other along', async () => {
  await reopenFor(TIME);
  const [endless, ...others] = await Promise.all([run('for (;;);'), run('return 1'), run('return 2')]);
  expect(endless).toContain(STOPPED);
  expect(others).toEqual(['1', '2']);
});

/** Whether scripts run, each of them on whatever thread there is. */
async function expectScriptsToRun(): Promise<void> {
  for (let time = 0; time < 3; time++) expect(await run('return [1].map((x) => x + 1)')).toBe('[2]');
}

attack(80, 'a script that recurses until the interpreter’s memory ends harms no other', async () => {
  const recursion = (elements: number, caught: string) => `
    DEFINE FUNCTION OVERWRITE fn::f($n: int) { RETURN function($n) {
      const ballast = new Array(${elements}).fill(arguments[0]);
      try { return [await surrealdb.query('RETURN fn::f($n)', { n: arguments[0] + 1 }), ballast.length] }
      catch (error) { ${caught} throw error }
    } }; RETURN fn::f(0)`;
  for (const elements of [0, 100_000, 500_000]) {
    for (const caught of ['', 'const all = []; for (;;) all.push([1]);']) {
      expect(await scripting.answer(recursion(elements, caught))).toMatch(
        caught === '' ? /excessive computation depth|out of memory/ : /out of memory|interpreter failed|was stopped/,
      );
      await expectScriptsToRun();
    }
  }
});

attack(80, 'scripts that call each other without end get the error of depth', async () => {
  const text = `DEFINE FUNCTION fn::f() { RETURN function() { return await surrealdb.query('RETURN fn::f()') } };
    RETURN fn::f()`;
  expect(await scripting.answer(text)).toMatch(/Reached excessive computation depth due to functions/);
  await expectScriptsToRun();
});

attack(80, 'memory that ends where a script catches the error doesn’t stay with the thread', async () => {
  for (const body of [
    'const all = []; try { for (;;) all.push(new Array(1000).fill(1)) } catch { return 5 }',
    'const all = []; try { for (;;) all.push({}) } catch { return await surrealdb.functions.sleep(new Duration("1ms")) }',
    'const f = async (n) => { const all = new Array(1000).fill(n); await null; await f(n + 1); return all }; await f(0)',
    'const all = []; try { for (;;) all.push([]) } catch { for (;;) all.push({}) }',
  ]) {
    expect(await run(body)).toMatch(/^5$|^NONE$|out of memory/);
    await expectScriptsToRun();
  }
});

describe('calls of the database', () => {
  it('that a script doesn’t wait for end before the statement does', async () => {
    await scripting.answer('DEFINE TABLE late');
    const query = `surrealdb.query('RETURN { LET $x = sleep(30ms); RETURN CREATE ONLY late:1 }')`;
    expect(await scripting.answers(`RETURN function() { ${query}; return 1 }; SELECT VALUE id FROM late`)).toEqual([
      '1',
      '[late:1]',
    ]);
  });

  it('end with a script that is stopped, and do nothing after that', async () => {
    await reopenFor(TIME);
    await scripting.answer('DEFINE TABLE late');
    const query = `surrealdb.query('RETURN { FOR $n IN 0..100000 { LET $x = sleep(10ms) }; RETURN CREATE late:1 }')`;
    expect(await run(`await ${query}`)).toContain(STOPPED);
    expect(await run(`await Promise.all([${query}, ${query}])`)).toContain(STOPPED);
    expect(await run(`${query}; for (;;);`)).toContain(STOPPED);
    expect(await scripting.answer('SELECT VALUE id FROM late')).toBe('[]');
  });

  it('are bounded in number', async () => {
    const body = `const all = []; for (let n = 0; n < 2000; n++) all.push(surrealdb.functions.sleep(new Duration('1ms')));
      await Promise.all(all)`;
    expect(await run(body)).toContain('Too many calls are under way');
  });
});

describe('values on the way', () => {
  it.each([
    ['results', "return 'x'.repeat(5e6)"],
    ['results of shared lists', 'let a = []; for (let n = 0; n < 22; n++) a = [a, a]; return a'],
    ['arguments of calls', "return surrealdb.functions.string.len('x'.repeat(5e6))"],
    ['texts of queries', "return await surrealdb.query('RETURN \"' + 'x'.repeat(5e6) + '\"')"],
  ])('%s are bounded in bytes', async (_, body) => {
    expect(await run(body)).toMatch(/larger than 4194304 bytes \(--script-value\)|out of memory/);
  });

  it('arguments are, too', async () => {
    await scripting.answer('CREATE large:1 SET parts = (<array> 0..8).map(|$n| string::repeat("x", 1000000))');
    expect(await scripting.answer('RETURN function(large:1.parts) { return 1 }')).toContain(
      'larger than 4194304 bytes',
    );
    expect(await scripting.answer('SELECT VALUE function() { return 1 } FROM large')).toContain('larger than');
    expect(await run("return await surrealdb.value('large:1.parts')")).toContain('larger than 4194304 bytes');
  });

  it('what is kept for a script is bounded', async () => {
    expect(await run('for (;;) surrealdb.functions.time.now()')).toMatch(/too much to keep|It was stopped after/);
  });
});

describe('scripts that wait for a thread', () => {
  it('are refused when there are too many', async () => {
    await scripting.database.close();
    scripting = await openScripting({ scripting: { time: 4_000 * SLOWDOWN, threads: 1, queue: 2 } });
    const body = "await surrealdb.functions.sleep(new Duration('50ms')); return 1";
    const found = await Promise.all(Array.from({ length: 5 }, () => run(body)));
    const refused = found.filter((text) => text.startsWith('Too many embedded functions wait for a thread'));
    expect([found.filter((text) => text === '1').length, refused.length]).toEqual([3, 2]);
  });

  it('end with their statement', async () => {
    await scripting.answer('CREATE t:1');
    const [long, waiting] = await Promise.all([
      run("await surrealdb.functions.sleep(new Duration('1s')); return 1"),
      scripting.answer('SELECT function() { return 2 } FROM t TIMEOUT 50ms'),
    ]);
    expect([long, waiting]).toEqual(['1', expect.stringContaining('exceeded the timeout: 50ms')]);
  });

  it('get an error when the database closes', async () => {
    const all = Promise.all([run('for (;;);'), run('return 1'), run('return 2')]);
    await new Promise((next) => setImmediate(next));
    await scripting.database.close();
    for (const text of await all) expect(text).toMatch(/cancelled/);
    scripting = await openFor(4_000 * SLOWDOWN);
  });
});
