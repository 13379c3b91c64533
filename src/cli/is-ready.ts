/** `tessera isready`, for the health checks of containers. */

export type Readiness = 'ready' | 'unready' | 'silent' | 'unknown';

/** As in `pg_isready`. */
export const READINESS_EXIT_CODES: Readonly<Record<Readiness, number>> = {
  ready: 0,
  unready: 1,
  silent: 2,
  unknown: 3,
};

const DEADLINE = 5_000;

/** Asks a server for its health. */
export async function isReady(endpoint: string): Promise<{ readonly state: Readiness; readonly text: string }> {
  let url: URL;
  try {
    url = httpAddress(endpoint, 'health');
  } catch (error) {
    return { state: 'unknown', text: (error as Error).message };
  }
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE) });
    return response.ok
      ? { state: 'ready', text: 'OK' }
      : { state: 'unready', text: `The server answers with status ${response.status}` };
  } catch {
    return { state: 'silent', text: `No server answers at ${endpoint}` };
  }
}

/** The URL of a route of the server at an endpoint by WebSocket or HTTP, with `/rpc` or without. */
export function httpAddress(endpoint: string, route: string): URL {
  if (!URL.canParse(endpoint) || !/^(ws|http)s?:$/.test(new URL(endpoint).protocol)) {
    throw new Error(`"${endpoint}" must begin with ws://, wss://, http:// or https://`);
  }
  const url = new URL(endpoint.replace(/^ws/, 'http'));
  url.pathname = `${url.pathname.replace(/\/(rpc)?$/, '')}/${route}`;
  return url;
}
