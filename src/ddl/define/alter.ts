/** ALTER: a definition with some of its clauses changed, written back as DEFINE would write it. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { generateSecret, SIGNING_SECRET_LENGTH } from '../../catalog/credentials/secret.js';
import { fieldName, type LevelDefinition, putAtLevel, putEvent, putField, putTable } from '../../catalog/ddl/define.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { UserDefinition } from '../../catalog/definitions/definition.js';
import { findAccess, findDefaults, findUser } from '../../catalog/definitions/lookup.js';
import type { SchemaChange } from '../../catalog/definitions/schema-version.js';
import type { Definition, DefinitionOf } from '../../catalog/definitions/stored-definition.js';
import { rewriteIndex, withdrawIndex } from '../../catalog/indexes/lifecycle.js';
import type { Action, DatabasePath } from '../../catalog/principal.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Alter, Alterable, Config, DefineSequence, Level, Name } from '../../language/ast.js';
import { unsetMembers } from '../../language/definitions/define.js';
import { settleReferences } from '../../records/references.js';
import { assertStorable } from '../../records/storable.js';
import type { Resource } from '../../runtime/authorization/authorize.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { holdsObjects } from '../../value/type.js';
import { compileComputedClauses } from './computed-clauses.js';
import { judgeAccessErrors } from './define-access.js';
import { compileConfig } from './define-config.js';
import { keepRelation } from './define-field.js';
import { wakeIndexBuilder } from './define-index.js';
import { compileSequenceTimeout } from './define-sequence.js';
import { passhashOf } from './define-user.js';
import { beginDefinition, compileName, finish, tableNow } from './definition.js';
import { compileFieldPath } from './field-path.js';
import { checkAlteredField } from './field-rules.js';
import { elementFieldsOf, endsOf, settleImplied } from './implied-fields.js';

/** The definition to alter: by its name, and by that of its table if it is defined on one. */
interface Target {
  readonly name: string;
  readonly table: string;
}

interface Site {
  readonly execution: Execution;
  readonly change: SchemaChange;
  readonly databasePath: DatabasePath;
  readonly target: Target;
  /** Of the selected database, if there is one. */
  readonly catalog: DatabaseCatalog | undefined;
  readonly action: Alter['action'];
}

interface Kind<K extends Alterable['kind'], D extends Definition = DefinitionOf<K>> {
  readonly resource: Resource;
  /** Default: `edit`. */
  readonly action?: Action;
  find(site: Site): PromiseOrValue<D | undefined>;
  missing(target: Target, databasePath: DatabasePath): TesseraError;
  /** Puts evaluated clauses in place of expressions. */
  compile?(statement: Alter, definition: Extract<Alterable, { kind: K }>, compiler: Compiler): Revise<D>;
  put(site: Site & { readonly catalog: DatabaseCatalog }, after: D, before: D): PromiseOrValue<unknown>;
}

type Revise<D> = (after: D, frame: Frame) => PromiseOrValue<D>;

