import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { putPlaced } from '../../catalog/define.js';
import { findDefaults } from '../../catalog/lookup.js';
import { failure } from '../../errors/error.js';
import type { Config, DefineConfig } from '../../language/ast.js';
import { ensurePlace } from '../ensure-place.js';
import type { Compiler, Evaluate, Execution } from '../execution.js';
import { compileHandling } from './api-handling.js';
import { beginDefinition, finish, goesAhead, settled } from './definition.js';

/** Defines a configuration: DEFAULT for the whole store, the others for the selected database. */
export function compileDefineConfig(statement: DefineConfig, compiler: Compiler): Evaluate {
  const { kind } = statement.config;
  const settle = statement.config.kind === 'api' ? compileHandling(statement.config, compiler) : undefined;
  return (frame) => {
    const { execution } = frame;
    const level = kind === 'default' ? 'root' : 'database';
    const { place, change } = beginDefinition(execution, level, 'own', 'Config');
    return andThen(isConfigured(execution, kind), (taken): PromiseOrValue<undefined> => {
      if (!goesAhead(statement.mode, taken, () => failure('config_exists', { name: kind }))) return;
      return andThen(settle === undefined ? statement.config : settle(frame), (config) =>
        andThen(putPlaced(change, place, { ...settled(statement, {}), config }), () => finish(execution)),
      );
    });
  };
}

function isConfigured(execution: Execution, kind: Config['kind']): PromiseOrValue<boolean> {
  if (kind === 'default') return andThen(findDefaults(execution.unit.transaction), (found) => found !== undefined);
  return andThen(ensurePlace(execution), (catalog) => catalog.configs.has(kind));
}
