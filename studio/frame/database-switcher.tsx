/** Says which database is shown, and switches: to a recent one, to one that is found by its name, or to a new one. */
import { Button, Combobox, useCombobox } from '@mantine/core';
import { ChevronDownIcon, DatabaseIcon, PlusIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { toast } from '../components/toast.js';
import { asError } from '../connection/as-error.js';
import type { Connection } from '../connection/connection.js';
import { type DatabaseName, recentDatabases } from '../session/recent-databases.js';
import { choose, type SignedIn } from '../session/session.js';
import { createDatabase, loadDatabases } from './databases.js';

interface Properties {
  readonly session: SignedIn;
  readonly connection: Connection | undefined;
}

/** Listed at once; others are found by typing. */
const MOST = 50;

export function DatabaseSwitcher({ session, connection }: Properties) {
  const [search, setSearch] = useState('');
  const [all, setAll] = useState<readonly DatabaseName[]>([]);
  const combobox = useCombobox({
    onDropdownOpen: () => {
      setSearch('');
      combobox.focusSearchInput();
      if (connection !== undefined) void loadDatabases(connection).then(setAll);
    },
    onDropdownClose: () => combobox.focusTarget(),
  });
  const { level, namespace, database } = session;
  // The token of such a user is good in their own database alone.
  const isFixed = level === 'database' || level === 'record' || connection?.viewed !== undefined;
  const isFound = (name: DatabaseName) => textOf(name).toLowerCase().includes(search.trim().toLowerCase());
  const recent = recentDatabases().filter(
    (name) => isFound(name) && (level !== 'namespace' || name.namespace === namespace),
  );
  const others = all.filter((name) => isFound(name) && !recent.some((one) => textOf(one) === textOf(name)));
  const typed = databaseTyped(search, namespace);
  const isNew = typed !== undefined && ![...recent, ...all].some((name) => textOf(name) === textOf(typed));
  const submit = async (value: string) => {
    const [kind, name] = JSON.parse(value) as ['open' | 'create', DatabaseName];
    combobox.closeDropdown();
    try {
      if (kind === 'create' && connection !== undefined) await createDatabase(connection, name);
      choose(name.namespace, name.database);
    } catch (error) {
      toast(asError(error).message);
    }
  };
  const option = (name: DatabaseName) => (
    <Combobox.Option key={textOf(name)} value={JSON.stringify(['open', name])}>
      {textOf(name)}
    </Combobox.Option>
  );
  const shown = database === '' ? namespace || 'Choose a database' : `${namespace} / ${database}`;
  return (
    <Combobox store={combobox} width={320} position="bottom-start" onOptionSubmit={(value) => void submit(value)}>
      <Combobox.Target withAriaAttributes={false}>
        <Button
          className="database"
          aria-label={`Database: ${shown}`}
          disabled={isFixed}
          leftSection={<DatabaseIcon size={16} />}
          rightSection={<ChevronDownIcon size={16} />}
          onClick={() => combobox.toggleDropdown()}
        >
          {shown}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          aria-label="Find a database"
          placeholder="Find or name: namespace / database"
          value={search}
          onChange={(event) => {
            setSearch(event.currentTarget.value);
            combobox.updateSelectedOptionIndex();
          }}
        />
        <Combobox.Options aria-label="Databases" mah="50vh" className="scrolling">
          {recent.length > 0 && <Combobox.Group label="Recent">{recent.map(option)}</Combobox.Group>}
          {others.length > 0 && <Combobox.Group label="All">{others.slice(0, MOST).map(option)}</Combobox.Group>}
          {isNew && (
            <Combobox.Option value={JSON.stringify([level === 'guest' ? 'open' : 'create', typed])}>
              <PlusIcon size={14} /> {level === 'guest' ? 'Open' : 'Create'} {textOf(typed)}
            </Combobox.Option>
          )}
          {recent.length + others.length === 0 && !isNew && <Combobox.Empty>Type a name to make one</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function textOf({ namespace, database }: DatabaseName): string {
  return `${namespace} / ${database}`;
}

/** `shop / music`, or `music` in the namespace that is shown. */
function databaseTyped(search: string, shown: string): DatabaseName | undefined {
  const [first = '', second, ...more] = search.split('/').map((part) => part.trim());
  const [namespace, database] = second === undefined ? [shown, first] : [first, second];
  return namespace === '' || database === '' || more.length > 0 ? undefined : { namespace, database };
}
