import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { putPlaced } from '../../catalog/define.js';
import { findDefaults } from '../../catalog/lookup.js';
import { failure } from '../../errors/error.js';
import type { Config, DefineConfig } from '../../language/ast.js';
import { ensurePlace } from '../ensure-place.js';
import type { Evaluate, Execution } from '../execution.js';
import { beginDefinition, finish, goesAhead, settled } from './definition.js';

/** Defines a configuration: DEFAULT for the whole store, the others for the selected database. */
export function compileDefineConfig(statement: DefineConfig): Evaluate {
  const { kind } = statement.config;
  return ({ execution }) => {
    const level = kind === 'default' ? 'root' : 'database';
    const { place, change } = beginDefinition(execution, level, 'own', 'Config');
    return andThen(isConfigured(execution, kind), (taken): PromiseOrValue<undefined> => {
      if (!goesAhead(statement.mode, taken, () => failure('config_exists', { name: kind }))) return;
      return andThen(putPlaced(change, place, settled(statement, {})), () => finish(execution));
    });
  };
}

function isConfigured(execution: Execution, kind: Config['kind']): PromiseOrValue<boolean> {
  if (kind === 'default') return andThen(findDefaults(execution.unit.transaction), (found) => found !== undefined);
  return andThen(ensurePlace(execution), (catalog) => catalog.configs.has(kind));
}
