/**
 * Hidden and fixed elements stay in every kind of write (72), and what stays doesn't reveal that it is there
 * (73).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { toText } from '../../src/value/text/text.js';
import { answer, answers, run, World } from '../support/world.js';
import { attack } from './attack.js';
import { Doors } from './doors.js';

let world: World;
let doors: Doors;
let me: Session;
beforeAll(async () => {
  world = await World.open();
  doors = await Doors.open(world);
  me = await world.person('me');
});
afterAll(async () => {
  await doors.close();
  await world.close();
});

async function define(fields: string): Promise<void> {
  await run(world.owner, `REMOVE TABLE IF EXISTS t; DEFINE TABLE t PERMISSIONS FULL; ${fields}`);
}

const stored = (field: string) => answer(world.owner, `RETURN t:1.${field}`);

/** Writes of a list around its elements, which no user may change. */
const WRITES = [
  'UPDATE t:1 SET a = NONE',
  'UPDATE t:1 SET a = []',
  'UPDATE t:1 SET a = 5',
  'UPDATE t:1 SET a = {}',
  'UPDATE t:1 SET a = [3]',
  'UPDATE t:1 SET a += 3',
  'UPDATE t:1 SET a -= 1',
  'UPDATE t:1 SET a[0] = 3',
  'UPDATE t:1 SET a[$] = 3',
  'UPDATE t:1 SET a.* = 3',
  'UPDATE t:1 SET a[WHERE $this = 1] = 3',
  'UPDATE t:1 SET a = array::reverse(a)',
  'UPDATE t:1 SET a = array::slice(a, 1)',
  'UPDATE t:1 UNSET a',
  'UPDATE t:1 UNSET a[0]',
  'UPDATE t:1 CONTENT {}',
  'UPDATE t:1 REPLACE { b: 1 }',
  'UPDATE t:1 MERGE { a: NONE }',
  'UPDATE t:1 MERGE { a: [3] }',
  'UPDATE t SET a = [] WHERE true',
  "UPDATE t:1 PATCH [{ op: 'remove', path: '/a' }]",
  "UPDATE t:1 PATCH [{ op: 'remove', path: '/a/0' }]",
  "UPDATE t:1 PATCH [{ op: 'replace', path: '/a', value: [] }]",
  "UPDATE t:1 PATCH [{ op: 'replace', path: '/a/0', value: 3 }]",
  "UPDATE t:1 PATCH [{ op: 'add', path: '/a/0', value: 3 }]",
  "UPDATE t:1 PATCH [{ op: 'move', from: '/a', path: '/b' }]",
  "UPDATE t:1 PATCH [{ op: 'copy', from: '/a/0', path: '/a/1' }]",
  'UPSERT t:1 SET a = []',
  'UPSERT t:1 CONTENT { a: [] }',
  'UPSERT t:1 MERGE { a: {} }',
  'INSERT INTO t { id: 1 } ON DUPLICATE KEY UPDATE a = []',
  'INSERT INTO t { id: 1 } ON DUPLICATE KEY UPDATE a -= 1',
] as const;

