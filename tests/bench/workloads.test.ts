/** Every workload of the bench with a handful of rows, so that none rots: the targets that can run here give the same answer. */
import { afterAll, expect, test } from 'vitest';
import { NOTHING } from '../../bench/data/nothing.mjs';
import { AIMS } from '../../bench/harness/aims.mjs';
import { compareAnswers, contenderOf, runs } from '../../bench/harness/bench.mjs';
import { useBuild } from '../../bench/harness/build.mjs';
import type { Dataset, Opened, Target } from '../../bench/harness/contract.mjs';
import { FIGURES } from '../../bench/harness/figures.mjs';
import { measure } from '../../bench/harness/rounds.mjs';
import { TARGETS } from '../../bench/targets/index.mjs';
import { WORKLOADS } from '../../bench/workloads/index.mjs';
import { isInTurn } from '../support/runs-all.js';

/** Why targets don't run here. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'surrealdb:memory': 'installed only in bench/',
  'surrealdb:disk': 'installed only in bench/',
  sqlite: 'installed only in bench/',
  mercurius: 'installed only in bench/',
  'mercurius:jit': 'installed only in bench/',
  postgres: 'a package of the system',
  // Of these only the way in is their own; `network.test.ts` is about it.
  http: 'a process of its own, of a build',
  websocket: 'a process of its own, of a build',
  'websocket:cbor': 'a process of its own, of a build',
  'websocket:flatbuffers': 'a process of its own, of a build',
  'http:graphql': 'a process of its own, of a build',
  'bare:http': 'repeats requests until it is warm',
  'bare:websocket': 'repeats requests until it is warm',
};
const ROWS = 50;
/** The first to load a part of Tessera waits for its translation. */
const LONGEST = 60_000;
const ONE_ROUND = { rounds: 1, milliseconds: 0, enough: 0 };

// The sources rather than a build, which may be missing or old.
useBuild((module) => import(new URL(`../../src/${module}.ts`, import.meta.url).href));

const targets = TARGETS.filter(({ name }) => LEFT_OUT[name] === undefined);
const opened = new Map<string, Promise<Opened>>();

function open(target: Target, data: Dataset): Promise<Opened> {
  const key = `${data.name} in ${target.name}`;
  const open = opened.get(key) ?? target.open(data, ROWS);
  opened.set(key, open);
  return open;
}
afterAll(async () => {
  for (const each of opened.values()) await (await each).close();
});

const able = WORKLOADS.filter((workload) => targets.some((target) => runs(workload, target)));
// In turns with other long tests.
test.skipIf(!isInTurn(1)).each(able.map((workload) => [workload.name, workload] as const))(
  '%s',
  async (_name, workload) => {
    const able = targets.filter((target) => runs(workload, target));
    const contenders = await Promise.all(
      able.map(async (target) => {
        const { data = NOTHING } = workload;
        return contenderOf(workload, target, await open(target, data), Math.min(ROWS, data.most ?? ROWS));
      }),
    );
    await compareAnswers(workload, contenders);
    const [figures = []] = await measure(workload, contenders, ONE_ROUND);
    expect(figures).toHaveLength(able.length);
    for (const each of figures) {
      for (const [name, figure] of Object.entries(each))
        expect([name, FIGURES[name], figure]).toEqual([name, expect.anything(), expect.any(Number)]);
    }
  },
  LONGEST,
);

test('aims are about workloads and targets that there are', () => {
  const named = AIMS.flatMap(({ workloads, target, beside }) =>
    workloads.flatMap((name) =>
      [target, ...(beside === undefined ? [] : [beside])].map((each) => [name, each] as const),
    ),
  );
  const unknown = named.filter(([name, each]) => {
    const workload = WORKLOADS.find((one) => one.name === name);
    const target = TARGETS.find((one) => one.name === each);
    return workload === undefined || target === undefined || !runs(workload, target);
  });
  expect(unknown).toEqual([]);
});

test('what is left out is there', () => {
  expect(Object.keys(LEFT_OUT).filter((name) => TARGETS.every((target) => target.name !== name))).toEqual([]);
});

test('names of workloads and targets are unique', () => {
  for (const all of [WORKLOADS, TARGETS]) {
    const names = all.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  }
});
