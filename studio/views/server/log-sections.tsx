/** The log of the process that has answered: slow statements, and the last lines with a filter. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { DataTable } from '../../components/data-table.js';
import { Failure } from '../../components/failure.js';
import { Field, SelectField } from '../../components/field.js';
import { Loading } from '../../components/loading.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { type LogLine, loadLog } from './operator-requests.js';

/** Lines that are drawn at once; others are found by the filter. */
const MOST_SHOWN = 200;
type LevelChoice = 'all' | 'warn' | 'error';
const LEVELS: Readonly<Record<LevelChoice, string>> = {
  all: 'All levels',
  warn: 'Warnings and errors',
  error: 'Errors',
};

const SHOWN: Readonly<Record<LevelChoice, (level: string) => boolean>> = {
  all: () => true,
  warn: (level) => ['warn', 'error', 'fatal'].includes(level),
  error: (level) => ['error', 'fatal'].includes(level),
};

export function LogSections({ token }: { readonly token: string }) {
  const log = useLoaded(() => loadLog(token), [token]);
  if (log.error !== undefined) {
    return (
      <section>
        <h2>Log</h2>
        <Failure error={log.error} seenBy="owners of the root" />
      </section>
    );
  }
  if (log.data === undefined) return <Loading />;
  return (
    <>
      <SlowStatements lines={log.data} />
      <LastLines lines={log.data} reload={log.reload} />
    </>
  );
}

interface Properties {
  readonly lines: readonly LogLine[];
}

function SlowStatements({ lines }: Properties) {
  const slow = lines.filter(({ msg }) => msg === 'Slow statement');
  const milliseconds = ({ details }: LogLine) => Number(details['milliseconds']);
  return (
    <section>
      <h2>Slow statements</h2>
      <DataTable
        caption="Slow statements"
        rows={slow.toSorted((one, other) => milliseconds(other) - milliseconds(one)).slice(0, MOST_SHOWN)}
        keyOf={({ time }, at) => `${time} ${at}`}
        empty="None are among the last lines of the log. --slow-log-threshold 200ms logs those that take longer."
        columns={[
          { title: 'Time', cell: ({ time }) => new Date(time).toLocaleString() },
          { title: 'Took', align: 'end', cell: (line) => `${milliseconds(line)} ms` },
          { title: 'Statement', cell: ({ details }) => <code>{String(details['statement'] ?? '')}</code> },
          { title: 'User', cell: ({ details }) => String(details['user'] ?? '') },
          { title: 'Database', cell: ({ details }) => placeOf(details) },
          { title: 'Error', cell: ({ details }) => String(details['code'] ?? '') },
        ]}
      />
    </section>
  );
}

function placeOf({ namespace, database }: LogLine['details']): string {
  return [namespace, database].filter((part) => part !== undefined).join('/');
}

function LastLines({ lines, reload }: Properties & { reload(): void }) {
  const [search, setSearch] = useState('');
  const [level, setLevel] = useState<LevelChoice>('all');
  const words = search.trim().toLowerCase();
  const found = lines.filter((line) => SHOWN[level](line.level) && JSON.stringify(line).toLowerCase().includes(words));
  return (
    <section>
      <h2>Log</h2>
      <Group align="end" mb="sm">
        <Field label="Lines with" placeholder="a user, a request, an error" value={search} onChange={setSearch} />
        <SelectField label="Level" value={level} options={LEVELS} onChange={setLevel} />
        <Button aria-label="Load again: log" onClick={reload}>
          Load again
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {found.length} of the last {lines.length} lines
          {found.length > MOST_SHOWN && `, of which ${MOST_SHOWN} are shown`}
        </Text>
      </Group>
      <DataTable
        caption="Log"
        rows={found.slice(0, MOST_SHOWN)}
        keyOf={({ time }, at) => `${time} ${at}`}
        empty="No line is so."
        columns={[
          { title: 'Time', cell: ({ time }) => new Date(time).toLocaleString() },
          { title: 'Level', cell: (line) => line.level },
          { title: 'Message', cell: ({ msg }) => msg },
          { title: 'Details', cell: ({ details }) => <code>{detailsOf(details)}</code> },
        ]}
      />
    </section>
  );
}

function detailsOf(details: LogLine['details']): string {
  return Object.keys(details).length === 0 ? '' : JSON.stringify(details);
}
