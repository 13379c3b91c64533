/** Every command that the documentation shows is run, and the outputs it shows are what comes out. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { pagesIn } from '../support/documentation.js';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, startServerWith, temporaryFolder } from '../support/server-process.js';
import { runSteps, stable, startArguments, stepsOf } from './pages.js';

afterAll(cleanUp);

/** Those that newcomers read first. */
const FIRST_PAGES = ['README.md', 'docs/guides/start.md'];
/** Pages whose statements are excerpts, or name tables that others have: other tests run what they can of them. */
const EXCERPTS = new Set([
  'docs/guides/search.md',
  'docs/guides/vectors.md',
  'docs/reference/explain.md',
  'docs/operating/operations.md',
  'docs/operating/scaling.md',
]);
/** Recipes for browsers, of which each has a test. */
const RECIPES = pagesIn('docs/guides/sign-in');
const OTHER_PAGES = [...pagesIn('docs'), ...pagesIn('examples')].filter(
  (page) => ![...FIRST_PAGES, ...RECIPES].includes(page) && !EXCERPTS.has(page) && stepsOf(page).length > 0,
);

/** Milliseconds: each command is a process of its own. */
const DEADLINE = 180_000;

/** For pages that start no server themselves. */
const DEFAULT_START = ['memory', '--user', 'root', '--pass', 'secret', '--allow-experimental', 'graphql'];

it.each(FIRST_PAGES)('%s does what it says', doesWhatItSays, DEADLINE);
// In turns with other long tests.
it.skipIf(!isInTurn(8)).each(OTHER_PAGES)('%s does what it says', doesWhatItSays, DEADLINE);

async function doesWhatItSays(page: string): Promise<void> {
  const steps = stepsOf(page);
  expect(steps.length).toBeGreaterThan(0);
  const [path, ...settings] = startArguments(page) ?? DEFAULT_START;
  // A reader's folder is new; so is ours.
  const server = await startServerWith([path === 'memory' ? path : temporaryFolder(), ...settings]);
  const outputs = await runSteps(steps, server);
  for (const [at, { command, output }] of steps.entries()) {
    if (output === undefined) continue;
    const { language, text } = output;
    const seen = `${page}:${command.line} gives\n${outputs[at]}`;
    expect(stable(outputs[at] ?? '', language), seen).toEqual(stable(text, language));
  }
  await server.stop();
}

it('every recipe of signing in has a test, which follows it', () => {
  const tests = RECIPES.map((page) => `tests/end-to-end/recipes/${basename(page, '.md')}.test.ts`);
  expect(tests.length).toBeGreaterThanOrEqual(9);
  for (const [at, test] of tests.entries()) expect(readFileSync(test, 'utf8')).toContain(`'${RECIPES[at]}'`);
});

it('the pages that are made from the sources are up to date', async () => {
  await promisify(execFile)(process.execPath, ['scripts/docs.mjs', '--check']);
});

it('every dependency is explained', () => {
  const listed = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>;
  const { dependencies, optionalDependencies, devDependencies } = listed('package.json');
  const tooling = listed('tooling/package.json')['devDependencies'];
  const explained = readFileSync('docs/internals/dependencies.md', 'utf8');
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
  const all = [...names, ...Object.keys(tooling ?? {})];
  expect(all.filter((name) => !explained.includes(`\`${name}\``))).toEqual([]);
  // A name at the start of an entry, or among several there, is one that is installed.
  const entries = [...explained.matchAll(/^- ((?:`[^`]+`,?\s+)+)[(:]/gm)].flatMap(([, start = '']) =>
    start.split(/,?\s+/),
  );
  const explainedNames = entries.filter((name) => name !== '').map((name) => name.replaceAll('`', ''));
  expect(explainedNames.length).toBeGreaterThan(30);
  expect(explainedNames.filter((name) => !all.includes(name))).toEqual([]);
});
