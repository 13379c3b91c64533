/** Comments name files and functions that exist: a reader who looks for one finds it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').filter(Boolean);
const sources = tracked
  .filter((name) => /^(src|studio|tests|scripts|bench|compare|pages|examples)\/.*\.(ts|tsx|mjs|js)$/.test(name))
  .map((name) => [name, readFileSync(name, 'utf8')] as const);
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/.*/g;
const checked = sources.filter(([name]) => /^(src|studio)\//.test(name));
const named = checked.flatMap(([name, text]) =>
  [...text.matchAll(COMMENT)].map(([comment]) => [name, comment] as const),
);

/** Files of users and of the system, and those that are made. */
const OTHERS = /^(?:data\.mdb|lock\.mdb|package\.json|tsconfig\.json|.*<|\/)|^dist\//;

test('files', () => {
  const missing = named.flatMap(([name, comment]) =>
    [...comment.matchAll(/`([\w./-]*[\w-]\.(?:ts|tsx|mjs|md))`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !OTHERS.test(path))
      .filter(
        (path) => !tracked.some((file) => file === path || file.endsWith(`/${path.replace(/^(?:\.{1,2}\/)+/, '')}`)),
      )
      .map((path) => `${name}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('functions, classes and members', () => {
  const code = new Set(sources.flatMap(([, text]) => text.replace(COMMENT, '').match(/[A-Za-z_$][\w$]*/g) ?? []));
  const missing = named.flatMap(([name, comment]) =>
    // A name of ours has an inner capital: `andThen`, `Transaction.local`, `MemoryScope`.
    [...comment.matchAll(/`#?((?:[\w$]+\.)*[a-z$_][\w$]*[A-Z][\w$]*)(?:\(\))?`/g)]
      .flatMap(([, path = '']) => path.split('.'))
      .filter((part) => !code.has(part))
      .map((part) => `${name}: ${part}`),
  );
  expect(missing).toEqual([]);
});
