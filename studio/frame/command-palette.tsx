/** The command palette (Ctrl-K): goes to a table, a record by its id or a view, and does what the frame can do. */
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight } from '@mantine/spotlight';
import { SearchIcon, SunIcon } from '@primer/octicons-react';
import { useState } from 'react';
import type { Level } from '../../pages/session.js';
import { useStore } from '../base/store.js';
import { loadTables } from '../connection/catalog.js';
import type { Connection } from '../connection/connection.js';
import { type Command, commandsFor, viewCommands } from './commands.js';
import { manual } from './manual.js';
import { useOfferedViews } from './offered-views.js';

interface Properties {
  readonly level: Level;
  readonly connection: Connection | undefined;
}

export function CommandPalette({ level, connection }: Properties) {
  const { toggleColorScheme } = useMantineColorScheme();
  const [typed, setTyped] = useState('');
  const [tables, setTables] = useState<readonly string[]>([]);
  const readTables = () => {
    if (connection === undefined || connection.session.database === '') return;
    // Users who may not list the tables open them by record ids.
    void loadTables(connection)
      .catch(() => [])
      .then((found) => setTables(found.map(({ name }) => name)));
  };
  const own: readonly Command[] = [{ title: 'Switch between light and dark', icon: SunIcon, run: toggleColorScheme }];
  const groups = commandsFor(typed, {
    views: viewCommands(useOfferedViews(level)),
    tables,
    pages: useStore(manual),
    own,
  });
  return (
    <Spotlight.Root
      query={typed}
      onQueryChange={setTyped}
      onSpotlightOpen={readTables}
      shortcut="mod + K"
      tagsToIgnore={[]}
      triggerOnContentEditable
      scrollable
      maxHeight="60vh"
    >
      <Spotlight.Search
        aria-label="Find or do something"
        placeholder="A table, a record such as person:ann, a view, an action"
        leftSection={<SearchIcon size={20} />}
      />
      <Spotlight.ActionsList>
        {groups.map(({ title, commands }) => (
          <Spotlight.ActionsGroup key={title} label={title}>
            {commands.map(({ title: label, icon: Icon, run }) => (
              <Spotlight.Action key={label} label={label} leftSection={<Icon size={20} />} onClick={run} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && <Spotlight.Empty>Nothing is called so.</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
