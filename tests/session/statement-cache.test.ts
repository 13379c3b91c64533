import { describe, expect, it } from 'vitest';
import { type ParsedRequest, StatementCache } from '../../src/session/cache/statement-cache.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom } from '../../src/value/value.js';

const LONG = `RETURN '${'x'.repeat(10_000)}'`;

/** The one statement of a request, and the values of its slots. */
function only({ statements, literals = [] }: ParsedRequest) {
  expect(statements).toHaveLength(1);
  return { statement: statements[0], values: literals[0] ?? [] };
}

describe('the cache of plans', () => {
  it('keeps nothing of what comes for the first time', () => {
    const plans = new StatementCache();
    const first = only(plans.parse('SELECT * FROM a:1'));
    expect(first.values).toEqual([]);
    expect(only(plans.parse('SELECT * FROM a:2')).statement).not.toBe(first.statement);
    expect(plans.parse('SELECT * FROM b').statements[0]).not.toBe(plans.parse('SELECT * FROM b').statements[0]);
  });

  it('serves texts that differ by literals with one statement', () => {
    const plans = new StatementCache();
    plans.parse('SELECT * FROM a WHERE b = 1');
    const second = only(plans.parse('SELECT * FROM a WHERE b = 2'));
    const third = only(plans.parse('SELECT * FROM a WHERE b = 3'));
    expect(third.statement).toBe(second.statement);
    expect([second.values, third.values]).toEqual([[2], [3]]);
  });

  it('serves the statements of one text with one statement', () => {
    const { statements, literals } = new StatementCache().parse('CREATE a:1; CREATE a:2; CREATE a:3; CREATE a:4');
    expect(new Set(statements.slice(1)).size).toBe(1);
    expect(literals?.slice(1).map((values) => values.map(toText))).toEqual([['a:2'], ['a:3'], ['a:4']]);
  });

  it('serves the statements beside definitions, which are read each time', () => {
    const plans = new StatementCache();
    const parse = (n: number) => plans.parse(`DEFINE FIELD b ON a DEFAULT ${n}; CREATE a:${n}`).statements;
    parse(1);
    const [defined, created] = parse(2);
    const [definedAgain, createdAgain] = parse(3);
    expect(createdAgain).toBe(created);
    expect(definedAgain).not.toBe(defined);
  });

  it('has a statement for each literal that stays', () => {
    const plans = new StatementCache();
    const parse = (where: number, limit: number) =>
      only(plans.parse(`SELECT * FROM a WHERE b = ${where} LIMIT ${limit}`));
    parse(1, 10);
    const ten = parse(2, 10).statement;
    parse(3, 20);
    const twenty = parse(4, 20);
    expect(twenty.statement).not.toBe(ten);
    expect(twenty.values).toEqual([4]);
    expect(parse(5, 20).statement).toBe(twenty.statement);
    expect(parse(6, 10).statement).toBe(ten);
  });

  it('keeps a text that comes again as it is', () => {
    const plans = new StatementCache();
    plans.parse('RETURN 1');
    const again = plans.parse('RETURN 1');
    expect(again.literals).toBeUndefined();
    expect(plans.parse('RETURN 1').statements).toBe(again.statements);
  });

  it('keeps one that comes twice in a row, though its shape has a plan', () => {
    const plans = new StatementCache();
    for (const number of [1, 2, 3]) plans.parse(`RETURN ${number}`);
    expect(plans.parse('RETURN 3').literals).toBeUndefined();
    expect(plans.parse('RETURN 4').literals).toEqual([[4]]);
  });

  it('takes the values of made-up params from the variables', () => {
    const plans = new StatementCache();
    const parse = (number: number) =>
      plans.parse(`UPDATE $bind__${number} SET a = $b`, objectFrom({ [`bind__${number}`]: number, b: 1 }));
    parse(1);
    expect([parse(2).literals, parse(3).literals]).toEqual([[[2]], [[3]]]);
  });

  it("leaves params to the session that aren't given", () => {
    const plans = new StatementCache();
    for (const number of [1, 2, 3]) {
      plans.parse(`UPDATE $bind__${number} SET a = 1`, objectFrom({}));
    }
    expect(plans.parse('UPDATE $bind__4 SET a = 1').statements).toEqual([
      expect.objectContaining({ targets: [{ kind: 'param', name: 'bind__4' }] }),
    ]);
  });

  it('reports errors by the text that was given', () => {
    const plans = new StatementCache();
    for (const number of [1, 2]) {
      const text = `CREATE a:${number}; SELECT * FROM $bind__7${number} WHERE a b`;
      expect(() => plans.parse(text, objectFrom({ [`bind__7${number}`]: 1 }))).toThrow(`1 | ${text}`);
    }
    plans.parse("RETURN d'2020-01-01T00:00:00Z'");
    plans.parse("RETURN d'2021-01-01T00:00:00Z'");
    expect(() => plans.parse("RETURN d'2022-13-01T00:00:00Z'")).toThrow("1 | RETURN d'2022-13-01T00:00:00Z'");
  });

  it('keeps no long texts', () => {
    const plans = new StatementCache();
    for (const _ of [1, 2, 3]) expect(plans.parse(LONG).literals).toBeUndefined();
    expect(plans.parse(LONG).statements).not.toBe(plans.parse(LONG).statements);
  });

  it('keeps statements while nothing is asked', () => {
    const plans = new StatementCache();
    plans.parse('RETURN 1');
    const { statement } = only(plans.parse('RETURN 2'));
    const whole = [1, 2].map(() => plans.parse('SELECT * FROM a').statements)[1];
    for (let time = 0; time < 10; time++) plans.age();
    expect(only(plans.parse('RETURN 3')).statement).toBe(statement);
    expect(plans.parse('SELECT * FROM a').statements).toBe(whole);
  });

  it("forgets what isn't used where much else came", () => {
    const plans = new StatementCache();
    const parse = () => plans.parse('SELECT * FROM a').statements;
    parse();
    const statements = parse();
    for (let n = 0; n < 30; n++) {
      const text = `RETURN a${n}.${'b'.repeat(5_000)}`;
      for (const _ of [1, 2]) plans.parse(text);
    }
    for (let time = 0; time < 2; time++) plans.age();
    expect(parse()).not.toBe(statements);
  });
});
