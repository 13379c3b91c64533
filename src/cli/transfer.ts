/** `tessera export` and `tessera import`: whole databases as text, streamed between a server and a file. */
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { OWNER_ONLY } from '../base/private-file.js';
import { EXPORT_SECTIONS, type ExportSection, type ExportSelection } from '../ddl/export/selection.js';
import type { ConnectionOptions } from './client/connection.js';
import { begin, bodyText, responseError } from './client/http-client.js';
import { countingBytes, Progress } from './progress.js';

/** Where it reads and writes; the process's own, unless a test has others. */
export interface TransferStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Where progress is shown, if that is a terminal. */
  readonly errors: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

export interface ExportOptions extends ConnectionOptions, Partial<Record<ExportSection, true>> {
  /** Nothing but what is named. */
  readonly only?: true;
  /** All of them, or those of these names. */
  readonly tables?: true | readonly string[];
  readonly records: boolean;
  /** The files of the buckets. Default: with records, unless `only` is set. */
  readonly files?: boolean;
}

/**
 * Writes an export to a file, or to the output for `-` and without one. A file is there under its name only when it is
 * complete.
 * @throws ServerError, and what the network and the file system throw
 */
export async function runExport(
  file: string | undefined,
  options: ExportOptions,
  streams: TransferStreams,
): Promise<void> {
  const { request, response } = begin(options, 'POST', '/export', { 'content-type': 'application/json' });
  request.end(JSON.stringify(selectionOf(options)));
  const answer = await response;
  if (answer.statusCode !== 200) throw responseError(answer, await bodyText(answer));
  const progress = new Progress('Exported', streams.errors);
  if (file === undefined || file === '-')
    await pipeline(answer, countingBytes(progress), streams.output, { end: false });
  else await writeFile(answer, file, progress);
  progress.end();
}

async function writeFile(answer: IncomingMessage, file: string, progress: Progress): Promise<void> {
  const unfinished = `${file}.unfinished`;
  try {
    await pipeline(answer, countingBytes(progress), createWriteStream(unfinished, { flush: true, mode: OWNER_ONLY }));
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

function selectionOf(options: ExportOptions): ExportSelection {
  const { only = false, tables = !only, records, files = !only && records } = options;
  const sections = EXPORT_SECTIONS.map((section) => [section, !only || options[section] === true] as const);
  return { ...Object.fromEntries(sections), tables, records, files };
}

/**
 * Runs the statements of a file, or of the input for `-`.
 * @throws ServerError with the place of what failed, and what the network and the file system throw
 */
export async function runImport(file: string, options: ConnectionOptions, streams: TransferStreams): Promise<void> {
  const isFile = file !== '-';
  const total = isFile ? (await stat(file)).size : undefined;
  const source: NodeJS.ReadableStream = isFile ? createReadStream(file) : streams.input;
  const progress = new Progress('Imported', streams.errors, total);
  const { request, response } = begin(options, 'POST', '/import', { 'content-type': 'text/plain; charset=utf-8' });
  // Whichever fails first, the file or the network, takes the other with it.
  let isLost = false;
  request.once('error', () => {
    isLost = true;
  });
  let unreadable: unknown;
  source.once('error', (error: unknown) => {
    if (!isLost) unreadable = error;
  });
  // A server that has found something wrong answers before it has read all of it.
  const sent = pipeline(source, countingBytes(progress), request).catch((error: unknown) => error);
  const answer = await response.catch((error: unknown) => {
    throw unreadable ?? error;
  });
  const text = await bodyText(answer);
  if (answer.statusCode !== 200) {
    request.destroy();
    throw responseError(answer, text);
  }
  await sent;
  progress.end();
}
