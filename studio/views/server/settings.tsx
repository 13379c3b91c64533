/** The settings that are stored with the data, as INFO tells them. Those of the start are with who starts the server. */

import { DataTable } from '../../components/data-table.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { Value } from '../../components/value.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';

interface Setting {
  readonly scope: string;
  readonly name: string;
  readonly value: unknown;
}

type Info = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export function Settings({ connection }: { readonly connection: Connection }) {
  const settings = useLoaded(() => loadSettings(connection), [connection]);
  return (
    <section>
      <h2>Settings in the store</h2>
      <LoadedContent of={settings}>
        {(loaded) => (
          <DataTable
            caption="Settings in the store"
            rows={loaded}
            keyOf={({ scope, name }) => `${scope} ${name}`}
            empty="None are defined"
            columns={[
              { title: 'Of', cell: ({ scope }) => scope },
              { title: 'Setting', cell: ({ name }) => name },
              { title: 'Value', cell: ({ value }) => <Value value={value} whole /> },
            ]}
          />
        )}
      </LoadedContent>
    </section>
  );
}

async function loadSettings(connection: Connection): Promise<readonly Setting[]> {
  const { level, namespace, database } = connection.session;
  const settings: Setting[] = [];
  if (level === 'root') {
    const [root] = await connection.query<[Info]>('INFO FOR ROOT');
    settings.push(...settingsOf('root', root['config']), ...settingsOf('root: default', root['defaults']));
  }
  if (namespace !== '' && database !== '') {
    const [info] = await connection.query<[Info]>('INFO FOR DATABASE');
    settings.push(...settingsOf(`database ${namespace}/${database}`, info['configs']));
  }
  return settings;
}

function settingsOf(scope: string, values: Readonly<Record<string, unknown>> = {}): readonly Setting[] {
  return Object.entries(values).map(([name, value]) => ({ scope, name, value }));
}
