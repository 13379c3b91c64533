/** API: how programs sign in, read, write and subscribe, for one table and one kind of user. */
import { Group, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { go } from '../../base/route.js';
import type { ViewProperties } from '../../base/view-properties.js';
import { CopiedText } from '../../components/copied-text.js';
import { Failure } from '../../components/failure.js';
import { SelectField } from '../../components/field.js';
import { Loading } from '../../components/loading.js';
import { NoTables } from '../../components/no-tables.js';
import { Notice } from '../../components/notice.js';
import { PageHeader } from '../../components/page-header.js';
import { loadTableParts } from '../../connection/definitions.js';
import type { TableParts } from '../../connection/table-parts.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { loadAccesses } from '../people/accesses.js';
import { type Caller, callersOf } from './caller.js';
import { isPossible, type Language, rightTo, type Subject, TASK_NAMES, TASKS, type Task } from './language.js';
import { LANGUAGES, type LanguageName } from './languages.js';
import { tableUse } from './table-use.js';

export function View({ connection, path: [, named = ''] }: ViewProperties) {
  const { data, error } = useLoaded(async () => {
    const [tables, accesses] = await Promise.all([loadTableParts(connection), loadAccesses(connection)]);
    return { tables, callers: callersOf(accesses) };
  }, [connection]);
  return (
    <>
      <PageHeader title="API" description="How a program uses a table, with its fields, under the rules of a user." />
      {error !== undefined ? (
        <Failure error={error} seenBy="system users of the database" />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <Snippets {...data} named={named} place={{ server: location.origin, ...placeOf(connection.session) }} />
      )}
    </>
  );
}

function placeOf({ namespace, database }: ViewProperties['connection']['session']) {
  return { namespace, database };
}

interface Properties {
  readonly tables: readonly TableParts[];
  readonly callers: ReadonlyMap<string, Caller>;
  /** The table that the address names; any if there is none of this name. */
  readonly named: string;
  readonly place: Subject['place'];
}

function Snippets({ tables, callers, named, place }: Properties) {
  const [first = ''] = callers.keys();
  const [as, setAs] = useState(first);
  const [language, setLanguage] = useState<LanguageName>('javascript');
  const table = tables.find(({ name }) => name === named) ?? tables[0];
  const caller = callers.get(as);
  if (table === undefined || caller === undefined) return <NoTables />;
  const subject: Subject = { place, caller, use: tableUse(table, tables, caller) };
  return (
    <Stack>
      <Group align="end">
        <SelectField
          label="Table"
          value={table.name}
          options={Object.fromEntries(tables.map(({ name }) => [name, name]))}
          onChange={(name) => go('api', ['table', name])}
        />
        <SelectField
          label="Signed in as"
          value={as}
          options={Object.fromEntries([...callers.keys()].map((name) => [name, name]))}
          onChange={setAs}
        />
      </Group>
      <Tabs value={language} onChange={(value) => setLanguage(value as LanguageName)} keepMounted={false}>
        <Tabs.List aria-label="Language">
          {Object.entries(LANGUAGES).map(([name, { title }]) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={language} pt="md">
          <Stack>
            <Text size="sm">{LANGUAGES[language].about}</Text>
            {TASK_NAMES.map((task) => (
              <TaskSnippet key={task} task={task} language={LANGUAGES[language]} subject={subject} />
            ))}
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

interface TaskProperties {
  readonly task: Task;
  readonly language: Language;
  readonly subject: Subject;
}

function TaskSnippet({ task, language, subject }: TaskProperties) {
  const { title } = TASKS[task];
  const { use } = subject;
  const right = rightTo(task, use);
  if (!isPossible(task, use)) {
    const reason =
      right === false ? 'PERMISSIONS refuse it to this user' : 'there is no field that this user may change';
    return (
      <Notice kind="information">
        {title}: {reason}.
      </Notice>
    );
  }
  const code = language.write[task](subject);
  if (code === '') return null;
  return (
    <div>
      <CopiedText title={title} text={code} />
      {typeof right === 'string' && (
        <Text size="sm" c="dimmed">
          Of records for which <code>{right}</code>.
        </Text>
      )}
    </div>
  );
}
