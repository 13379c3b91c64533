/** A live query: what it sends, the latest first, until it is stopped. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LiveMessage, Uuid } from 'surrealdb';
import { Button } from '../../components/button.js';
import { Table } from '../../components/table.js';
import { Value } from '../../components/value.js';
import type { Connection } from '../../connection/connection.js';

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

export function LiveResult({ connection, id }: Properties) {
  const [messages, setMessages] = useState<readonly Arrival[]>([]);
  const [state, setState] = useState<State>('Starting');
  const stop = useRef<() => void>(() => {});
  useEffect(() => {
    let count = 0;
    let isShown = true;
    void connection
      .follow(id as Uuid, (message) => {
        count++;
        const number = count;
        setMessages((last) => [{ number, message }, ...last].slice(0, MOST));
        if (message.action === 'KILLED') setState('Ended');
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
  return (
    <div class="stack">
      <div class="row">
        <span role="status">{state}</span>
        {state === 'Live' && (
          <Button
            onClick={() => {
              stop.current();
              setState('Ended');
            }}
          >
            Stop
          </Button>
        )}
      </div>
      <Table
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
    </div>
  );
}
