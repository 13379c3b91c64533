/** All that is defined in the database, by kind. */
import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { hrefOf } from '../../base/route.js';
import { Failure } from '../../components/failure.js';
import { Loading } from '../../components/loading.js';
import { PageHeader } from '../../components/page-header.js';
import type { Connection } from '../../connection/connection.js';
import { DATABASE_KINDS, type DatabaseKind, loadDefinitions } from '../../connection/definitions.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { DefinitionList } from './definition-list.js';
import { TableForm } from './table-form.js';
import { TextDialog } from './text-dialog.js';

const TITLES: Readonly<Record<DatabaseKind, string>> = {
  TABLE: 'Tables',
  FUNCTION: 'Functions',
  PARAM: 'Params',
  ANALYZER: 'Analyzers',
  ACCESS: 'Accesses',
  SEQUENCE: 'Sequences',
  BUCKET: 'Buckets',
  API: 'APIs',
  CONFIG: 'Configurations',
};

/** What the text begins with, for the shape of it. */
const EXAMPLE = 'DEFINE FUNCTION fn::name($value: string) {\n  RETURN $value\n}';

export function DefinitionsPage({ connection }: { readonly connection: Connection }) {
  const { data, error, reload } = useLoaded(() => loadDefinitions(connection), [connection]);
  const [form, setForm] = useState<'table' | 'text' | undefined>();
  const close = () => setForm(undefined);
  const done = () => {
    close();
    reload();
  };
  return (
    <>
      <PageHeader title={`Schema of ${connection.session.database}`}>
        {error === undefined && (
          <>
            <Anchor size="sm" href={hrefOf('schema', ['designer'])}>
              Designer
            </Anchor>
            <Button onClick={() => setForm('text')}>New definition as text</Button>
            <Button variant="filled" onClick={() => setForm('table')}>
              New table
            </Button>
          </>
        )}
      </PageHeader>
      {error !== undefined && <Failure error={error} seenBy="system users of the database" />}
      {data === undefined
        ? error === undefined && <Loading />
        : (Object.keys(DATABASE_KINDS) as DatabaseKind[]).map((kind) => (
            <DefinitionList
              key={kind}
              title={TITLES[kind]}
              connection={connection}
              definitions={data[kind]}
              onChange={reload}
              {...(kind === 'TABLE' && {
                nameOf: ({ name }) => <a href={hrefOf('schema', ['table', name])}>{name}</a>,
              })}
            />
          ))}
      {form === 'table' && <TableForm connection={connection} onClose={close} onDone={done} />}
      {form === 'text' && (
        <TextDialog title="New definition" connection={connection} statement={EXAMPLE} onClose={close} onDone={done} />
      )}
    </>
  );
}
