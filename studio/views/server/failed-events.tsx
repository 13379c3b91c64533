/** The asynchronous events of the database that failed after their last retry: run again, or discarded. */
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { DateTime, RecordId } from 'surrealdb';
import { Confirmation } from '../../components/confirmation.js';
import { DataTable } from '../../components/data-table.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { Time } from '../../components/time.js';
import { Value } from '../../components/value.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';

interface FailedEventFacts {
  readonly id: number;
  readonly event: string;
  readonly table: string;
  readonly action: string;
  readonly record?: RecordId;
  readonly error: string;
  readonly attempts: number;
  readonly at: DateTime;
  /** Whether its records were kept. */
  readonly retryable: boolean;
}

/** What is about to be done: with one of them, or with all. */
interface Intent {
  readonly does: 'RETRY' | 'KILL';
  readonly one?: FailedEventFacts;
}

export function FailedEvents({ connection }: { readonly connection: Connection }) {
  const failed = useLoaded(async () => {
    const [list] = await connection.query<[readonly FailedEventFacts[]]>('INFO FOR EVENTS');
    return list;
  }, [connection]);
  const [intent, setIntent] = useState<Intent>();
  const isEmpty = failed.data === undefined || failed.data.length === 0;
  return (
    <section>
      <Group justify="space-between">
        <h2>Failed events</h2>
        <Group>
          <Button disabled={isEmpty} onClick={() => setIntent({ does: 'RETRY' })}>
            Run all again
          </Button>
          <Button aria-label="Load again: failed events" onClick={failed.reload}>
            Load again
          </Button>
        </Group>
      </Group>
      <LoadedContent of={failed} seenBy="owners of the database">
        {(loaded) => (
          <DataTable
            caption="Failed events"
            rows={loaded}
            keyOf={({ id }) => id}
            empty="No asynchronous event has failed, or all of them were run again."
            columns={[
              { title: 'Event', cell: ({ event, table }) => `${event} on ${table}` },
              { title: 'Of', cell: ({ action, record }) => <Raised action={action} record={record} /> },
              { title: 'Error', cell: ({ error }) => error },
              { title: 'Attempts', align: 'end', cell: ({ attempts }) => attempts },
              { title: 'At', cell: ({ at }) => <Time at={at} /> },
              { title: 'Actions', cell: (one) => <Actions of={one} onChoose={setIntent} /> },
            ]}
          />
        )}
      </LoadedContent>
      {intent !== undefined && (
        <IntentDialog
          connection={connection}
          intent={intent}
          onClose={() => {
            setIntent(undefined);
            failed.reload();
          }}
        />
      )}
    </section>
  );
}

function Raised({ action, record }: { readonly action: string; readonly record: RecordId | undefined }) {
  return (
    <>
      {action} {record !== undefined && <Value value={record} />}
    </>
  );
}

function Actions({ of, onChoose }: { readonly of: FailedEventFacts; onChoose(intent: Intent): void }) {
  return (
    <Group wrap="nowrap">
      <Button
        disabled={!of.retryable}
        title={of.retryable ? undefined : 'Its records were too large to be kept'}
        aria-label={`Run event ${of.id} again`}
        onClick={() => onChoose({ does: 'RETRY', one: of })}
      >
        Run again
      </Button>
      <Button
        variant="outline"
        color="red"
        aria-label={`Discard event ${of.id}`}
        onClick={() => onChoose({ does: 'KILL', one: of })}
      >
        Discard
      </Button>
    </Group>
  );
}

interface IntentDialogProperties {
  readonly connection: Connection;
  readonly intent: Intent;
  onClose(): void;
}

function IntentDialog({ connection, intent: { does, one }, onClose }: IntentDialogProperties) {
  const act = () =>
    one === undefined ? connection.query(`${does} EVENTS`) : connection.query(`${does} EVENT $id`, { id: one.id });
  const runs = does === 'RETRY';
  return (
    <Confirmation
      title={runs ? 'Run again?' : 'Discard this event?'}
      action={runs ? 'Run again' : 'Discard'}
      act={act}
      onClose={onClose}
    >
      <p>
        {runs
          ? 'It runs soon, as the event is defined now and with the record as it was. What fails again is listed again.'
          : 'What the event should have done is not done.'}
      </p>
    </Confirmation>
  );
}
