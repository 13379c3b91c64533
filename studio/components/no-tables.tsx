/** A database without tables, and what to do first in it. */
import { Button, EmptyState } from '@mantine/core';
import { TableIcon } from '@primer/octicons-react';
import { hrefOf } from '../base/route.js';

interface Properties {
  /** Opens the dialog that reads a file. */
  onImport?(): void;
}

export function NoTables({ onImport }: Properties) {
  return (
    <EmptyState
      icon={<TableIcon size={40} />}
      title="There are no tables yet"
      description="Define a table, write statements that make one, or import a file of statements."
    >
      <EmptyState.Actions>
        <Button component="a" variant="filled" href={hrefOf('schema', ['designer', 'new-table'])}>
          Define the first table
        </Button>
        <Button component="a" href={hrefOf('query')}>
          Write a query
        </Button>
        {onImport !== undefined && <Button onClick={onImport}>Import a file</Button>}
      </EmptyState.Actions>
    </EmptyState>
  );
}
