/**
 * The history and the saved queries, in the browser's localStorage. What looks as if there were a secret in it is never kept, nor are the
 * values of parameters, nor results.
 */
import { readKeptList, writeKeptList } from '../../base/kept.js';
import { isKeepable } from './keepable.js';

export interface SavedQuery {
  readonly name: string;
  readonly text: string;
}

const HISTORY = 'tessera:studio:history';
const SAVED = 'tessera:studio:saved';
const LONGEST_HISTORY = 50;
const MOST_SAVED = 200;

/** The statements that were run, the latest first. */
export function history(): readonly string[] {
  return readKeptList(HISTORY).filter((entry) => typeof entry === 'string');
}

export function addToHistory(text: string): void {
  if (!isKeepable(text)) return;
  writeKeptList(HISTORY, [text, ...history().filter((entry) => entry !== text)].slice(0, LONGEST_HISTORY));
}

export function clearHistory(): void {
  writeKeptList(HISTORY, []);
}

export function savedQueries(): readonly SavedQuery[] {
  return readKeptList(SAVED).filter(
    (entry): entry is SavedQuery =>
      typeof (entry as SavedQuery)?.name === 'string' && typeof (entry as SavedQuery).text === 'string',
  );
}

/** A query of the same name is replaced. */
export function saveQuery(query: SavedQuery): void {
  writeKeptList(SAVED, [query, ...savedQueries().filter(({ name }) => name !== query.name)].slice(0, MOST_SAVED));
}

export function removeQuery(name: string): void {
  writeKeptList(
    SAVED,
    savedQueries().filter((query) => query.name !== name),
  );
}