describe('fixed elements', () => {
  attack(72, 'stay whatever is written around them', async () => {
    await define('DEFINE FIELD a.* ON t PERMISSIONS FOR update NONE');
    for (const write of WRITES) {
      await run(world.owner, 'UPSERT t:1 CONTENT { a: [1, 2] }');
      await answers(me, write);
      expect([write, await stored('a')]).toEqual([write, '[1, 2]']);
    }
  });

  attack(72, 'stay in sets, as members of objects, by their number, and in lists within', async () => {
    const cases: readonly (readonly [field: string, value: string])[] = [
      ['a.*', '{1, 2}'],
      ['a.*', '{ x: 1, y: 2 }'],
      ['a.x', '{ x: 1 }'],
      ['a.*.b', '[{ b: 1 }, { b: 2 }]'],
      ['a.b', '[{ b: 1 }, { b: 2 }]'],
      ['a.*.b.*', '[{ b: [1] }, { b: [2, 3] }]'],
      ['a.*.*', '[[1], [2, 3]]'],
      ['a[1]', '[1, 2]'],
    ];
    for (const [field, value] of cases) {
      await define(`DEFINE FIELD ${field} ON t PERMISSIONS FOR update NONE`);
      for (const write of WRITES.filter(
        (each) => !/a\[0\] = |a\[\$\] |a\.\* =|\/0|\[3\]|-=|reverse|slice|\+=|\[0\]$|WHERE \$this/.test(each),
      )) {
        await run(world.owner, `UPSERT t:1 CONTENT { a: ${value} }`);
        await answers(me, write);
        expect([field, write, await stored('a')]).toEqual([field, write, value]);
      }
    }
  });

  it('keep their own parts only', async () => {
    await define('DEFINE FIELD a.*.b ON t PERMISSIONS FOR update NONE');
    await run(world.owner, 'UPSERT t:1 CONTENT { a: [{ b: 1, c: 1 }, { c: 2 }, { b: 3 }] }');
    await run(me, 'UPDATE t:1 SET a = [{ b: 9, c: 9 }]');
    expect(await stored('a')).toBe('[{ b: 1, c: 9 }, { b: 3 }]');
  });

  it('are known by their numbers of now, one write after the other', async () => {
    await define(
      'DEFINE FIELD a.*.b ON t PERMISSIONS FOR update NONE; DEFINE FIELD l.* ON t PERMISSIONS FOR select WHERE $value < 5',
    );
    await run(world.owner, 'UPSERT t:1 CONTENT { a: [{ c: 1 }, { b: 1, c: 1 }], l: [1, 9] }');
    await run(me, 'UPDATE t:1 CONTENT {}; UPDATE t:1 SET a -= { c: 2 }, l = [2]; UPDATE t:1 SET a += { c: 3 }, l += 3');
    expect(await stored('a')).toBe('[{ b: 1 }, { c: 3 }]');
    expect(await stored('l')).toBe('[9, 2, 3]');
    await run(me, 'UPDATE t:1 SET a = [], l = []');
    expect(await stored('{ a, l }')).toBe('{ a: [{ b: 1 }], l: [9] }');
  });

  it('stay at their numbers, so far as there are others before them', async () => {
    await define('DEFINE FIELD a.* ON t PERMISSIONS FOR update WHERE $before != 2');
    const left = async (write: string) => {
      await run(world.owner, 'UPSERT t:1 CONTENT { a: [1, 2, 3] }');
      await run(me, write);
      return stored('a');
    };
    expect(await left('UPDATE t:1 SET a = [7, 8, 9, 10]')).toBe('[7, 2, 9, 10]');
    expect(await left('UPDATE t:1 SET a = [7]')).toBe('[7, 2]');
    expect(await left('UPDATE t:1 SET a = []')).toBe('[2]');
  });

  it('are refused aloud where permissions are strict', async () => {
    await define('DEFINE FIELD a.* ON t PERMISSIONS FOR update NONE');
    await run(world.owner, 'UPSERT t:1 CONTENT { a: [1, 2] }');
    for (const write of ['UPDATE t:1 SET a = []', 'UPDATE t:1 SET a = NONE', 'UPDATE t:1 SET a = 5']) {
      expect(await answer(me, `OPTION STRICT_PERMISSIONS; ${write}`), write).toMatch(/^write_refused/);
    }
    expect(await answer(me, 'OPTION STRICT_PERMISSIONS; UPDATE t:1 SET a = [1, 2]')).toMatch(/^\[/);
  });

  it('may not be given when a record is created', async () => {
    await define(
      'DEFINE FIELD a.* ON t PERMISSIONS FOR create NONE; DEFINE FIELD l.k ON t PERMISSIONS FOR create NONE',
    );
    expect(await answer(me, 'CREATE t:2 CONTENT { a: [1], l: [{ k: 1, v: 1 }] }')).toBe(
      '[{ a: [], id: t:2, l: [{ v: 1 }] }]',
    );
    expect(await answer(me, 'INSERT INTO t { id: 3, a: <set>[1] } RETURN VALUE a')).toBe('[{,}]');
  });
});

describe('hidden elements', () => {
  attack(72, 'stay at their numbers, and tell nothing', async () => {
    await define('DEFINE FIELD a.* ON t PERMISSIONS FOR select WHERE $value < 5');
    for (const write of WRITES) {
      const told: string[] = [];
      for (const value of ['[1, 2]', '[1, 9, 2]', '[9, 1, 2]', '[1, 2, 8, 9]']) {
        await run(world.owner, `UPSERT t:1 CONTENT { a: ${value} }`);
        told.push(await answers(me, `${write}; SELECT * FROM t`));
        const kept = await answer(world.owner, 'RETURN array::filter(t:1.a, |$n| $n > 5)');
        const hidden = await answer(world.owner, `RETURN array::filter(${value}, |$n| $n > 5)`);
        expect([write, value, kept]).toEqual([write, value, hidden]);
      }
      expect(told, write).toEqual(Array(4).fill(told[0]));
    }
    await run(world.owner, 'UPSERT t:1 CONTENT { a: [1, 9, 2, 8] }');
    await run(me, 'UPDATE t:1 SET a = [4, 3, 2]');
    expect(await stored('a')).toBe('[4, 9, 3, 8, 2]');
  });

  attack(72, 'and elements with hidden fields are compared with nothing', async () => {
    await define('DEFINE FIELD l.*.k ON t PERMISSIONS FOR select NONE');
    for (const write of [
      'SET l -= { v: 2, k: 2 }',
      'SET l -= { v: 2 }',
      'SET l +?= { v: 2, k: 2 }',
      'SET l += { v: 2 }',
    ]) {
      const told: string[] = [];
      for (const l of ['[{ v: 2, k: 2 }, { v: 3 }]', '[{ v: 2 }, { v: 3 }]', '[{ v: 2, k: 1 }, { v: 3, k: 2 }]']) {
        await run(world.owner, `UPSERT t:1 CONTENT { l: ${l} }`);
        told.push(await answers(me, `UPDATE t:1 ${write}`));
      }
      expect([write, told]).toEqual([write, Array(3).fill(told[0])]);
    }
    await run(world.owner, 'UPSERT t:1 CONTENT { l: [{ v: 2, k: 2 }, { v: 3, k: 3 }] }');
    await run(me, 'UPDATE t:1 SET l -= { v: 2 }');
    expect(await stored('l')).toBe('[{ k: 3, v: 3 }]');
  });

  attack(72, 'stay hidden by their number', async () => {
    await define('DEFINE FIELD a[1] ON t PERMISSIONS FOR select NONE');
    for (const write of WRITES) {
      await run(world.owner, 'UPSERT t:1 CONTENT { a: [1, "secret", 2] }');
      expect(await answers(me, `${write}; SELECT * FROM t`), write).not.toContain('secret');
      expect(await stored('a'), write).toContain('secret');
    }
  });
});

describe('what is left of an object', () => {
  const RETURNS = ['', 'RETURN BEFORE', 'RETURN AFTER', 'RETURN DIFF', 'RETURN VALUE o', 'RETURN *, $before.o AS was'];
  const WAYS = [
    'UPDATE t:1 SET o = NONE',
    'UPDATE t:1 SET o = {}',
    'UPDATE t:1 SET o = 5',
    'UPDATE t:1 SET o = { v: 3 }',
    'UPDATE t:1 SET o.v = NONE',
    'UPDATE t:1 UNSET o',
    'UPDATE t:1 UNSET o.v',
    'UPDATE t:1 CONTENT {}',
    'UPDATE t:1 REPLACE {}',
    'UPDATE t:1 MERGE { o: NONE }',
    "UPDATE t:1 PATCH [{ op: 'remove', path: '/o' }]",
    "UPDATE t:1 PATCH [{ op: 'replace', path: '/o', value: 1 }]",
    'UPSERT t:1 SET o = NONE',
    'INSERT INTO t { id: 1 } ON DUPLICATE KEY UPDATE o = NONE',
  ];

  attack(73, 'is the same with and without what is hidden in it, in every answer', async () => {
    for (const hidden of [
      'o.h ON t PERMISSIONS NONE',
      'o.h ON t PERMISSIONS FOR select NONE',
      'o.* ON t PERMISSIONS NONE',
    ]) {
      await define(`DEFINE FIELD ${hidden}`);
      for (const way of WAYS) {
        for (const form of RETURNS) {
          const told: string[] = [];
          for (const o of hidden.startsWith('o.*') ? ['{ h: 1 }', '{}'] : ['{ h: 1, v: 1 }', '{ v: 1 }']) {
            await run(world.owner, `UPSERT t:1 CONTENT { o: ${o} }`);
            told.push(
              await answers(me, `${way} ${form}; SELECT * FROM t; SELECT count() FROM t WHERE o = NONE GROUP ALL`),
            );
          }
          expect([hidden, way, form, told[0]]).toEqual([hidden, way, form, told[1]]);
        }
      }
    }
  });

  attack(73, 'is the same in lists of objects', async () => {
    await define('DEFINE FIELD l.*.h ON t PERMISSIONS NONE');
    for (const way of WAYS.map((each) =>
      each.replaceAll(/\bo\b/g, 'l').replace('l.v', 'l[0]').replace("'lp'", "'op'"),
    )) {
      const told: string[] = [];
      for (const l of ['[{ v: 1 }, { v: 2 }]', '[{ v: 1 }, { h: 1, v: 2 }]', '[{ h: 1, v: 1 }, { v: 2 }]']) {
        await run(world.owner, `UPSERT t:1 CONTENT { l: ${l} }`);
        told.push(await answers(me, `${way}; SELECT * FROM t`));
      }
      expect([way, told]).toEqual([way, Array(3).fill(told[0])]);
    }
  });

  attack(73, 'is the same to live queries', async () => {
    await define('DEFINE FIELD o.h ON t PERMISSIONS NONE; DEFINE TABLE OVERWRITE bell PERMISSIONS FULL');
    const listen = world.guest();
    await listen.authenticate(world.tokenOf(me) as string);
    const heard: string[] = [];
    let rung = () => {};
    listen.listen(({ record, action, result }) => {
      if (toText(record).startsWith('bell')) rung();
      else heard.push(`${action} ${toText(result)}`);
    });
    await run(listen, 'LIVE SELECT * FROM t; LIVE SELECT DIFF FROM t; LIVE SELECT * FROM bell');
    const told: string[][] = [];
    for (const o of ['{ h: 1, v: 1 }', '{ v: 1 }']) {
      for (const [session, text] of [
        [world.owner, `UPSERT t:1 CONTENT { o: ${o} }`],
        [me, 'UPDATE t:1 SET o = NONE'],
      ] as const) {
        heard.length = 0;
        const rings = new Promise<void>((resolve) => {
          rung = resolve;
        });
        await run(session, text);
        await run(world.owner, 'CREATE bell');
        await rings;
      }
      told.push([...heard]);
    }
    expect(told[0]).toEqual(told[1]);
    expect(told[0]?.length).toBeGreaterThan(0);
    listen.close();
  });
});

describe('on every route', () => {
  attack(72, 'the same holds for statements, and for methods of RPC', async () => {
    await define('DEFINE FIELD a.* ON t PERMISSIONS FOR update NONE');
    const reset = () => run(world.owner, 'UPSERT t:1 CONTENT { a: [1, 2] }');
    await reset();
    await doors.ask(me, 'UPDATE t:1 SET a = NONE; UPSERT t:1 CONTENT { a: [] }');
    expect(await stored('a')).toBe('[1, 2]');
    const calls = [
      { method: 'update', params: ['t:1', { a: [] }] },
      { method: 'merge', params: ['t:1', { a: [3] }] },
      { method: 'patch', params: ['t:1', [{ op: 'remove', path: '/a/0' }]] },
      { method: 'upsert', params: ['t:1', {}] },
      { method: 'insert', params: ['t', { id: 't:1', a: [] }] },
      { method: 'query', params: ['UPDATE t:1 UNSET a'] },
    ];
    for (const call of calls) {
      await reset();
      const told = await doors.talk([
        { method: 'authenticate', params: [world.tokenOf(me)] },
        { method: 'use', params: ['test', 'test'] },
        call,
      ]);
      expect([call, told.at(-1), await stored('a')]).toEqual([call, expect.any(String), '[1, 2]']);
    }
  });

  attack(72, 'the same holds for GraphQL', async () => {
    await define(
      'DEFINE FIELD a ON t TYPE option<array<int>>; DEFINE FIELD OVERWRITE a.* ON t TYPE int PERMISSIONS FOR update NONE; DEFINE CONFIG OVERWRITE GRAPHQL AUTO',
    );
    for (const data of ['{ a: [] }', '{ a: null }', '{ a: [7, 8, 9] }']) {
      await run(world.owner, 'UPSERT t:1 CONTENT { a: [1, 2] }');
      const told = await doors.graphql(me, `mutation { updateT(id: "1", data: ${data}) { id a } }`);
      expect([data, JSON.parse(told).errors, await stored('a')]).toEqual([data, undefined, '[1, 2]']);
    }
  });
});
