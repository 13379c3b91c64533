/** The databases that were worked in last, by their names, which the browser keeps for the switcher. */
import { readKeptList, writeKeptList } from '../base/kept.js';

export interface DatabaseName {
  readonly namespace: string;
  readonly database: string;
}

const KEY = 'tessera:studio:recent-databases';
const MOST = 5;

/** The latest first. */
export function recentDatabases(): readonly DatabaseName[] {
  return readKeptList(KEY).filter(isDatabaseName);
}

function isDatabaseName(value: unknown): value is DatabaseName {
  const { namespace, database } = (value ?? {}) as Partial<Record<keyof DatabaseName, unknown>>;
  return typeof namespace === 'string' && typeof database === 'string';
}

export function rememberDatabase({ namespace, database }: DatabaseName): void {
  if (namespace === '' || database === '') return;
  const others = recentDatabases().filter((other) => other.namespace !== namespace || other.database !== database);
  writeKeptList(KEY, [{ namespace, database }, ...others].slice(0, MOST));
}
