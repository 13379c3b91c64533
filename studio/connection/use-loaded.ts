/** Loads data for a component, and again whenever what it depends on changes. */
import { useCallback, useEffect, useState } from 'react';
import { asError } from './as-error.js';

export interface Loaded<Data> {
  /** `undefined` until the first answer. Stays while newer data is being loaded. */
  readonly data: Data | undefined;
  /** Why the last try failed. */
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  /** Loads it again. */
  reload(): void;
}

/** `load` runs when one of `dependencies` has changed. Only the answer to the latest call counts. */
export function useLoaded<Data>(load: () => Promise<Data>, dependencies: readonly unknown[]): Loaded<Data> {
  const [state, setState] = useState<Omit<Loaded<Data>, 'reload'>>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  useEffect(() => {
    let isLatest = true;
    setState((last) => ({ ...last, isLoading: true }));
    load().then(
      (data) => isLatest && setState({ data, error: undefined, isLoading: false }),
      (error: unknown) => isLatest && setState((last) => ({ ...last, error: asError(error), isLoading: false })),
    );
    return () => {
      isLatest = false;
    };
  }, [...dependencies, turn]);
  return { ...state, reload };
}