const KINDS: { readonly [K in Alterable['kind']]: Kind<K> } = {
  'define-table': {
    resource: 'Table',
    find: ({ catalog, target }) => catalog?.tables.get(target.name)?.definition,
    missing: ({ name }) => failure('table_missing', { name }),
    async put({ execution, change, catalog, target }, after, before) {
      await putTable(change, catalog, after);
      const [ends, had] = [endsOf(target.name, after.tableKind), endsOf(target.name, before.tableKind)];
      if (after.tableKind === before.tableKind || (ends.length === 0 && had.length === 0)) return undefined;
      finish(execution);
      const found = await tableNow(execution, target.name);
      return settleImplied(change, found, had, ends);
    },
  },

  'define-field': {
    resource: 'Field',
    find: ({ catalog, target }) =>
      catalog?.tables.get(target.table)?.fields.find((field) => fieldName(field) === target.name),
    missing: ({ name }) => failure('field_missing', { name }),
    compile: () => (after) => {
      // A type that holds no objects loses FLEXIBLE.
      const keeps = !after.flexible || after.type === undefined || holdsObjects(after.type);
      return keeps ? after : { ...after, flexible: false };
    },
    async put({ execution, change, catalog, target }, after, before) {
      const table = catalog.tables.get(target.table) as TableEntry;
      checkAlteredField(after, table);
      await putField(change, catalog, table.definition, after);
      // Fields of elements follow the type; unlike DEFINE FIELD, ALTER FIELD doesn't create new ones.
      const known = elementFieldsOf(after).filter((implied) =>
        table.fields.some((field) => fieldName(field) === fieldName(implied)),
      );
      await settleImplied(change, { catalog, table }, elementFieldsOf(before), known);
      finish(execution);
      await settleReferences(execution, catalog, table, before, after);
      return keepRelation(execution, change, after, { catalog, table });
    },
  },

  'define-index': {
    resource: 'Index',
    find: ({ catalog, target }) =>
      catalog?.tables.get(target.table)?.indexes.find((index) => index.name === target.name),
    missing: ({ name }) => failure('index_missing', { name }),
    put({ execution, change, catalog, target, action }, after) {
      const table = catalog.tables.get(target.table) as TableEntry;
      const at = { catalog, table, index: after };
      if (action !== 'prepare-remove') return rewriteIndex(change, at);
      wakeIndexBuilder(execution);
      return withdrawIndex(change, at);
    },
  },

  'define-event': {
    resource: 'Event',
    find: ({ catalog, target }) => catalog?.tables.get(target.table)?.events.find(({ name }) => name === target.name),
    missing: ({ name }) => failure('event_missing', { name }),
    put: ({ change, catalog, target }, after) =>
      putEvent(change, catalog, (catalog.tables.get(target.table) as TableEntry).definition, after),
  },

  'define-sequence': {
    resource: 'Sequence',
    action: 'own',
    find: ({ catalog, target }) => catalog?.sequences.get(target.name),
    missing: ({ name }) => failure('sequence_missing', { name }),
    compile: ({ set }, definition: DefineSequence, compiler) => {
      if (!set.includes('timeout')) return (after) => after;
      const timeoutOf = compileSequenceTimeout(definition.timeout, compiler);
      return async ({ timeout: _, ...after }, frame) => {
        const timeout = await timeoutOf(frame);
        return { ...after, ...timeout };
      };
    },
    put: replaceAtLevel,
  },

  'define-bucket': {
    resource: 'Bucket',
    action: 'own',
    find: ({ catalog, target }) => catalog?.buckets.get(target.name),
    missing: ({ name }) => failure('bucket_missing', { name }),
    put(site, after) {
      if (site.action !== 'rotate-key') return replaceAtLevel(site, after);
      const linkKey = generateSecret(site.execution.services.environment.random, SIGNING_SECRET_LENGTH);
      return replaceAtLevel(site, { ...after, linkKey });
    },
  },

  'define-param': {
    resource: 'Parameter',
    find: ({ catalog, target }) => catalog?.params.get(target.name),
    missing: ({ name }) => failure('param_missing', { name: `$${name}` }),
    compile: ({ set }, { value }, compiler) => {
      if (!set.includes('value')) return (after) => after;
      const evaluate = compiler.expression(value);
      return async (after, frame) => {
        const settled = await evaluate(frame);
        assertStorable(settled);
        return { ...after, value: settled };
      };
    },
    put: replaceAtLevel,
  },

  'define-function': {
    resource: 'Function',
    find: ({ catalog, target }) => catalog?.functions.get(target.name),
    missing: ({ name }) => failure('function_undefined', { name: `fn::${name}` }),
    put: replaceAtLevel,
  },

  'define-analyzer': {
    resource: 'Analyzer',
    find: ({ catalog, target }) => catalog?.analyzers.get(target.name),
    missing: ({ name }) => failure('analyzer_missing', { name }),
    put: replaceAtLevel,
  },

  'define-user': {
    resource: 'Actor',
    action: 'own',
    find: ({ execution, databasePath, target }) => findUser(execution.context.transaction, databasePath, target.name),
    missing: ({ name }, databasePath) => failure('user_missing', { name, ...databasePath }),
    compile: ({ set }, definition) => {
      const changesPassword = set.includes('password') || set.includes('passhash');
      return async (after, { execution }) => {
        if (!changesPassword) return after;
        const hash = await passhashOf(definition, execution);
        return {
          ...withoutPassword(after),
          passhash: hash,
          // Tokens from before stop being good, as with DEFINE USER OVERWRITE.
          secret: generateSecret(execution.services.environment.random, SIGNING_SECRET_LENGTH),
        };
      };
    },
    put: replaceAtLevel,
  },

  'define-access': {
    resource: 'Actor',
    action: 'own',
    find: ({ execution, databasePath, target }) => findAccess(execution.context.transaction, databasePath, target.name),
    missing: ({ name }, databasePath) => failure('access_missing', { name, ...databasePath }),
    put: (site, after) => {
      judgeAccessErrors(after);
      return replaceAtLevel(site, after);
    },
  },

  'define-config': {
    resource: 'Config',
    action: 'own',
    find: ({ catalog, execution, target }) =>
      target.name === 'default'
        ? findDefaults(execution.context.transaction)
        : catalog?.configs.get(target.name as Config['kind']),
    missing: ({ name }) => failure('config_missing', { name }),
    compile: (alter, { config }, compiler) => {
      const settle = compileConfig(config, compiler);
      return async (after, frame) => {
        const settled = await settle(frame);
        // A name that turns out to be NONE is set no more.
        const dropped = [...alter.dropped, ...alter.set.filter((member) => !(member in settled))];
        return { ...after, config: changed(after.config, settled, { ...alter, dropped }) };
      };
    },
    put: replaceAtLevel,
  },
};

