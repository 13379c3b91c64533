/** A field for a link to a record: typed as its id, or found by its id or its first text. */
import { Autocomplete, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { findLinked } from './linked-records.js';

interface Properties {
  readonly connection: Connection;
  readonly label: string;
  readonly hint: string;
  /** The codes of their names. */
  readonly tables: readonly string[];
  readonly value: string;
  onChange(value: string): void;
}

export function RecordPicker({ connection, label, hint, tables, value, onChange }: Properties) {
  const [isOpen, setOpen] = useState(false);
  const [typed] = useDebouncedValue(value, PAUSE);
  const found = useLoaded(async () => {
    if (!isOpen) return [];
    const lists = await Promise.all(tables.map((table) => findLinked(connection, table, typed)));
    return lists.flat().slice(0, 20);
  }, [connection, tables.join(), typed, isOpen]);
  const names = new Map(found.data?.map(({ code, name }) => [code, name]));
  return (
    <Autocomplete
      label={label}
      description={hint}
      classNames={{ input: 'mono' }}
      placeholder="Find a record"
      spellCheck={false}
      data={[...names.keys()]}
      onDropdownOpen={() => setOpen(true)}
      error={found.error?.message}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <span>
          {option.value}{' '}
          <Text span c="dimmed" size="sm">
            {names.get(option.value)}
          </Text>
        </span>
      )}
      value={value}
      onChange={onChange}
    />
  );
}

/** In milliseconds, so that not every letter is searched for. */
const PAUSE = 150;
