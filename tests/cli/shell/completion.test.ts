import { describe, expect, it } from 'vitest';
import { complete, type NameSource } from '../../../src/cli/shell/completion.js';
import { META_NAMES } from '../../../src/cli/shell/meta.js';
import { SchemaNames } from '../../../src/cli/shell/schema-names.js';
import { realEnvironment } from '../../../src/env/real.js';
import { objectFrom, type Value } from '../../../src/value/value.js';

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  person: ['name', 'address', 'address.city'],
  pet: ['owner', 'nickname'],
};
const SOURCE: NameSource = {
  names: async () => ({
    tables: ['person', 'pet', 'odd name'],
    functions: ['fn::greet'],
    params: ['limit'],
    others: ['english'],
  }),
  fields: async (table) => FIELDS[table] ?? [],
};

const offered = async (line: string, before = '') => (await complete(line, before, SOURCE, ['mine'], META_NAMES))[0];

describe('completion', () => {
  it('offers tables where one must come', async () => {
    expect(await offered('SELECT * FROM pe')).toEqual(['person', 'pet']);
    expect(await offered('UPDATE ')).toEqual(['`odd name`', 'person', 'pet']);
    expect(await offered('RELATE a:1->p')).toEqual(['person', 'pet']);
    expect(await offered('per', 'SELECT *\nFROM')).toEqual(['person']);
  });

  it('offers the fields of the tables that are named', async () => {
    expect(await offered('SELECT * FROM person WHERE addr')).toEqual(['address', 'address.city']);
    expect(await offered('SELECT * FROM person WHERE address.')).toEqual(['address.city']);
    expect(await offered('SELECT * FROM person WHERE nick')).toEqual([]);
    expect(await offered('WHERE own', 'SELECT * FROM pet')).toEqual(['owner']);
  });

  it('offers the fields of all tables before one is named', async () => {
    expect(await offered('SELECT nick')).toEqual(['nickname']);
  });

  it('offers keywords in the case that was begun', async () => {
    expect(await offered('SEL')).toEqual(['SELECT']);
    expect(await offered('sel')).toEqual(['select']);
    expect(await offered('REMOVE TABLE x; upd')).toEqual(['update']);
  });

  it('offers functions and constants', async () => {
    expect(await offered('RETURN string::le')).toEqual(['string::len(']);
    expect(await offered('RETURN math::p')).toContain('math::pi');
    expect(await offered('RETURN fn::')).toEqual(['fn::greet(']);
    expect(await offered('RETURN strin')).toEqual(['string::']);
  });

  it('offers variables and params', async () => {
    expect(await offered('RETURN $m')).toEqual(['$mine']);
    expect(await offered('RETURN $li')).toEqual(['$limit']);
    expect(await offered('RETURN $au')).toEqual(['$auth']);
  });

  it('offers commands, and tables to them', async () => {
    expect(await offered('\\ti')).toEqual(['\\timing']);
    expect(await offered('\\d pers')).toEqual(['person']);
  });

  it('gives the part of the line that a candidate replaces', async () => {
    expect((await complete('RETURN $mi', '', SOURCE, ['mine'], []))[1]).toBe('$mi');
    expect((await complete('SELECT * FROM person WHERE address.ci', '', SOURCE, [], []))[1]).toBe('address.ci');
  });
});

describe('the names of a database', () => {
  const info = objectFrom({ tables: objectFrom({ person: '' }) });

  it('are asked for once, and again after a statement that may change them', async () => {
    const asked: string[] = [];
    const catalog = new SchemaNames(async (statement) => {
      asked.push(statement);
      return info;
    }, realEnvironment.timers);
    expect((await catalog.names()).tables).toEqual(['person']);
    await catalog.names();
    catalog.outdate('SELECT * FROM person');
    await catalog.names();
    expect(asked).toEqual(['INFO FOR DB']);
    catalog.outdate(' define TABLE pet');
    await catalog.names();
    expect(asked).toHaveLength(2);
  });

  it('quote what they are put into a statement with', async () => {
    const asked: string[] = [];
    const catalog = new SchemaNames(async (statement) => void asked.push(statement), realEnvironment.timers);
    await catalog.fields('a; REMOVE TABLE b');
    expect(asked).toEqual(['INFO FOR TABLE `a; REMOVE TABLE b`']);
  });

  it('don’t wait for a server that does not answer', async () => {
    let answer: (value: Value) => void = () => {};
    const timers = { ...realEnvironment.timers, wait: async () => {} };
    const slow = new Promise<Value>((resolve) => {
      answer = resolve;
    });
    const catalog = new SchemaNames(() => slow, timers);
    expect((await catalog.names()).tables).toEqual([]);
    answer(info);
    await slow;
    expect((await catalog.names()).tables).toEqual(['person']);
  });
});
