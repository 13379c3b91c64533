/** DEFINE CONFIG: GRAPHQL and API for a database, DEFAULT for the whole store. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import type { SettledConfig } from '../../catalog/definitions/definition.js';
import { findDefaults } from '../../catalog/definitions/lookup.js';
import { failure } from '../../errors/error.js';
import type { Config, DefaultConfig, DefineConfig, Name } from '../../language/ast.js';
import { ensureSelectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { toText } from '../../value/text/text.js';
import { compileHandling } from './define-api.js';
import { beginDefinition, finish, settled, shouldDefine } from './definition.js';

/** Defines a configuration: DEFAULT for the whole store, the others for the selected database. */
export function compileDefineConfig(statement: DefineConfig, compiler: Compiler): Evaluate {
  const { kind } = statement.config;
  const settle = compileConfig(statement.config, compiler);
  return async (frame) => {
    const { execution } = frame;
    const level = kind === 'default' ? 'root' : 'database';
    const { databasePath, change } = beginDefinition(execution, level, 'own', 'Config');
    const taken = await isConfigured(execution, kind);
    if (!shouldDefine(statement.mode, taken, () => failure('config_exists', { name: kind }))) return;
    const config = await settle(frame);
    await putAtLevel(change, databasePath, { ...settled(statement, {}), config });
    return finish(execution);
  };
}

/** The config with its expressions evaluated. */
export function compileConfig(config: Config, compiler: Compiler): (frame: Frame) => PromiseOrValue<SettledConfig> {
  switch (config.kind) {
    case 'graphql':
      return () => config;
    case 'api':
      return compileHandling(config, compiler);
    case 'default':
      return compileDefaults(config, compiler);
  }
}

function compileDefaults(
  { namespace, database }: DefaultConfig,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<SettledConfig> {
  const namespaceOf = compileOptionalName(namespace, 'namespace', compiler);
  const databaseOf = compileOptionalName(database, 'database', compiler);
  return async (frame) => {
    const namespaceName = await namespaceOf(frame);
    const databaseName = await databaseOf(frame);
    return {
      kind: 'default',
      ...(namespaceName !== undefined && { namespace: namespaceName }),
      ...(databaseName !== undefined && { database: databaseName }),
    };
  };
}

/** A name, or NONE as if it weren't written. */
function compileOptionalName(
  name: Name | undefined,
  what: string,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<string | undefined> {
  if (name === undefined || typeof name === 'string') return () => name;
  const evaluate = compiler.expression(name);
  return async (frame) => {
    const value = await evaluate(frame);
    if (value === undefined || typeof value === 'string') return value;
    throw failure('name_not_string', { what, value: toText(value) });
  };
}

async function isConfigured(execution: Execution, kind: Config['kind']): Promise<boolean> {
  if (kind === 'default') {
    const found = await findDefaults(execution.context.transaction);
    return found !== undefined;
  }
  const catalog = await ensureSelectedDatabase(execution);
  return catalog.configs.has(kind);
}
