/** Scripts that take options say so with `--help`, and end with one line for options that there aren't. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const SCRIPTS = [
  'examples/music-shop/load.mjs',
  'examples/retrieval/load.mjs',
  'examples/retrieval/ask.mjs',
  'examples/retrieval/recall.mjs',
  'scripts/docs.mjs',
  'scripts/entered-functions.mjs',
  'scripts/script.mjs',
  'scripts/studio-screenshots.mjs',
  'bench/run.mjs',
  'bench/compare.mjs',
  'bench/first-turns.mjs',
  'bench/known-addresses.mjs',
  'bench/neighbours.mjs',
  'bench/pauses.mjs',
  'bench/servers.mjs',
  'bench/steps.mjs',
  'bench/soak/run.mjs',
  'compare/compare.mjs',
  'compare/fuzz.mjs',
  'compare/suite.mjs',
];

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', input: '' });

describe.each(SCRIPTS)('%s', (script) => {
  it('has --help, which names every option', () => {
    const { status, stdout, stderr } = run(script, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('-h, --help');
    const declared = readFileSync(script, 'utf8').matchAll(/^\s+'?([\w-]+)'?: \{ type: '(?:string|boolean)'/gm);
    for (const [, name] of declared) expect(stdout).toContain(`--${name}`);
  });

  it('ends with a line for an option that there is not', () => {
    const { status, stderr } = run(script, '--no-such-option');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^Unknown option '--no-such-option'.*\n\(--help lists the options\)\n$/);
  });
});

it('the loader says what it lacks, and that no server answers', () => {
  expect(run('examples/music-shop/load.mjs').stderr).toMatch(/^--user and --pass are needed/);
  const args = ['--user', 'a', '--pass', 'b', '--endpoint', 'http://127.0.0.1:9'];
  const { status, stderr } = run('examples/music-shop/load.mjs', ...args);
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^No server answers at http:\/\/127\.0\.0\.1:9: .+\n$/)]);
});
