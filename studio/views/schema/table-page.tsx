/** A table: its fields, indexes and events. */
import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { hrefOf } from '../../base/route.js';
import { Failure } from '../../components/failure.js';
import { Loading } from '../../components/loading.js';
import { PageHeader } from '../../components/page-header.js';
import type { Connection } from '../../connection/connection.js';
import { loadTableContent, loadTableDefinitions, type TableKind } from '../../connection/definitions.js';
import { identifier } from '../../connection/surrealql.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { DefinitionList, STATEMENT } from './definition-list.js';
import { fieldColumns } from './field-columns.js';
import { FieldForm } from './field-form.js';
import { IndexBuild } from './index-build.js';
import { IndexForm } from './index-form.js';
import { TextDialog } from './text-dialog.js';

interface Properties {
  readonly connection: Connection;
  readonly table: string;
}

export function TablePage({ connection, table }: Properties) {
  const { data, error, reload } = useLoaded(async () => {
    const [definitions, parts] = await Promise.all([
      loadTableDefinitions(connection, table),
      loadTableContent(connection, table),
    ]);
    return { ...definitions, ...parts };
  }, [connection, table]);
  const [form, setForm] = useState<TableKind>();
  const close = () => setForm(undefined);
  const done = () => {
    close();
    reload();
  };
  const shared = { connection, onChange: reload };
  const dialog = { connection, table, onClose: close, onDone: done };
  return (
    <>
      <PageHeader title={table}>
        <Anchor size="sm" href={hrefOf('explore', ['table', table])}>
          Rows
        </Anchor>
        <Anchor size="sm" href={hrefOf('schema', ['designer', 'table', table])}>
          Designer
        </Anchor>
        <Anchor size="sm" href={hrefOf('schema')}>
          All definitions
        </Anchor>
      </PageHeader>
      {error !== undefined && <Failure error={error} seenBy="system users of the database" />}
      {data === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <DefinitionList title="Fields" definitions={data.FIELD} columns={fieldColumns(data)} {...shared}>
            <Button onClick={() => setForm('FIELD')}>New field</Button>
          </DefinitionList>
          <DefinitionList
            title="Indexes"
            definitions={data.INDEX}
            columns={[
              STATEMENT,
              { title: 'Build', cell: (index) => <IndexBuild connection={connection} index={index} /> },
            ]}
            {...shared}
          >
            <Button onClick={() => setForm('INDEX')}>New index</Button>
          </DefinitionList>
          <DefinitionList title="Events" definitions={data.EVENT} {...shared}>
            <Button onClick={() => setForm('EVENT')}>New event</Button>
          </DefinitionList>
          {form === 'FIELD' && <FieldForm {...dialog} />}
          {form === 'INDEX' && <IndexForm {...dialog} fields={data.FIELD.map(({ name }) => name)} />}
          {form === 'EVENT' && (
            <TextDialog
              {...dialog}
              title={`New event of ${table}`}
              statement={`DEFINE EVENT name ON TABLE ${identifier(table)} WHEN $event = 'CREATE' THEN {\n}`}
            />
          )}
        </>
      )}
    </>
  );
}
