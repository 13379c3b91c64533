/** Levels of users and access methods: where they are defined. */
import type { SignedIn } from '../../session/session.js';

export type DefinitionLevel = 'root' | 'namespace' | 'database';

/** How statements name a level. */
export const KEYWORD: Readonly<Record<DefinitionLevel, string>> = {
  root: 'ROOT',
  namespace: 'NAMESPACE',
  database: 'DATABASE',
};

const LEVELS: readonly DefinitionLevel[] = ['root', 'namespace', 'database'];

/** The levels that a user may see: their own and those below, as far as a namespace and a database are chosen. */
export function levelsOf({ level, namespace, database }: SignedIn): readonly DefinitionLevel[] {
  const first = LEVELS.indexOf(level as DefinitionLevel);
  if (first === -1) return [];
  const chosen = namespace === '' ? 1 : database === '' ? 2 : 3;
  return LEVELS.slice(first, chosen);
}

/** `root`, `namespace shop`, `database shop/main` */
export function nameOfLevel(level: DefinitionLevel, { namespace, database }: SignedIn): string {
  if (level === 'root') return 'root';
  return level === 'namespace' ? `namespace ${namespace}` : `database ${namespace}/${database}`;
}
