/** Chooses namespace and database from those that the user may see; other names can be typed. */
import { useState } from 'preact/hooks';
import { Button } from '../components/button.js';
import { Field } from '../components/field.js';
import type { Connection } from '../connection/connection.js';
import { identifier } from '../connection/surrealql.js';
import { useLoaded } from '../connection/use-loaded.js';
import { choose } from '../session/session.js';

export function DatabaseChooser({ connection }: { readonly connection: Connection }) {
  const { level } = connection.session;
  const [namespace, setNamespace] = useState(connection.session.namespace);
  const [database, setDatabase] = useState(connection.session.database);
  const namespaces = useLoaded(() => (level === 'root' ? namesOf(connection, 'ROOT') : none()), [connection]);
  const databases = useLoaded(
    () =>
      namespace !== '' && (level === 'root' || level === 'namespace') ? databasesOf(connection, namespace) : none(),
    [connection, namespace],
  );
  return (
    <form
      class="row chooser"
      aria-label="Namespace and database"
      onSubmit={(event) => {
        event.preventDefault();
        choose(namespace, database);
      }}
    >
      <Field
        label="Namespace"
        value={namespace}
        onChange={setNamespace}
        suggestions={namespaces.data ?? []}
        disabled={level !== 'root' && level !== 'guest'}
      />
      <Field
        label="Database"
        value={database}
        onChange={setDatabase}
        suggestions={databases.data ?? []}
        disabled={level === 'database' || level === 'record'}
      />
      <Button
        type="submit"
        disabled={namespace === connection.session.namespace && database === connection.session.database}
      >
        Use
      </Button>
    </form>
  );
}

async function none(): Promise<readonly string[]> {
  return [];
}

/** Empty for users who may not see them, who type the names. */
async function namesOf(connection: Connection, of: 'ROOT' | 'NS', before = ''): Promise<readonly string[]> {
  try {
    const results = await connection.query<Record<string, object>[]>(`${before}INFO FOR ${of}`);
    return Object.keys(results.at(-1)?.[of === 'ROOT' ? 'namespaces' : 'databases'] ?? {});
  } catch {
    return [];
  }
}

/** On a connection of its own, since it changes the namespace. */
async function databasesOf(connection: Connection, namespace: string): Promise<readonly string[]> {
  const own = await connection.fork();
  try {
    return await namesOf(own, 'NS', `USE NS ${identifier(namespace)}; `);
  } finally {
    own.close();
  }
}
