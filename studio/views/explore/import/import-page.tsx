/** Import of rows from CSV, JSON or NDJSON into a table: the file, the fields of its columns, a preview, and the import itself. */
import { Button, Group, Stack } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { CheckboxField, SelectField } from '../../../components/field.js';
import { Notice } from '../../../components/notice.js';
import { PageHeader } from '../../../components/page-header.js';
import { SuggestionField } from '../../../components/suggestion-field.js';
import { asError } from '../../../connection/as-error.js';
import { loadFields, type TableInfo } from '../../../connection/catalog.js';
import type { Connection } from '../../../connection/connection.js';
import { useLoaded } from '../../../connection/use-loaded.js';
import { topLevel } from '../columns.js';
import { rowsInWords } from '../rows.js';
import { guessType, type Mapping } from './column-types.js';
import { defaultMappings, typeFor } from './default-mappings.js';
import { ImportOutcome, importedInWords } from './import-outcome.js';
import { ImportPreview } from './import-preview.js';
import { CONFLICTS, type Conflict, type Imported, importRows } from './import-rows.js';
import { MappingTable } from './mapping-table.js';
import { SourceForm } from './source-form.js';
import { useSource } from './use-source.js';

interface Properties {
  readonly connection: Connection;
  readonly tables: readonly TableInfo[];
  /** Empty: it is still to be chosen. */
  readonly initialTable: string;
  /** After rows were stored. */
  onStored(): void;
}

interface Run {
  readonly imported: Imported;
  readonly state: 'running' | 'done' | 'cancelled';
}

export function ImportPage({ connection, tables, initialTable, onStored }: Properties) {
  const source = useSource();
  const [table, setTable] = useState(initialTable);
  const [changed, setChanged] = useState<readonly Mapping[]>();
  const [conflict, setConflict] = useState<Conflict>('refuse');
  const [keepsEmpty, setKeepsEmpty] = useState(false);
  const [run, setRun] = useState<Run>();
  const [error, setError] = useState('');
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);
  const info = tables.find(({ name }) => name === table);
  const names = useMemo(() => tables.map(({ name }) => name), [tables]);
  const loaded = useLoaded(
    async () => (info === undefined ? [] : loadFields(connection, info.name)),
    [connection, info],
  );
  const { read } = source;
  const fields = loaded.data ?? [];
  const definition = { fields, isSchemafull: info?.isSchemafull ?? false };
  const defaults = useMemo(() => defaultMappings(read, definition, names), [read, loaded.data, info, names]);
  useEffect(() => {
    setChanged(undefined);
    setRun(undefined);
  }, [read, table]);
  const mappings = changed ?? defaults;
  const target = useMemo(
    () => ({ table, isRelation: info?.isRelation ?? false, mappings, conflict, cells: { keepsEmpty } }),
    [table, info, mappings, conflict, keepsEmpty],
  );
  const isRunning = run?.state === 'running';
  const isReadOnly = connection.viewed !== undefined;
  const hasIds = mappings.some(({ field }) => field === 'id');
  const change = (at: number, part: Partial<Mapping>) => {
    const before = mappings[at] as Mapping;
    const guessed = part.field !== undefined && guessType(before.column, read.rows, names);
    // Another field has another type.
    const typed = guessed === false ? {} : typeFor(part.field ?? '', definition, guessed);
    setChanged(mappings.with(at, { ...before, ...typed, ...part }));
  };
  const start = async () => {
    running.current = new AbortController();
    const { signal } = running.current;
    const unread = { stored: 0, skipped: 0, refused: read.refused };
    setError('');
    setRun({ imported: unread, state: 'running' });
    const all = (so: Imported) => ({ ...so, refused: [...read.refused, ...so.refused] });
    try {
      const progress = (so: Imported) => setRun({ imported: all(so), state: 'running' });
      const imported = await importRows(connection, target, read.rows, { progress, signal });
      setRun({ imported: all(imported), state: signal.aborted ? 'cancelled' : 'done' });
    } catch (thrown) {
      setError(asError(thrown).message);
      setRun((last) => last && { ...last, state: 'cancelled' });
    }
    onStored();
  };
  return (
    <Stack component="section" aria-label="Import rows" gap="lg">
      <PageHeader title="Import rows" description="From CSV, JSON or NDJSON, into a table." />
      {isReadOnly && <Notice kind="information">A view is read-only: end it first.</Notice>}
      <SuggestionField
        label="Table"
        hint={table === '' || info !== undefined ? 'That the rows are stored in' : 'A new table'}
        value={table}
        suggestions={names}
        disabled={isRunning}
        onChange={setTable}
      />
      <SourceForm source={source} disabled={isRunning} />
      {read.columns.length > 0 && (
        <>
          <section aria-label="Columns">
            <h2>Columns</h2>
            <MappingTable
              mappings={mappings}
              rows={read.rows}
              fields={['id', ...topLevel(fields).map(({ name }) => name)]}
              tables={names}
              disabled={isRunning}
              onChange={change}
            />
          </section>
          <CheckboxField
            label="Empty cells of texts are empty texts"
            hint="Otherwise an empty cell is left out"
            checked={keepsEmpty}
            disabled={isRunning}
            onChange={setKeepsEmpty}
          />
          {table !== '' && (
            <section aria-label="Preview">
              <h2>Preview</h2>
              <ImportPreview connection={connection} target={target} rows={read.rows} />
            </section>
          )}
          <Group align="end">
            {hasIds && (
              <SelectField
                label="Where the id is there already"
                value={conflict}
                options={CONFLICTS}
                disabled={isRunning}
                onChange={setConflict}
              />
            )}
            <Button
              variant="filled"
              size="sm"
              disabled={isRunning || isReadOnly || table === '' || read.rows.length === 0}
              onClick={() => void start()}
            >
              {`Import ${rowsInWords(read.rows.length)}`}
            </Button>
            {isRunning && (
              <Button size="sm" onClick={() => running.current.abort()}>
                Cancel
              </Button>
            )}
          </Group>
        </>
      )}
      {error !== '' && <Notice kind="error">{error}</Notice>}
      {isRunning && <Progress imported={run.imported} of={read.rows.length} />}
      {run !== undefined && !isRunning && (
        <ImportOutcome
          table={table}
          imported={run.imported}
          isPartial={run.state === 'cancelled'}
          columns={read.columns}
          format={source.format}
        />
      )}
    </Stack>
  );
}

function Progress({ imported, of }: { readonly imported: Imported; readonly of: number }) {
  const { stored, skipped, refused } = imported;
  return (
    <Group role="status">
      <progress aria-label="Rows so far" max={of} value={stored + skipped + refused.length} />
      {importedInWords(imported)}
    </Group>
  );
}
