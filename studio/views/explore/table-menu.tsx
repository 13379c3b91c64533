/** What else can be done with a table: rows are imported from a file, and exported to one. */
import { ActionIcon, Menu } from '@mantine/core';
import { KebabHorizontalIcon } from '@primer/octicons-react';
import { hrefOf } from '../../base/route.js';

interface Properties {
  readonly table: string;
  onExport(): void;
}

export function TableMenu({ table, onExport }: Properties) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="input-sm" aria-label={`More for ${table}`}>
          <KebabHorizontalIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={hrefOf('explore', ['import', table])}>
          Import rows…
        </Menu.Item>
        <Menu.Item onClick={onExport}>Export rows…</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
