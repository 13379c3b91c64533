import fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  Expression,
  Live,
  Part,
  Projections,
  RecordKeyExpression,
  Select,
  Statement,
} from '../../src/language/ast.js';
import { parseExpression, parseQuery, parseStatement } from '../../src/language/parse.js';
import { printExpression, printQuery, printStatement } from '../../src/language/print.js';
import { transform, walk } from '../../src/language/visitor.js';
import type { Type } from '../../src/value/type.js';
import { Datetime, Duration, float, Uuid } from '../../src/value/value.js';
import { definitionTrees, optional } from './definition-trees.js';

const RUNS = 300;
/** What GROUP BY names is selected. */
function selecting(select: Select): Select {
  const { group, projections } = select;
  if (group?.kind !== 'by') return select;
  const named = group.paths.map((path) => ({ kind: 'expression', expression: path }) as const);
  return {
    ...select,
    projections: { kind: 'fields', items: projections.kind === 'fields' ? [...projections.items, ...named] : named },
  };
}

const DEPTH = { maxDepth: 2, depthIdentifier: 'tree' } as const;

// Names of every sort: words of the grammar, what must be quoted, what would be a number.
const name = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'name',
    'value',
    'select',
    'where',
    'none',
    'in',
    'order',
    'rand',
    'if',
    'live',
    'NaN',
    'fn',
    'and',
    'from',
  ),
  fc.constantFrom('a b', '1', '1a', '-', 'é', '`', '⟩', '\\', 'a::b', '', '9_9'),
  fc.stringMatching(/^[a-z_][a-z0-9_]{0,4}$/),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom("'", '"', '\\', '\n', 'a\'b"c', '\u2028', '\b'),
);
/** What a string can say. */
const sayable = text.filter((content) => !content.includes('\0'));
const natural = fc.integer({ min: 0, max: 300 });

const literal: fc.Arbitrary<Expression> = fc
  .oneof(
    fc.constantFrom(undefined, null, true, false, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    fc.integer(),
    fc.constantFrom(9223372036854775807n, -9223372036854775808n, 0),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => float(number)),
    sayable,
    fc.bigInt({ min: 0n, max: 10n ** 20n }).map((nanoseconds) => new Duration(nanoseconds)),
    fc.constantFrom(new Datetime(0, 5), new Uuid('8424486b-85b3-4448-ac8d-5d51083391c7')),
  )
  .map((value) => ({ kind: 'literal', value }));

const type: fc.Arbitrary<Type> = fc.constantFrom<Type>(
  { kind: 'int' },
  { kind: 'any' },
  { kind: 'array', item: { kind: 'string' }, length: 3 },
  { kind: 'union', of: [{ kind: 'none' }, { kind: 'int' }] },
  { kind: 'record', tables: ['a', 'b c'] },
  { kind: 'literal', value: -1 },
  { kind: 'object', fields: [['a b', { kind: 'int' }]] },
);

const binaryOperators = [
  '||',
  '&&',
  '??',
  '?:',
  '=',
  '!=',
  '==',
  '?=',
  '*=',
  '<',
  '<=',
  '>',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
  '**',
  'IN',
  'NOT IN',
  'CONTAINS',
  'CONTAINSNONE',
  'ALLINSIDE',
  'OUTSIDE',
  'INTERSECTS',
  { kind: 'matches' },
  { kind: 'matches', reference: 1, operator: 'OR' },
  { kind: 'nearest', k: 3, distance: 'COSINE' },
] as const;

interface Trees {
  expression: Expression;
  part: Part;
  statement: Statement;
  projections: Projections;
}

/** A field is called as a method, so that nothing is called right behind one. */
const callsNoField = ({ parts }: { readonly parts: readonly { readonly kind: string }[] }) =>
  parts.every(({ kind }, index) => kind !== 'invoke' || parts[index - 1]?.kind !== 'field');

const idiomOf = (parts: fc.Arbitrary<Part>) =>
  fc
    .tuple(name, fc.array(parts, { maxLength: 2 }))
    .map(([first, rest]) => ({ kind: 'idiom', parts: [{ kind: 'field', name: first } as Part, ...rest] }) as const)
    .filter(callsNoField);

