/** Chooses which columns of a table are shown. That of the id always is, since it leads to the record. */
import { Button, Menu } from '@mantine/core';

interface Properties {
  readonly columns: readonly string[];
  readonly hidden: readonly string[];
  onChange(hidden: readonly string[]): void;
}

export function ColumnMenu({ columns, hidden, onChange }: Properties) {
  const absent = columns.filter((name) => hidden.includes(name)).length;
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Button>{absent === 0 ? 'Columns' : `Columns (${absent} hidden)`}</Button>
      </Menu.Target>
      <Menu.Dropdown className="column-choices">
        {columns
          .filter((name) => name !== 'id')
          .map((name) => (
            <Menu.CheckboxItem
              key={name}
              checked={!hidden.includes(name)}
              onChange={(isShown) => onChange(isShown ? hidden.filter((other) => other !== name) : [...hidden, name])}
            >
              {name}
            </Menu.CheckboxItem>
          ))}
        <Menu.Divider />
        <Menu.Item disabled={hidden.length === 0} onClick={() => onChange([])}>
          Show all columns
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
