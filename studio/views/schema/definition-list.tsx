/** Definitions of a kind, with their statements. */
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { type Column, DataTable } from '../../components/data-table.js';
import type { Connection } from '../../connection/connection.js';
import type { Definition } from '../../connection/definitions.js';
import { overwriting, removal } from '../../connection/statements.js';
import { StatementDialog } from './statement-dialog.js';
import { TextDialog } from './text-dialog.js';

interface Properties {
  readonly title: string;
  readonly connection: Connection;
  readonly definitions: readonly Definition[];
  /** What stands in the column of names; the name, unless it is given. */
  nameOf?(definition: Definition): ReactNode;
  /** What is shown of them; their statements, unless it is given. */
  readonly columns?: readonly Column<Definition>[];
  /** Buttons beside the heading. */
  readonly children?: ReactNode;
  /** Something has changed. */
  onChange(): void;
}

/** Shows the whole statement. */
export const STATEMENT: Column<Definition> = {
  title: 'Statement',
  cell: ({ statement }) => <code className="statement">{statement}</code>,
};

interface Opened {
  readonly dialog: 'edit' | 'remove';
  readonly definition: Definition;
}

export function DefinitionList(properties: Properties) {
  const { title, connection, definitions, nameOf, columns = [STATEMENT], children, onChange } = properties;
  const [opened, setOpened] = useState<Opened>();
  const id = useId();
  const close = () => setOpened(undefined);
  const done = () => {
    close();
    onChange();
  };
  return (
    <section aria-labelledby={id} className="definitions">
      <Group>
        <h2 id={id}>{title}</h2>
        {children}
      </Group>
      <DataTable
        caption={title}
        rows={definitions}
        empty="None"
        keyOf={({ name }) => name}
        columns={[
          { title: 'Name', cell: (definition) => nameOf?.(definition) ?? <code>{definition.name}</code> },
          ...columns,
          {
            title: 'Actions',
            cell: (definition) => (
              <Group component="span" gap="xs" wrap="nowrap">
                <Button
                  aria-label={`Edit ${definition.name}`}
                  onClick={() => setOpened({ dialog: 'edit', definition })}
                >
                  Edit
                </Button>
                <Button
                  variant="outline"
                  color="red"
                  aria-label={`Remove ${definition.name}`}
                  onClick={() => setOpened({ dialog: 'remove', definition })}
                >
                  Remove
                </Button>
              </Group>
            ),
          },
        ]}
      />
      {opened?.dialog === 'edit' && (
        <TextDialog
          title={`Edit ${opened.definition.name}`}
          connection={connection}
          statement={overwriting(opened.definition.statement)}
          onClose={close}
          onDone={done}
        />
      )}
      {opened?.dialog === 'remove' && (
        <StatementDialog
          title={`Remove ${opened.definition.name}?`}
          connection={connection}
          statement={removal(opened.definition)}
          action="Remove"
          isDangerous
          onClose={close}
          onDone={done}
        >
          {opened.definition.kind === 'TABLE' && <p>All its records are deleted with it.</p>}
        </StatementDialog>
      )}
    </section>
  );
}