const trees = fc.letrec<Trees>((tie) => {
  const expression = tie('expression') as fc.Arbitrary<Expression>;
  const statement = tie('statement') as fc.Arbitrary<Statement>;
  const projections = tie('projections') as fc.Arbitrary<Projections>;
  const items = fc.array(expression, { maxLength: 3 });
  const part = tie('part') as fc.Arbitrary<Part>;
  // Clauses name paths, and nothing is called on the way.
  const path = idiomOf(part.filter((each) => each.kind !== 'invoke'));
  const keyValue = fc.oneof(
    fc.constantFrom('a', '1', 'x y', '-1', 'rand', '1_0', '').map((value) => ({ kind: 'literal', value }) as const),
    fc.integer().map((value) => ({ kind: 'literal', value }) as const),
    items.map((each) => ({ kind: 'array', items: each }) as const),
  );
  const bound = fc.record({ value: keyValue, inclusive: fc.boolean() });
  const singleKey = fc.oneof(
    keyValue.map((value) => ({ kind: 'key', value }) as const),
    fc.constantFrom({ kind: 'generate', generator: 'ulid' } as const),
  ) as fc.Arbitrary<RecordKeyExpression>;
  const keyRange = fc.oneof(
    fc.tuple(bound, optional('end', bound)).map(([start, rest]) => ({ kind: 'key-range', start, ...rest }) as const),
    optional('end', bound).map((rest) => ({ kind: 'key-range', ...rest }) as const),
  ) as fc.Arbitrary<RecordKeyExpression>;
  const key = fc.oneof(singleKey, keyRange);
  const openable = fc.record({ value: expression, inclusive: fc.boolean() });
  const block = fc.array(statement, { maxLength: 3 }).map((statements) => ({ kind: 'block', statements }) as const);
  const branch = fc.record({ condition: expression, then: block });

  const where = optional('where', expression);
  const graph = fc
    .tuple(
      fc.constantFrom('out', 'in', 'both', 'reference'),
      fc.array(
        fc.oneof(
          name.map((table) => ({ table })),
          fc.record({ table: name, range: keyRange }),
          fc.record({ table: name, field: name }),
        ),
        { maxLength: 2 },
      ),
      where,
      optional('limit', expression),
      optional('alias', path),
    )
    .map(([direction, subjects, ...rest]) => Object.assign({ kind: 'graph', direction, subjects }, ...rest));

  // A target of its own: as an expression a bare word is a path, as a target a table.
  const target = fc.oneof(
    name.map((table) => ({ kind: 'table', name: table }) as const),
    name.map((param) => ({ kind: 'param', name: param }) as const),
    fc.record({ table: name, key }).map((id) => ({ kind: 'record-id', ...id }) as const),
  );
  const targets = fc.array(target, { minLength: 1, maxLength: 2 });
  const output = optional(
    'output',
    fc.oneof(
      fc.constantFrom({ kind: 'none' } as const, { kind: 'before' } as const),
      projections.map((each) => ({ kind: 'project', projections: each }) as const),
    ),
  );
  const assignments = fc.array(
    fc.record({ path, operator: fc.constantFrom('=' as const, '+=' as const, '+?=' as const), value: expression }),
    { minLength: 1, maxLength: 2 },
  );
  const data = optional(
    'data',
    fc.oneof(
      assignments.map((each) => ({ kind: 'set', assignments: each }) as const),
      expression.map((value) => ({ kind: 'content', value }) as const),
      fc.array(path, { minLength: 1, maxLength: 2 }).map((paths) => ({ kind: 'unset', paths }) as const),
    ),
  );

  return {
    expression: fc.oneof(
      DEPTH,
      literal,
      name.map((param) => ({ kind: 'param', name: param })),
      path,
      fc.record({ table: name, key }).map((id) => ({ kind: 'record-id', ...id })),
      items.map((each) => ({ kind: 'array', items: each })),
      items.map((each) => ({ kind: 'set', items: each })),
      fc.array(fc.tuple(name, expression), { maxLength: 2 }).map((entries) => ({ kind: 'object', entries })),
      fc
        .record({ operator: fc.constantFrom(...binaryOperators), left: expression, right: expression })
        .map((node) => ({ kind: 'binary', ...node })),
      fc
        .record({
          operator: fc.constantFrom('!' as const, '!!' as const, '+' as const, '-' as const),
          operand: expression,
        })
        .map((node) => ({ kind: 'unary', ...node })),
      fc.record({ type, operand: expression }).map((node) => ({ kind: 'cast', ...node })),
      fc
        .tuple(
          optional('start', openable),
          optional(
            'end',
            openable.map((each) => each),
          ),
        )
        .map(([start, end]) => ({
          kind: 'range',
          // An open start excludes nothing, so that there is no mark for it.
          ...start,
          ...end,
        })),
      fc
        .record({
          path: fc.constantFrom('count', 'string::len', 'fn::A::b', 'rand', 'sleep', 'rand::int', 'type::is::int'),
          args: items,
        })
        .map((node) => ({ kind: 'call', ...node })),
      fc.constantFrom('math::pi', 'duration::max').map((constant) => ({ kind: 'constant', name: constant })),
      fc
        .record({ parameters: fc.array(fc.record({ name, type }), { maxLength: 2 }), body: expression })
        .map((node) => ({ kind: 'closure', ...node })),
      block,
      fc
        .tuple(fc.array(branch, { minLength: 1, maxLength: 2 }), optional('otherwise', block))
        .map(([branches, rest]) => ({ kind: 'if', branches, ...rest })),
      // With THEN: at least one branch is no block.
      fc.tuple(expression, expression).map(([condition, then]) => ({ kind: 'if', branches: [{ condition, then }] })),
      statement.filter((each) => each.kind !== 'expression').map((each) => ({ kind: 'subquery', statement: each })),
      fc
        .tuple(expression, fc.array(part, { minLength: 1, maxLength: 2 }))
        .map(([start, parts]) => ({ kind: 'idiom', start, parts }))
        .filter(callsNoField),
      fc
        .tuple(graph, fc.array(part, { maxLength: 2 }))
        .map(([first, rest]) => ({ kind: 'idiom', parts: [first, ...rest] }))
        .filter(callsNoField),
    ) as fc.Arbitrary<Expression>,
    part: fc.oneof(
      DEPTH,
      name.map((field) => ({ kind: 'field', name: field })),
      fc.constantFrom({ kind: 'all' }, { kind: 'last' }, { kind: 'optional' }, { kind: 'repeat' }),
      expression.map((index) => ({ kind: 'index', index })),
      expression.map((condition) => ({ kind: 'where', condition })),
      fc.record({ name, args: items }).map((node) => ({ kind: 'method', ...node })),
      items.map((args) => ({ kind: 'invoke', args })),
      fc
        .array(
          fc.oneof(
            name.map((each) => ({ kind: 'include', name: each })),
            name.map((each) => ({ kind: 'all', name: each })),
            fc.record({ name, value: expression }).map((node) => ({ kind: 'alias', ...node })),
          ),
          { maxLength: 2 },
        )
        .map((fields) => ({ kind: 'destructure', fields })),
      graph,
      fc
        .tuple(optional('min', natural), fc.array(part, { minLength: 1, maxLength: 2 }))
        // Nothing is called in what is repeated, and it isn't a recursion itself.
        .filter(([, path]) => path.every((step) => step.kind !== 'recursion' && step.kind !== 'invoke'))
        .map(([rest, steps]) => ({ kind: 'recursion', ...rest, path: steps, enclosed: true })),
    ) as fc.Arbitrary<Part>,
    projections: fc.oneof(
      DEPTH,
      expression.map((each) => ({ kind: 'value', expression: each }) as const),
      fc
        .array(
          fc.oneof(
            fc.constant({ kind: 'all' } as const),
            fc
              .tuple(expression, optional('alias', path))
              .map(([each, rest]) => ({ kind: 'expression', expression: each, ...rest }) as const),
          ),
          { minLength: 1, maxLength: 2 },
        )
        .map((each) => ({ kind: 'fields', items: each }) as const),
    ) as fc.Arbitrary<Projections>,
    statement: fc.oneof(
      DEPTH,
      fc.constantFrom({ kind: 'break' }, { kind: 'continue' }),
      expression.filter((each) => each.kind !== 'subquery').map((each) => ({ kind: 'expression', expression: each })),
      fc.record({ name, value: expression }).map((node) => ({ kind: 'let', ...node })),
      expression.map((value) => ({ kind: 'return', value })),
      expression.map((value) => ({ kind: 'throw', value })),
      fc.record({ variable: name, over: expression, body: block }).map((node) => ({ kind: 'for', ...node })),
      fc
        .tuple(
          projections,
          fc.boolean(),
          targets,
          where,
          optional(
            'group',
            fc.array(path, { minLength: 1, maxLength: 2 }).map((paths) => ({ kind: 'by', paths })),
          ),
          optional(
            'order',
            fc
              .array(fc.record({ path, collate: fc.boolean(), numeric: fc.boolean(), descending: fc.boolean() }), {
                minLength: 1,
                maxLength: 2,
              })
              .map((keys) => ({ kind: 'by', keys })),
          ),
          optional('limit', expression),
          optional('start', expression),
          optional('fetch', fc.array(path, { minLength: 1, maxLength: 2 })),
          optional('timeout', expression),
          optional('explain', fc.constantFrom('plan', 'full')),
        )
        .map(([selected, only, from, ...rest]) =>
          selecting(Object.assign({ kind: 'select', projections: selected, only, from }, ...rest)),
        ),
      fc
        .tuple(fc.boolean(), targets, data, output)
        .map(([only, each, ...rest]) => Object.assign({ kind: 'create', only, targets: each }, ...rest)),
      fc
        .tuple(fc.constantFrom('update', 'upsert'), fc.boolean(), targets, data, where, output)
        .map(([kind, only, each, ...rest]) => Object.assign({ kind, only, targets: each }, ...rest)),
      fc
        .tuple(fc.boolean(), targets, where, output)
        .map(([only, each, ...rest]) => Object.assign({ kind: 'delete', only, targets: each }, ...rest)),
      fc.tuple(fc.boolean(), fc.boolean(), name, expression).map(([relation, ignore, table, value]) => ({
        kind: 'insert',
        relation,
        ignore,
        into: { kind: 'table', name: table },
        data: { kind: 'value', value },
      })),
      fc
        .tuple(
          fc.boolean(),
          fc.record({ table: name, key: singleKey }),
          name,
          fc.record({ table: name, key: singleKey }),
          data,
        )
        .map(([only, from, edge, to, rest]) => ({
          kind: 'relate',
          only,
          orUpdate: false,
          from: { kind: 'record-id', ...from },
          edge: { kind: 'table', name: edge },
          to: { kind: 'record-id', ...to },
          ...rest,
        })),
      ...definitionTrees({ name, sayable, type, expression, block, path: idiomOf(fc.constant({ kind: 'all' })) }),
    ) as fc.Arbitrary<Statement>,
  };
});

