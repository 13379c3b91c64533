/** The databases that a user may see and make, by their names. */
import type { Connection } from '../connection/connection.js';
import { identifier } from '../connection/surrealql.js';
import type { DatabaseName } from '../session/recent-databases.js';

/** Namespaces whose databases are listed; others are typed. */
const MOST_NAMESPACES = 200;

type Info = Readonly<Record<'namespaces' | 'databases', Readonly<Record<string, unknown>>>>;

/** Those that INFO lists, on a connection of its own, since that changes the namespace; none where it is refused. */
export async function loadDatabases(connection: Connection): Promise<readonly DatabaseName[]> {
  const { level, namespace } = connection.session;
  if (level !== 'root' && level !== 'namespace') return [];
  const own = await connection.fork();
  try {
    const namespaces = level === 'root' ? await namespacesOf(own) : [namespace];
    if (namespaces.length === 0) return [];
    const statements = namespaces.map((name) => `USE NS ${identifier(name)}; INFO FOR NS`);
    const results = await own.run(statements.join(';'));
    return namespaces.flatMap((name, at) => {
      const info = results[2 * at + 1];
      if (info?.ok !== true) return [];
      return Object.keys((info.value as Info).databases).map((database) => ({ namespace: name, database }));
    });
  } catch {
    return [];
  } finally {
    own.close();
  }
}

async function namespacesOf(connection: Connection): Promise<readonly string[]> {
  const [info] = await connection.query<[Info]>('INFO FOR ROOT');
  return Object.keys(info.namespaces).slice(0, MOST_NAMESPACES);
}

/** Makes a database, and its namespace if there is none. @throws Error if the user may not */
export async function createDatabase(connection: Connection, { namespace, database }: DatabaseName): Promise<void> {
  const own = await connection.fork();
  const ofRoot = `DEFINE NAMESPACE IF NOT EXISTS ${identifier(namespace)}; USE NS ${identifier(namespace)}; `;
  try {
    const within = connection.session.level === 'root' ? ofRoot : '';
    await own.query(`${within}DEFINE DATABASE IF NOT EXISTS ${identifier(database)}`);
  } finally {
    own.close();
  }
}
