/** A live query until it is stopped: what it sends, the latest first, or a result that is kept right. */
import { Button, Group, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { LiveMessage, Uuid } from 'surrealdb';
import { DataTable } from '../../components/data-table.js';
import { Value } from '../../components/value.js';
import type { Connection } from '../../connection/connection.js';
import { ValueResult } from './value-result.js';

/** Older ones are dropped. */
const MOST = 200;

interface Properties {
  readonly connection: Connection;
  readonly id: unknown;
}

interface Arrival {
  readonly number: number;
  readonly message: LiveMessage;
}

/** It is live once its messages are received. */
type State = 'Starting' | 'Live' | 'Ended';

/** Follows a live query as long as it is shown: how it goes, and what stops it. */
function useFollowed(
  connection: Connection,
  id: unknown,
  take: (message: LiveMessage) => void,
): { readonly state: State; readonly stop: () => void } {
  const [state, setState] = useState<State>('Starting');
  const stop = useRef<() => void>(() => {});
  useEffect(() => {
    let isShown = true;
    void connection
      .follow(id as Uuid, (message) => {
        if (message.action === 'KILLED') setState('Ended');
        take(message);
      })
      .then((ending) => {
        stop.current = ending;
        if (!isShown) ending();
        else setState((now) => (now === 'Starting' ? 'Live' : now));
      });
    return () => {
      isShown = false;
      stop.current();
    };
  }, [connection, id]);
  return {
    state,
    stop: () => {
      stop.current();
      setState('Ended');
    },
  };
}

function LiveState({ state, stop }: { readonly state: State; readonly stop: () => void }) {
  return (
    <Group>
      <span role="status">{state}</span>
      {state === 'Live' && <Button onClick={stop}>Stop</Button>}
    </Group>
  );
}

export function LiveResult({ connection, id }: Properties) {
  const [messages, setMessages] = useState<readonly Arrival[]>([]);
  const { state, stop } = useFollowed(connection, id, (message) => {
    setMessages((last) => [{ number: (last[0]?.number ?? 0) + 1, message }, ...last].slice(0, MOST));
  });
  return (
    <Stack>
      <LiveState state={state} stop={stop} />
      <DataTable
        caption="What the live query has sent"
        rows={messages}
        empty={state === 'Starting' ? '' : 'Nothing has changed yet.'}
        keyOf={({ number }) => number}
        columns={[
          { title: 'Action', cell: ({ message }) => message.action },
          { title: 'Record', cell: ({ message }) => <Value value={message.recordId} /> },
          { title: 'Value', cell: ({ message }) => <Value value={message.value} /> },
        ]}
      />
    </Stack>
  );
}

/** A LIVE QUERY of `[(…)]`: in a list of its own the result comes whole each time. */
export function textToKeep(statement: string): string {
  return `LIVE QUERY [(${statement.trim().replace(/;+$/, '')}\n)]`;
}

/** The answer of `textToKeep`, and each later result. */
export function KeptResult({ connection, answer }: { readonly connection: Connection; readonly answer: unknown }) {
  const { id, result } = answer as { readonly id: unknown; readonly result: readonly unknown[] };
  const [value, setValue] = useState(result[0]);
  const { state, stop } = useFollowed(connection, id, ({ action, value: changed }) => {
    if (action === 'UPDATE') setValue((changed as unknown as readonly unknown[])[0]);
  });
  return (
    <Stack>
      <LiveState state={state} stop={stop} />
      <ValueResult value={value} />
    </Stack>
  );
}
