/** Random definitions of what GraphQL shows, and changes of them. */
import fc from 'fast-check';
import type { Alterable, Block, Expression, Idiom, Permission, Statement } from '../../src/language/ast.js';
import type { Type } from '../../src/value/type.js';

/** An object with a member that may be missing. */
export function optional<T, K extends string>(key: K, value: fc.Arbitrary<T>): fc.Arbitrary<{ [P in K]?: T }> {
  return fc
    .option(value, { nil: undefined })
    .map((each) => (each === undefined ? {} : { [key]: each }) as { [P in K]?: T });
}

export interface Parts {
  readonly name: fc.Arbitrary<string>;
  /** What a string can say. */
  readonly sayable: fc.Arbitrary<string>;
  readonly type: fc.Arbitrary<Type>;
  readonly expression: fc.Arbitrary<Expression>;
  readonly block: fc.Arbitrary<Block>;
  readonly path: fc.Arbitrary<Idiom>;
}

export function definitionTrees(parts: Parts): fc.Arbitrary<Statement>[] {
  const definition = fc.oneof(...definitions(parts));
  const moded = fc
    .tuple(definition, optional('mode', fc.constantFrom('overwrite', 'if-not-exists')))
    .map(([node, mode]) => ({ ...node, ...mode }));
  return [moded, alter(definition)];
}

function definitions({ name, sayable, type, expression, block, path }: Parts): fc.Arbitrary<Alterable>[] {
  const comment = optional('comment', sayable);
  const shown = fc
    .tuple(
      comment,
      optional('graphqlAlias', fc.stringMatching(/^[A-Za-z][_0-9A-Za-z]{0,3}$/)),
      optional('graphqlDeprecated', sayable),
    )
    .map(([said, alias, deprecated]) => ({ ...said, ...alias, ...deprecated }));
  const permission: fc.Arbitrary<Permission> = fc.oneof(
    fc.constantFrom({ kind: 'none' }, { kind: 'full' }),
    expression.map((condition) => ({ kind: 'where', condition })),
  ) as fc.Arbitrary<Permission>;
  const allowed = { select: permission, create: permission, update: permission };
  // `fn::` before a name is no part of it.
  const functionName = fc.stringMatching(/^[a-z]{1,3}(::[a-z]{1,3})?$/).filter((name) => !name.startsWith('fn::'));
  const selection = (of: fc.Arbitrary<string>) =>
    fc.oneof(
      fc.constantFrom({ kind: 'auto' }, { kind: 'none' }),
      fc.record({ kind: fc.constantFrom('include', 'exclude'), names: fc.array(of, { minLength: 1, maxLength: 2 }) }),
    );
  const limit = fc.integer({ min: 0, max: 2 ** 32 - 1 });

  return [
    fc
      .tuple(name, fc.boolean(), fc.boolean(), fc.record({ ...allowed, delete: permission }), shown)
      .map(([table, drop, schemafull, permissions, rest]) => ({
        kind: 'define-table',
        name: table,
        drop,
        schemafull,
        tableKind: { kind: 'normal' },
        permissions,
        ...rest,
      })),
    fc
      .tuple(
        fc.record({ path, table: name, readonly: fc.boolean(), credential: fc.boolean() }),
        optional('type', type),
        optional('default', fc.record({ value: expression, always: fc.boolean() })),
        optional('value', expression),
        optional('permissions', fc.record(allowed)),
        shown,
      )
      .map((members) => Object.assign({ kind: 'define-field', flexible: false }, ...members)),
    fc
      .tuple(
        fc.record({
          name: functionName,
          parameters: fc.array(fc.record({ name, type }), { maxLength: 2 }),
          body: block,
          permissions: permission,
        }),
        optional('returns', type),
        shown,
      )
      .map((members) => Object.assign({ kind: 'define-function' }, ...members)),
    fc
      .tuple(
        fc.record({ tables: selection(name), functions: selection(functionName) }),
        optional('depth', limit),
        optional('complexity', limit),
        optional('introspection', fc.constantFrom('auto', 'none')),
      )
      .chain((members) => {
        const config = Object.assign({ kind: 'graphql' }, ...members);
        return comment.map((said) => ({ kind: 'define-config', config, ...said }));
      }),
  ] as fc.Arbitrary<Alterable>[];
}

const NONE = { kind: 'none' } as const;

/** What stands in an ALTER for the members that every definition has. */
const UNCHANGED = {
  'define-table': {
    drop: false,
    schemafull: false,
    tableKind: { kind: 'any' },
    permissions: { select: NONE, create: NONE, update: NONE, delete: NONE },
  },
  'define-field': { flexible: false, readonly: false, credential: false },
  'define-function': { parameters: [], body: { kind: 'block', statements: [] }, permissions: { kind: 'full' } },
} as const;

const CLAUSES = ['comment', 'graphqlAlias', 'graphqlDeprecated'] as const;

/** ALTER that sets the clauses which a definition has and perhaps drops the others. */
function alter(definition: fc.Arbitrary<Alterable>): fc.Arbitrary<Statement> {
  return fc.tuple(definition, fc.boolean(), fc.boolean()).map(([node, ifExists, drops]) => {
    const altered = node.kind === 'define-config' ? alterConfig(node) : alterShown(node);
    return { kind: 'alter', ifExists, ...altered, dropped: drops ? altered.dropped : [] } as Statement;
  });
}

function alterShown(node: Alterable) {
  const { kind, name, path, table, ...rest } = node as unknown as Record<string, unknown>;
  const given = CLAUSES.filter((clause) => clause in rest);
  const clauses = Object.fromEntries(given.map((clause) => [clause, rest[clause]]));
  const target = kind === 'define-field' ? { path, table } : { name };
  return {
    definition: { kind, ...target, ...UNCHANGED[kind as keyof typeof UNCHANGED], ...clauses },
    set: given,
    dropped: CLAUSES.filter((clause) => !given.includes(clause)),
  };
}

function alterConfig(node: Extract<Alterable, { kind: 'define-config' }>) {
  const { kind: _, ...members } = node.config;
  const commented = node.comment !== undefined;
  return {
    definition: node,
    set: [...Object.keys(members), ...(commented ? ['comment'] : [])],
    dropped: commented ? [] : ['comment'],
  };
}
