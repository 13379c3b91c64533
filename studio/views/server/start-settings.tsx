/** The settings that the server was started with, and where each is given. */
import { useState } from 'react';
import { DataTable } from '../../components/data-table.js';
import { Failure } from '../../components/failure.js';
import { CheckboxField } from '../../components/field.js';
import { Loading } from '../../components/loading.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { loadStartSettings } from './operator-requests.js';

export function StartSettings({ token }: { readonly token: string }) {
  const { data, error } = useLoaded(() => loadStartSettings(token), [token]);
  const [hasDefaults, setDefaults] = useState(false);
  return (
    <section>
      <h2>Settings of the start</h2>
      {error !== undefined ? (
        <Failure error={error} seenBy="owners of the root" />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <>
          <CheckboxField label="Also those with their defaults" checked={hasDefaults} onChange={setDefaults} />
          <DataTable
            caption="Settings of the start"
            rows={data.filter(({ source }) => hasDefaults || source !== undefined)}
            keyOf={({ name }) => name}
            empty="All have their defaults"
            columns={[
              { title: 'Setting', cell: ({ name, description }) => <code title={description}>{name}</code> },
              { title: 'Value', cell: ({ value, source }) => value ?? (source === undefined ? '' : 'not shown') },
              { title: 'Given by', cell: ({ source }) => source ?? 'default' },
              { title: 'Of', cell: ({ group }) => group },
            ]}
          />
        </>
      )}
    </section>
  );
}
