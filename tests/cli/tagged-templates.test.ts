/** Which templates of a program count as statements, and how their places are kept. */
import { expect, it } from 'vitest';
import { taggedTemplates } from '../../src/cli/types/queries/tagged-templates.js';

const textsOf = (program: string, file = 'a.ts') =>
  taggedTemplates(file, program).map(({ text, name, values }) => [text.trim(), name, values]);

it('finds the tag surql alone', () => {
  const program =
    'surql`a`; sql`b`; db.surql`c`; `d`; x = surql<Result>`e`; surql(`f`); // surql`g`\n"surql`h`"; /surql`i`/';
  expect(textsOf(program)).toEqual([
    ['a', undefined, []],
    ['e', undefined, []],
  ]);
});

it('knows the name in the type argument', () => {
  expect(textsOf('surql<Queries["a b"]>`x`; surql < Queries [ "c" ] > `y`; surql<Other["d"]>`z`')).toEqual([
    ['x', 'a b', []],
    ['y', 'c', []],
    ['z', undefined, []],
  ]);
});

it('puts parameters in place of values, whatever is in them', () => {
  const program = 'surql`a ${x} b ${`}${"`"}`} c ${{ a: { b: surql`inner ${1}` } }}`';
  const [outer, inner] = taggedTemplates('a.ts', program);
  expect(outer?.text.replace(/ +/g, ' ').trim()).toBe('a $_0 b $_1 c $_2');
  expect(outer?.values).toEqual(['_0', '_1', '_2']);
  expect(inner?.text.trim()).toBe('inner $_0');
});

it('keeps the place of each character in the file', () => {
  const program = 'const a = 1;\n  const b = surql`SELECT ${\n  a +\n  1 } FROM ${b}\n  WHERE c`;';
  const [{ text } = { text: '' }] = taggedTemplates('a.ts', program);
  for (const word of ['SELECT', 'FROM', 'WHERE', 'c'])
    expect([word, text.lastIndexOf(word)]).toEqual([word, program.lastIndexOf(word)]);
  expect(text.split('\n')).toHaveLength(5);
});

it('reads escapes, JSX and comments that say to ignore a template', () => {
  expect(textsOf('surql`a \\`b\\` \\\\ \\${c}`')).toEqual([['a `b` \\ ${c}', undefined, []]]);
  expect(textsOf("<p title='`'>it's ` {surql`a`}</p>", 'a.tsx')).toEqual([['a', undefined, []]]);
  expect(textsOf('/* tessera-ignore */ surql`a`; /* other */ surql`b`')).toEqual([['b', undefined, []]]);
});