function replaceAtLevel({ change, databasePath }: Site, after: LevelDefinition): PromiseOrValue<void> {
  return putAtLevel(change, databasePath, after);
}

function withoutPassword(user: UserDefinition & { readonly password?: string }): UserDefinition {
  const { password: _, ...rest } = user;
  return rest;
}

export function compileAlter(statement: Alter, compiler: Compiler): Evaluate {
  const settle = compileComputedClauses(statement.definition, compiler);
  if (settle === undefined) return compileSettled(statement, compiler);
  return async (frame) => {
    const definition = await settle(frame);
    return compileSettled({ ...statement, definition }, compiler)(frame);
  };
}

function compileSettled(statement: Alter, compiler: Compiler): Evaluate {
  const { definition, ifExists } = statement;
  // The row of a kind takes definitions of that kind, which a lookup by a kind known only in general can't tell the
  // compiler.
  const kind = KINDS[definition.kind] as unknown as Kind<never, Definition>;
  const targetOf = compileTarget(definition, compiler);
  const revise = kind.compile?.(statement, definition as never, compiler);
  return async (frame) => {
    const { execution } = frame;
    const { databasePath, change } = beginDefinition(
      execution,
      levelOf(definition),
      kind.action ?? 'edit',
      kind.resource,
    );
    const target = await targetOf(frame);
    const catalog = await execution.context.catalog();
    const site = { execution, change, databasePath, target, catalog, action: statement.action };
    const before = await kind.find(site);
    if (before === undefined) {
      if (ifExists) return undefined;
      throw kind.missing(target, databasePath);
    }
    if (statement.action === 'compact') throw failure('compaction_unsupported');
    const changed = withChanges(before, statement);
    const after = await (revise === undefined ? changed : revise(changed, frame));
    await kind.put(site as never, after, before);
    return finish(execution);
  };
}

function compileTarget(definition: Alterable, compiler: Compiler): (frame: Frame) => PromiseOrValue<Target> {
  if (definition.kind === 'define-config') return () => ({ name: definition.config.kind, table: '' });
  const table: Name = 'table' in definition ? definition.table : '';
  const tableOf = compileName(table, 'table name', compiler);
  const nameOf =
    definition.kind === 'define-field'
      ? pathNamer(definition.path, compiler)
      : compileName(definition.name, `${NOUNS[definition.kind]} name`, compiler);
  return async (frame) => {
    const name = await nameOf(frame);
    const of = await tableOf(frame);
    return { name, table: of };
  };
}

const NOUNS: Readonly<Record<Exclude<Alterable['kind'], 'define-field' | 'define-config'>, string>> = {
  'define-access': 'access',
  'define-analyzer': 'analyzer',
  'define-bucket': 'bucket',
  'define-event': 'event',
  'define-function': 'function',
  'define-index': 'index',
  'define-param': 'param',
  'define-sequence': 'sequence',
  'define-table': 'table',
  'define-user': 'user',
};

function pathNamer(
  path: Parameters<typeof compileFieldPath>[0],
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<string> {
  const pathOf = compileFieldPath(path, compiler);
  return async (frame) => {
    const settled = await pathOf(frame);
    return fieldName({ path: settled });
  };
}

function levelOf(definition: Alterable): Level {
  if ('level' in definition) return definition.level;
  return definition.kind === 'define-config' && definition.config.kind === 'default' ? 'root' : 'database';
}

/**
 * The definition with what the statement sets, and without what it drops. The clauses of a config are members of the
 * config.
 */
function withChanges(before: Definition, alter: Alter): Definition {
  const after = changed(before, alter.definition, alter);
  if (after.kind !== 'define-config' || alter.definition.kind !== 'define-config') return after;
  return { ...after, config: changed(after.config, alter.definition.config, alter) };
}

function changed<Node extends Definition | Config>(before: Node, definition: object, alter: Alter): Node {
  const { set, dropped } = alter;
  const after = { ...before } as Record<string, unknown>;
  const given = definition as Readonly<Record<string, unknown>>;
  const unset = unsetMembers(alter.definition.kind);
  for (const member of set) {
    if (!(member in given)) continue;
    // Lifetimes that aren't written stay.
    after[member] =
      member === 'durations' ? { ...(after[member] as object), ...(given[member] as object) } : given[member];
  }
  for (const member of dropped) {
    if (member in unset) after[member] = unset[member];
    else delete after[member];
  }
  return after as Node;
}
