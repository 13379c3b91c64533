/**
 * The tabs of queries of a database, which the browser keeps: their names, texts and order. A text that looks as if there were a secret in
 * it is kept as an empty one, as in the history.
 */
import { readKeptList, writeKeptList } from '../../base/kept.js';
import { isKeepable } from './keepable.js';

export interface QueryTab {
  /** Of the page, not kept. */
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

const MOST_TABS = 30;

/** The ids that were given. */
let given = 0;

function keyOf(namespace: string, database: string): string {
  return `tessera:studio:tabs:${JSON.stringify([namespace, database])}`;
}

/** At least one. */
export function keptTabs(namespace: string, database: string): readonly QueryTab[] {
  const found = readKeptList(keyOf(namespace, database)).flatMap((entry) => {
    const { name, text } = (entry ?? {}) as Partial<QueryTab>;
    return typeof name === 'string' && typeof text === 'string' ? [{ name, text }] : [];
  });
  const tabs = found.length === 0 ? [{ name: 'Query 1', text: '' }] : found.slice(0, MOST_TABS);
  return tabs.map((tab) => ({ ...tab, id: ++given }));
}

export function keepTabs(namespace: string, database: string, tabs: readonly QueryTab[]): void {
  const kept = tabs.map(({ name, text }) => ({ name, text: isKeepable(text) ? text : '' }));
  writeKeptList(keyOf(namespace, database), kept.slice(0, MOST_TABS));
}

/** A new one at the end, with the first number that no name has. */
export function withNewTab(tabs: readonly QueryTab[]): readonly QueryTab[] {
  const names = new Set(tabs.map(({ name }) => name));
  let number = 1;
  while (names.has(`Query ${number}`)) number++;
  return [...tabs, { id: ++given, name: `Query ${number}`, text: '' }];
}

/** With a tab moved by a number of places. */
export function withMovedTab(tabs: readonly QueryTab[], tab: QueryTab, by: number): readonly QueryTab[] {
  const at = tabs.indexOf(tab);
  return tabs.toSpliced(at, 1).toSpliced(at + by, 0, tab);
}
