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
/** Tables of what compiles each kind of node: the header of a node's file describes it. */
const COMPILERS = new Set(['src/statements/compiler.ts', 'src/statements/statement-compilers.ts']);

/** The names that files of other rooms import from a file. */
const imported = new Map<string, Set<string>>();
for (const [file, text] of texts) {
  for (const [, names = '', path = ''] of text.matchAll(/(?:import|export)\s*\{([^}]*)\}\s*from\s*'(\.[^']*)'/g)) {
    const target = join(dirname(file), path).replace(/\.js$/, '.ts');
    if (roomOf(target) === roomOf(file) || COMPILERS.has(file)) continue;
    const known = imported.get(target) ?? new Set();
    for (const name of names.split(',')) known.add(name.trim().split(/\s+as\s+/)[0] as string);
    imported.set(target, known);
  }
}

interface Documented {
  readonly name: string;
  readonly doc: string | undefined;
  /** From the name to the end of the body. */
  readonly text: string;
}

/** The exported functions of a text; of overloads the first one, which has the docstring. */
function functionsOf(text: string): readonly Documented[] {
  const found = new Map<string, Documented>();
  for (const { 1: name = '', index } of text.matchAll(/^export (?:async )?function\*? (\w+)/gm)) {
    if (found.has(name)) continue;
    const before = text.slice(0, index);
    const doc = before.endsWith('*/\n') ? before.slice(before.lastIndexOf('/**')) : undefined;
    found.set(name, { name, doc, text: text.slice(index, text.indexOf('\n}\n', index)) });
  }
  return [...found.values()];
}

const functions = [...texts].flatMap(([file, text]) =>
  functionsOf(text).map((each) => ({ file, isFace: imported.get(file)?.has(each.name) === true, ...each })),
);
const placesOf = (found: typeof functions) => found.map(({ file, name }) => `${file}: ${name}`);

test('functions that other rooms import have docstrings', () => {
  const faces = functions.filter(({ isFace }) => isFace);
  expect(faces.length).toBeGreaterThan(400);
  expect(placesOf(faces.filter(({ doc }) => doc === undefined))).toEqual([]);
});

/** All of the grammar throws `parse_error` (`language/parser/parser.ts`). */
test('docstrings of functions that throw an error of the catalogue say so', () => {
  const throwing = functions.filter(
    ({ file, doc, text }) =>
      doc !== undefined && text.includes('throw failure(') && !file.startsWith('src/language/parser/'),
  );
  expect(throwing.length).toBeGreaterThan(100);
  expect(placesOf(throwing.filter(({ doc }) => !doc?.includes('@throws')))).toEqual([]);
});
