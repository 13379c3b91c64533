/** Exporting and importing the whole database as text, over HTTP, since it may be larger than a message. */
import { encodeHeaders, headersOf } from '../../../pages/server.js';
import type { SignedIn } from '../../session/session.js';

/** Called with the bytes so far. */
export type Progress = (bytes: number) => void;

/** The database as statements. @throws Error with what the server says */
export async function exportDatabase(session: SignedIn, progress: Progress, signal: AbortSignal): Promise<Blob> {
  const answer = await fetch('/export', { headers: encodeHeaders(headersOf(session)), credentials: 'omit', signal });
  if (!answer.ok || answer.body === null) throw new Error(reasonOf(await answer.text(), answer.status));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = answer.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value);
    bytes += next.value.length;
    progress(bytes);
  }
  return new Blob(parts, { type: 'text/plain' });
}

/** Runs the statements of a file. `XMLHttpRequest`, since `fetch` doesn't say how much it has sent. @throws Error with what the server says */
export function importFile(session: SignedIn, file: Blob, progress: Progress, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', '/import');
    const headers = { ...headersOf(session), accept: 'application/json' };
    for (const [name, value] of Object.entries(encodeHeaders(headers))) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded }) => progress(loaded));
    request.addEventListener('error', () => reject(new Error('The connection was lost')));
    request.addEventListener('abort', () => reject(new Error('The import was cancelled')));
    request.addEventListener('load', () => {
      if (request.status === 200) resolve();
      else reject(new Error(reasonOf(request.responseText, request.status)));
    });
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function reasonOf(body: string, status: number): string {
  try {
    return (JSON.parse(body) as { readonly information?: string }).information ?? `The server answered ${status}`;
  } catch {
    return `The server answered ${status}`;
  }
}
