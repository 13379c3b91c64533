/** Runs a statement for a component, which shows what became of it. */
import { useState } from 'react';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';

export interface Run {
  readonly isRunning: boolean;
  /** Why the server refused it. */
  readonly error: Error | undefined;
  run(statement: string): void;
}

/** `done` is called when a statement has run. */
export function useRun(connection: Connection, done: () => void): Run {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<Error>();
  const run = (statement: string) => {
    setRunning(true);
    setError(undefined);
    connection.query(statement).then(done, (thrown: unknown) => {
      setError(asError(thrown));
      setRunning(false);
    });
  };
  return { isRunning, error, run };
}
