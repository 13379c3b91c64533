/** Asks a server for its health; gives what is wrong, or nothing. */
export async function isReady(endpoint: string): Promise<string | undefined> {
  const url = new URL(endpoint.replace(/^ws/, 'http'));
  url.pathname = `${url.pathname.replace(/\/(rpc)?$/, '')}/health`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return response.ok ? undefined : `The server answers with status ${response.status}`;
  } catch {
    return `No server answers at ${endpoint}`;
  }
}
