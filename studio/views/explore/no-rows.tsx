/** A table without rows, or without any that meet the filter, and what to do about it. */
import { Button, EmptyState } from '@mantine/core';
import { FilterRemoveIcon, RowsIcon } from '@primer/octicons-react';
import { hrefOf } from '../../base/route.js';

interface Properties {
  readonly table: string;
  readonly filter: string;
  /** Opens the form of a new row, where rows may be made. */
  onAdd?(): void;
}

export function NoRows({ table, filter, onAdd }: Properties) {
  if (filter !== '') {
    return (
      <EmptyState icon={<FilterRemoveIcon size={32} />} title="No row meets the filter">
        <EmptyState.Actions>
          <Button component="a" href={hrefOf('explore', ['table', table])}>
            Show all rows
          </Button>
        </EmptyState.Actions>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<RowsIcon size={32} />} title="There are no rows yet">
      {onAdd !== undefined && (
        <EmptyState.Actions>
          <Button onClick={onAdd}>Add the first row</Button>
        </EmptyState.Actions>
      )}
    </EmptyState>
  );
}
