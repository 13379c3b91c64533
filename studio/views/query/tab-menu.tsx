/** What can be done with the tab that is shown. */
import { Button, Group, Menu, Stack } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';

interface Properties {
  readonly name: string;
  onRename(name: string): void;
  /** Moves it by a number of places. */
  onMove(by: number): void;
  canMove(by: number): boolean;
  onClose(): void;
}

export function TabMenu({ name, onRename, onMove, canMove, onClose }: Properties) {
  const [renamed, setRenamed] = useState<string>();
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button variant="subtle" aria-label={`Actions of the tab ${name}`}>
            …
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setRenamed(name)}>Rename</Menu.Item>
          <Menu.Item disabled={!canMove(-1)} onClick={() => onMove(-1)}>
            Move left
          </Menu.Item>
          <Menu.Item disabled={!canMove(1)} onClick={() => onMove(1)}>
            Move right
          </Menu.Item>
          <Menu.Item onClick={onClose}>Close</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {renamed !== undefined && (
        <Dialog title="Rename the tab" onClose={() => setRenamed(undefined)}>
          <Stack
            component="form"
            onSubmit={(event) => {
              event.preventDefault();
              onRename(renamed.trim());
              setRenamed(undefined);
            }}
          >
            <Field label="Name of the tab" value={renamed} onChange={setRenamed} />
            <Group justify="end">
              <Button type="submit" variant="filled" disabled={renamed.trim() === ''}>
                Rename
              </Button>
            </Group>
          </Stack>
        </Dialog>
      )}
    </>
  );
}
