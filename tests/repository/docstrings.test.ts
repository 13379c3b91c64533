/** The faces of the rooms: what other rooms call says what it takes and answers (`CONTRIBUTING.md`). */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const texts = new Map(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [join('src', name), readFileSync(join('src', name), 'utf8')] as const),
);
const roomOf = (file: string) => file.split('/')[1];

/** The names that files of other rooms import from a file. */
const imported = new Map<string, Set<string>>();
for (const [file, text] of texts) {
  for (const [, names = '', path = ''] of text.matchAll(/(?:import|export)\s*\{([^}]*)\}\s*from\s*'(\.[^']*)'/g)) {
    const target = join(dirname(file), path).replace(/\.js$/, '.ts');
    if (roomOf(target) === roomOf(file)) continue;
    const known = imported.get(target) ?? new Set();
    for (const name of names.split(',')) known.add(name.trim().split(/\s+as\s+/)[0] as string);
    imported.set(target, known);
  }
}

/** The exported functions of a text; of overloads the first one, which has the docstring. */
function functionsOf(text: string): { readonly name: string; readonly isDocumented: boolean }[] {
  const found = new Map<string, boolean>();
  for (const { 1: name = '', index } of text.matchAll(/^export (?:async )?function\*? (\w+)/gm)) {
    if (!found.has(name)) found.set(name, text.slice(0, index).endsWith('*/\n'));
  }
  return Array.from(found, ([name, isDocumented]) => ({ name, isDocumented }));
}

test('functions that other rooms import have docstrings', () => {
  const faces = [...texts].flatMap(([file, text]) =>
    functionsOf(text).flatMap((each) => (imported.get(file)?.has(each.name) ? [{ file, ...each }] : [])),
  );
  expect(faces.length).toBeGreaterThan(400);
  expect(faces.filter(({ isDocumented }) => !isDocumented)).toEqual([]);
});
