/** Programs beside `src/` that aren't type-checked import only what the modules of the build export. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { expect, it } from 'vitest';

const FOLDERS = ['bench', 'compare', 'examples', 'scripts'];
/** `import { a, b as c } from '../dist/x/y.js'`. */
const DECLARED = /import \{([^}]+)\} from '[./]*\/dist\/([\w/-]+)\.js'/g;
/** `const { a, b: c } = await load('x/y')`, and whatever else names a module of the build. */
const LOADED = /const \{([^}]+)\} = await \w+\([^'{]*'([\w-]+(?:\/[\w-]+)+)(?:\.js)?'/g;
const EXPORTED = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class) (\w+)/gm;
const EXPORT_LIST = /^export \{([^}]+)\}/gm;
const EXPORTED_WHOLE = /^export \* from '([./\w-]+)\.js'/gm;

const namesIn = (list: string, at: 'first' | 'last') =>
  list
    .split(',')
    .map(
      (each) =>
        each
          .trim()
          .replace(/^type /, '')
          .split(/ as |: /)
          .at(at === 'first' ? 0 : -1) ?? '',
    )
    .filter((name) => name !== '');

function exportsOf(module: string): Set<string> {
  const source = readFileSync(`src/${module}.ts`, 'utf8');
  return new Set([
    ...[...source.matchAll(EXPORTED)].map(([, name = '']) => name),
    ...[...source.matchAll(EXPORT_LIST)].flatMap(([, list = '']) => namesIn(list, 'last')),
    ...[...source.matchAll(EXPORTED_WHOLE)].flatMap(([, from = '']) => [...exportsOf(join(module, '..', from))]),
  ]);
}

const programs = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.mjs') && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`),
);

it('every name that a program takes from the build is there', () => {
  const missing: string[] = [];
  let count = 0;
  for (const file of programs) {
    const text = readFileSync(file, 'utf8');
    for (const [, list = '', module = ''] of [...text.matchAll(DECLARED), ...text.matchAll(LOADED)]) {
      const known = existsSync(`src/${module}.ts`) ? exportsOf(module) : new Set<string>();
      count++;
      for (const name of namesIn(list, 'first')) if (!known.has(name)) missing.push(`${file}: ${name} of ${module}`);
    }
  }
  expect(missing).toEqual([]);
  expect(count).toBeGreaterThan(25);
});
