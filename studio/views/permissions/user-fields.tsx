/** Which user is meant: a record user by an access method, a guest, or a system user of the database. */
import { Group } from '@mantine/core';
import { Field, SelectField } from '../../components/field.js';
import { SuggestionField } from '../../components/suggestion-field.js';
import type { ViewedUser } from '../../connection/viewed-user.js';

const KINDS: Readonly<Record<ViewedUser['kind'], string>> = {
  record: 'A record user',
  guest: 'A guest',
  viewer: 'A viewer of the database',
  editor: 'An editor of the database',
};

/** What is entered; record and access count for record users alone. */
export interface UserEntries {
  readonly kind: ViewedUser['kind'];
  readonly record: string;
  readonly access: string;
}

export const NO_ENTRIES: UserEntries = { kind: 'record', record: '', access: '' };

export function userOf({ kind, record, access }: UserEntries): ViewedUser {
  return kind === 'record' ? { kind, record, access } : { kind };
}

interface Properties {
  /** What the choice is called. */
  readonly label: string;
  readonly entries: UserEntries;
  readonly accesses: readonly string[];
  /** Tells the fields of several users on a page apart. */
  readonly suffix?: string;
  onChange(entries: UserEntries): void;
}

export function UserFields({ label, entries, accesses, suffix = '', onChange }: Properties) {
  const { kind, record, access } = entries;
  return (
    <Group align="end">
      <SelectField
        label={label}
        value={kind}
        options={KINDS}
        onChange={(chosen) => onChange({ ...entries, kind: chosen })}
      />
      {kind === 'record' && (
        <>
          <Field
            label={`Record${suffix}`}
            placeholder="person:1"
            value={record}
            onChange={(typed) => onChange({ ...entries, record: typed })}
            required
          />
          <SuggestionField
            label={`Signed in by access${suffix}`}
            value={access}
            onChange={(typed) => onChange({ ...entries, access: typed })}
            suggestions={accesses}
            required
          />
        </>
      )}
    </Group>
  );
}
