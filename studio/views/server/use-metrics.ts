/** Asks for the server's metrics every few seconds while the page is visible, and keeps the last readings. */
import { useEffect, useState } from 'react';
import { asError } from '../../connection/as-error.js';
import type { Reading } from './figures.js';
import { parseMetrics } from './metrics-text.js';

/** Milliseconds between two readings; between the first ones, so that rates are there at once. */
const INTERVAL = 3000;
const FIRST_INTERVAL = 500;
/** Readings after which the usual interval begins. */
const FIRST_READINGS = 3;
/** Readings that are kept: three minutes. */
export const KEPT_READINGS = 60;

export interface MetricsState {
  readonly readings: readonly Reading[];
  readonly error: Error | undefined;
}

export function useMetrics(token: string): MetricsState {
  const [state, setState] = useState<MetricsState>({ readings: [], error: undefined });
  useEffect(() => {
    let isShown = true;
    let timer: number | undefined;
    let asked = 0;
    const ask = async () => {
      if (document.visibilityState === 'visible') {
        try {
          const reading = await read(token);
          if (isShown) {
            setState(({ readings }) => ({ readings: [...readings, reading].slice(-KEPT_READINGS), error: undefined }));
          }
        } catch (thrown) {
          if (isShown) setState((last) => ({ ...last, error: asError(thrown) }));
        }
      }
      if (isShown) timer = setTimeout(ask, ++asked < FIRST_READINGS ? FIRST_INTERVAL : INTERVAL);
    };
    void ask();
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [token]);
  return state;
}

async function read(token: string): Promise<Reading> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch('/metrics', { headers, credentials: 'omit', cache: 'no-store' });
  if (answer.status === 404) throw new Error('The route /metrics is switched off at this server.');
  if (!answer.ok) throw new Error(`The server doesn’t give its metrics (status ${answer.status}).`);
  return { at: performance.now(), samples: parseMetrics(await answer.text()) };
}
