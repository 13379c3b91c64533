/** The designer: the tables as a picture that one changes, and as a list that says the same. Changes are staged, and run together. */
import './designer.css';
import { Anchor, Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { hrefOf } from '../../../base/route.js';
import { useStore } from '../../../base/store.js';
import { LoadedContent } from '../../../components/loaded-content.js';
import { NoTables } from '../../../components/no-tables.js';
import { PageHeader } from '../../../components/page-header.js';
import type { Connection } from '../../../connection/connection.js';
import { useLoaded } from '../../../connection/use-loaded.js';
import { boxPlaces } from './box-places.js';
import type { Designer } from './designer.js';
import { draftOf } from './draft.js';
import { withEdit } from './edits.js';
import { type Link, linksOf } from './links.js';
import { loadSchema, type SchemaTable } from './schema.js';
import { SchemaChanges, stagedEdits } from './schema-changes.js';
import { SchemaPicture } from './schema-picture.js';
import { SelectedPanel } from './selected-panel.js';
import type { Selection } from './selection.js';

interface Properties {
  readonly connection: Connection;
  /** What is open from the start. */
  readonly opened: Selection | undefined;
}

export function DesignerPage({ connection, opened }: Properties) {
  const schema = useLoaded(() => loadSchema(connection), [connection]);
  const [selection, setSelection] = useState(opened);
  const isFixed = connection.viewed !== undefined;
  return (
    <>
      <PageHeader
        title={`Designer of ${connection.session.database}`}
        {...(!isFixed && {
          description:
            'Press what is to be changed. Drag a field or the handle of a table to another table for a link, and a table by its name to move it.',
        })}
      >
        <Anchor size="sm" href={hrefOf('schema')}>
          All definitions
        </Anchor>
        {!isFixed && schema.data !== undefined && (
          <Button variant="filled" onClick={() => setSelection({ kind: 'table' })}>
            New table
          </Button>
        )}
      </PageHeader>
      <LoadedContent of={schema} seenBy="system users of the database">
        {(loaded) => (
          <Design
            connection={connection}
            schema={loaded}
            selection={selection}
            onSelect={setSelection}
            onSaved={schema.reload}
          />
        )}
      </LoadedContent>
    </>
  );
}

interface DesignProperties {
  readonly connection: Connection;
  readonly schema: readonly SchemaTable[];
  readonly selection: Selection | undefined;
  onSelect(selection: Selection | undefined): void;
  onSaved(): void;
}

function Design({ connection, schema, selection: selected, onSelect, onSaved }: DesignProperties) {
  const pending = stagedEdits(connection);
  const edits = useStore(pending);
  const tables = useMemo(() => draftOf(schema, edits), [schema, edits]);
  const links = useMemo(() => linksOf(tables), [tables]);
  const within = tableOf(selected);
  // A table that was new is gone with its edit.
  const selection = within === undefined || tables.some(({ name }) => name === within) ? selected : undefined;
  const designer: Designer = {
    connection,
    schema,
    edits,
    tables,
    isFixed: connection.viewed !== undefined,
    stage(added, replaced) {
      pending.value = added.reduce((all, edit) => withEdit(all, edit, replaced), pending.value);
    },
    select: onSelect,
  };
  const saved = () => {
    onSelect(undefined);
    onSaved();
  };
  return (
    <>
      <SchemaChanges designer={designer} onSaved={saved} />
      <div className={selection === undefined ? 'designer' : 'designer open'}>
        {tables.length === 0 ? (
          selection === undefined && <NoTables />
        ) : (
          <div className="drawing">
            <SchemaPicture
              tables={tables}
              links={links}
              isEditable={!designer.isFixed}
              open={tableOf(selection)}
              places={boxPlaces(connection.session)}
              onSelect={onSelect}
            />
            <TableList designer={designer} links={links} />
          </div>
        )}
        {selection !== undefined && <SelectedPanel key={keyOf(selection)} designer={designer} selection={selection} />}
      </div>
    </>
  );
}

function tableOf(selection: Selection | undefined): string | undefined {
  return selection?.kind === 'link' ? selection.from.table : selection?.table;
}

/** Each thing that is opened has a form of its own. */
function keyOf(selection: Selection): string {
  const { kind } = selection;
  if (kind === 'link') return JSON.stringify([kind, selection.from.table, selection.from.field?.path, selection.to]);
  const part = kind === 'field' ? selection.field?.path : kind === 'index' ? selection.index?.name : '';
  return JSON.stringify([kind, selection.table, part]);
}

function TableList({
  designer: { tables, select },
  links,
}: {
  readonly designer: Designer;
  readonly links: readonly Link[];
}) {
  return (
    <>
      <h2>Tables and links</h2>
      <ul aria-label="Tables and links">
        {tables.map(({ name, kind, state }) => (
          <li key={name}>
            <button type="button" className="text-button" onClick={() => select({ kind: 'table', table: name })}>
              {name}
            </button>
            {kind.kind === 'RELATION' && ' (edges)'}
            {state !== 'same' && ` (${state})`}
            {links.filter(({ of }) => of === name).map((link) => ` · ${sentence(link)}`)}
          </li>
        ))}
      </ul>
    </>
  );
}

function sentence({ of, from, to, label }: Link): string {
  return of === from ? `${label} leads to ${to}` : `${label} comes from ${from}`;
}
