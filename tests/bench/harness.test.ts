/** The parts of the bench that judge: they must find what differs, and what was missed. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { judge } from '../../bench/harness/aims.mjs';
import { comparable, demandSame, plain } from '../../bench/harness/answers.mjs';
import { written, writtenRatio } from '../../bench/harness/figures.mjs';
import { HEADLINES } from '../../bench/harness/headlines.mjs';
import { latenciesAtRate } from '../../bench/harness/open-load.mjs';
import { httpLength, textOf } from '../../bench/harness/raw-client.mjs';
import { headlines, PAGES, tables } from '../../bench/harness/report.mjs';
import { readResults } from '../../bench/harness/results.mjs';
import { spreadOf } from '../../bench/harness/statistics.mjs';
import { RecordId } from '../../src/value/value.js';

test('answers of different targets become the same data', () => {
  expect(plain({ id: new RecordId('person', 7), active: true, name: undefined })).toEqual({
    active: 1,
    id: 7,
    name: null,
  });
  expect(plain([{ b: 1, a: 0.1 + 0.2 }])).toEqual([{ a: 0.3, b: 1 }]);
  const unordered = { name: 'x', unordered: true };
  expect(comparable(unordered, [{ n: 2 }, { n: 1 }])).toEqual(comparable(unordered, [{ n: 1 }, { n: 2 }]));
});

test('an answer that differs ends the run', () => {
  demandSame('count', [
    ['a', [1]],
    ['b', [1]],
  ]);
  expect(() =>
    demandSame('count', [
      ['a', [1]],
      ['b', [2]],
    ]),
  ).toThrow('count: a answers [1] and b [2]');
});

test('at a steady rate all that is due is asked, one at a time of each client, and judged', async () => {
  let asked = 0;
  const client = () => {
    let isAsking = false;
    return {
      async ask(request: Uint8Array) {
        expect(isAsking).toBe(false);
        isAsking = true;
        await new Promise((resolve) => setImmediate(resolve));
        isAsking = false;
        return `${request} ${asked++}`;
      },
    };
  };
  const answers: unknown[] = [];
  const load = (check: (answer: string | undefined) => unknown) =>
    latenciesAtRate([client(), client()], () => new Uint8Array(1), 1_000, 50, check);
  const times = await load((answer) => answers.push(answer));
  expect(times.length).toBeGreaterThan(10);
  expect([answers.length, asked]).toEqual([times.length, times.length]);
  // The moments are the same in each run.
  expect(await load(() => {})).toHaveLength(times.length);
});

test('a spread is the middle and the quarters', () => {
  expect(spreadOf([5, 1, 3, 2, 4])).toEqual({ median: 3, low: 2, high: 4 });
  expect(spreadOf([1, 2]).median).toBe(1.5);
});

const rounds = [
  [{ processor: 10 }, { processor: 200 }],
  [{ processor: 20 }, { processor: 300 }],
  [{ processor: 30 }, { processor: 900 }],
];
const targets = ['ours', 'theirs'].map((name) => ({
  name,
  title: name,
  speaks: '',
  keeps: '',
  open: () => Promise.reject(),
}));
const aim = { what: '', workloads: ['w'], target: 'ours', beside: 'theirs' };
const judged = (more: object) =>
  judge({ workload: { name: 'w' }, rows: 1, targets, rounds }, [{ ...aim, bound: 1, direction: 'faster', ...more }])[0];

test('aims are judged by ratios within rounds', () => {
  expect(judged({ direction: 'faster', bound: 20 })).toMatchObject({
    met: true,
    spread: { median: 20 },
    aim: '≥ 20.0 × as fast',
  });
  expect(judged({ direction: 'faster', bound: 21 })?.met).toBe(false);
  expect(judged({ direction: 'slower', bound: 0.05 })?.met).toBe(true);
  expect(judged({ direction: 'slower', bound: 0.04 })?.met).toBe(false);
});

test('aims without another target are about the figure itself', () => {
  expect(judged({ beside: undefined, direction: 'at most', bound: 20 })).toMatchObject({ met: true, aim: '≤ 20.0 ns' });
  expect(judged({ beside: undefined, direction: 'at least', bound: 21 })?.met).toBe(false);
});

test('an aim about targets that did not run is left out', () => {
  expect(judged({ beside: 'others' })).toBeUndefined();
});

test('figures are written with their units', () => {
  expect(written('time', 12)).toBe('12.0 ns');
  expect(written('p99', 20e6)).toBe('20.0 ms');
  expect(written('memory', 600)).toBe('600 B');
  expect(written('rate', 39_170.4)).toBe('39,170 /s');
  expect(writtenRatio(0.5)).toBe('0.50 ×');
});

test('the page shows what the results say, headlines first', () => {
  const results = readResults(new URL('../../bench/results.json', import.meta.url));
  expect(headlines(results).split('\n')).toHaveLength(HEADLINES.length + 2);
  expect(readFileSync(PAGES.headlines, 'utf8')).toContain(headlines(results));
  expect(readFileSync(PAGES.tables, 'utf8')).toContain(tables(results));
});

test('an answer in chunks ends where its last one does', () => {
  const whole = Buffer.from(
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\n{"a":"\r\n4;x=y\r\né\r\n\r\n2\r\n"}\r\n0\r\n\r\n',
  );
  const lengths = Array.from({ length: whole.length }, (_, length) => httpLength(whole.subarray(0, length)));
  expect(lengths.every((length) => length === undefined)).toBe(true);
  expect(httpLength(whole)).toBe(whole.length);
  expect(httpLength(Buffer.concat([whole, whole]))).toBe(whole.length);
  expect(textOf(whole)).toBe('{"a":"é\r\n"}');
});

test('an answer that names its length, and one without content', () => {
  const named = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  expect([httpLength(named), textOf(named)]).toEqual([named.length, '{}']);
  const empty = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
  expect([httpLength(empty), textOf(empty)]).toEqual([empty.length, '']);
});