const moment = fc
  .oneof(natural, fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }), fc.constant(new Datetime(5, 7)))
  .map((value) => ({ kind: 'literal', value }) as const);
const parameter = name.map((each) => ({ kind: 'param', name: each }) as const);

const LIMITS = { depth: 1_000, height: 10_000 };

test('an expression that is printed reads back as itself', () => {
  fc.assert(
    fc.property(trees.expression, (tree) => {
      const printed = printExpression(tree, { secrets: true });
      const again = parseExpression(printed, LIMITS);
      expect(again, printed).toEqual(tree);
      expect(printExpression(again, { secrets: true })).toBe(printed);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

test('a statement that is printed reads back as itself', () => {
  fc.assert(
    fc.property(trees.statement, (tree) => {
      const printed = printStatement(tree, { secrets: true });
      const again = parseStatement(printed, LIMITS);
      expect(again, printed).toEqual(tree);
      expect(printStatement(again, { secrets: true })).toBe(printed);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

test('so does a live query, and what shows changes', () => {
  const live = fc
    .tuple(
      fc.constantFrom<Live['projections']>({ kind: 'diff' }, { kind: 'fields', items: [{ kind: 'all' }] }),
      name,
      optional('where', trees.expression),
      optional('fetch', fc.array(idiomOf(fc.constant({ kind: 'all' })), { minLength: 1, maxLength: 2 })),
      optional('since', fc.oneof(moment, fc.constant({ kind: 'literal', value: undefined }), parameter)),
    )
    .map(([projections, table, ...rest]) =>
      Object.assign({ kind: 'live', projections, from: { kind: 'table', name: table } }, ...rest),
    );
  const changes = fc
    .tuple(optional('table', name), moment, optional('limit', natural))
    .map(([table, since, limit]) => ({ kind: 'show-changes', ...table, since, ...limit }));
  fc.assert(
    fc.property(fc.oneof(live, changes) as fc.Arbitrary<Statement>, (tree) => {
      const printed = printStatement(tree, { secrets: true });
      expect(parseStatement(printed, LIMITS), printed).toEqual(tree);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

test('walking and rewriting without a change keep the tree', () => {
  fc.assert(
    fc.property(trees.statement, (tree) => {
      walk(tree, {});
      expect(transform(tree, () => undefined)).toBe(tree);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

test('no text ends in anything but a query or an error of the catalogue', () => {
  const words = fc.constantFrom(
    ..."SELECT * FROM WHERE CREATE SET = ( ) [ ] { } , ; : :: . .. | || -> <- < > @ $ $a a b:1 1 1h 'x' r' \" ` / ? !! - + IF ELSE THEN END DEFINE TABLE FIELD ON TYPE option array RELATE LET RETURN FOR IN PERMISSIONS ACCESS USER ALTER DROP GRAPHQL_ALIAS GRAPHQL_DEPRECATED CONFIG GRAPHQL".split(
      ' ',
    ),
  );
  const noise = fc.oneof(
    fc.array(words, { maxLength: 30 }).map((each) => each.join(' ')),
    fc.array(words, { maxLength: 30 }).map((each) => each.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  );
  fc.assert(
    fc.property(noise, (source) => {
      try {
        const query = parseQuery(source);
        expect(parseQuery(printQuery(query, { secrets: true }))).toEqual(query);
      } catch (error) {
        expect(error).toHaveProperty('code', expect.stringMatching(/^(parse_error|query_too_deep)$/));
      }
    }),
    { numRuns: RUNS * 4, endOnFailure: true },
  );
});
