import { describe, expect, it } from 'vitest';
import { firstWord, InputBuffer, inOneLine, readStatements } from '../../../src/cli/shell/statements.js';

describe('statements that are being typed', () => {
  it.each([
    ['', [], '', undefined],
    ['  -- nothing\n', [], '', undefined],
    ['RETURN 1;', ['RETURN 1'], '', undefined],
    ['RETURN 1; ;; RETURN 2;', ['RETURN 1', 'RETURN 2'], '', undefined],
    ['RETURN 1; RETURN', ['RETURN 1'], 'RETURN', 'statement'],
    ['RETURN 1; -- that was it; really', ['RETURN 1'], '', undefined],
    ['SELECT *\nFROM person', [], 'SELECT *\nFROM person', 'statement'],
    ["RETURN ';'", [], "RETURN ';'", 'statement'],
    ["RETURN 'a\\';", [], "RETURN 'a\\';", 'string'],
    ['RETURN "it\'s;', [], 'RETURN "it\'s;', 'string'],
    ['SELECT * FROM `a;', [], 'SELECT * FROM `a;', 'name'],
    ['SELECT * FROM ⟨a;b⟩;', ['SELECT * FROM ⟨a;b⟩'], '', undefined],
    ['FOR $a IN [1] { RETURN 1;', [], 'FOR $a IN [1] { RETURN 1;', 'bracket'],
    ['FOR $a IN [1] { RETURN 1; };', ['FOR $a IN [1] { RETURN 1; }'], '', undefined],
    ['RETURN 1 /* ; ', [], 'RETURN 1 /* ; ', 'comment'],
    ['RETURN 1 /* ; */;', ['RETURN 1 /* ; */'], '', undefined],
    ['RETURN 1 # ;\n;', ['RETURN 1 # ;'], '', undefined],
    ["RETURN string::matches(a, /'/);", ["RETURN string::matches(a, /'/)"], '', undefined],
    ["RETURN 4 / 2; RETURN 'a'", ['RETURN 4 / 2'], "RETURN 'a'", 'statement'],
    ['RETURN (4) / (2);', ['RETURN (4) / (2)'], '', undefined],
    [') RETURN 1;', [') RETURN 1'], '', undefined],
    ['RETURN https://example.com;', [], 'RETURN https://example.com;', 'statement'],
  ])('%j', (text, statements, rest, open) => {
    const typed = readStatements(text);
    expect(typed.statements).toEqual(statements);
    expect(typed.open).toBe(open);
    if (open !== 'string' && open !== 'name' && open !== 'comment') expect(typed.rest).toBe(rest);
  });

  it('are read in one pass, however long they are', () => {
    const { statements } = readStatements('RETURN [1, "a", /x/]; '.repeat(20_000));
    expect(statements).toHaveLength(20_000);
  });

  it('are the same line by line as at once', () => {
    const text = "RETURN 1;\nFOR $a IN [\n 1] { RETURN 'a\n;b';\n /* ;\n */ -- }\n};\nRETURN 4 /\n2;\nSELECT `a\nb`";
    const typed = new InputBuffer();
    text.split('\n').forEach((line, at, lines) => {
      expect(typed.add(line)).toBe(readStatements(lines.slice(0, at + 1).join('\n')).open);
    });
    expect(typed.text).toBe(text);
  });

  it('may be pasted by the thousand lines', () => {
    const typed = new InputBuffer();
    typed.add('INSERT INTO person [');
    for (let at = 0; at < 50_000; at++) typed.add(`  { id: ${at}, name: 'somebody' },`);
    expect(typed.add(']')).toBe('statement');
  });

  it('begin with a word', () => {
    expect(firstWord('  -- first\n /* second */ select 1')).toBe('SELECT');
    expect(firstWord('/* no end')).toBe('');
    expect(firstWord('{ a: 1 }')).toBe('');
  });

  it('are put in one line where that says the same', () => {
    expect(inOneLine('SELECT *\n  FROM person\n;')).toBe('SELECT * FROM person ;');
    expect(inOneLine("RETURN 'a\nb';")).toBeUndefined();
    expect(inOneLine('RETURN 1 -- one\n;')).toBeUndefined();
    expect(inOneLine('RETURN /* one\n*/ 1;')).toBeUndefined();
  });
});
