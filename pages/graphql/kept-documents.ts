/**
 * Documents that were written, kept with the tab: there are passwords among what one writes in them. Headers are never kept.
 */
import { tabStorage } from '../session.js';

export interface KeptDocument {
  readonly document: string;
  readonly variables: string;
}

/** What was being written, as it was left: at least one document, one of which is open. */
export interface KeptTabs {
  readonly documents: readonly KeptDocument[];
  readonly open: number;
}

const TABS = 'tessera:graphql-tabs';
const HISTORY = 'tessera:graphql-history';
const MOST_KEPT = 50;
/** Characters of a document that is kept in the history, at most. */
const LONGEST = 20_000;

export function keptTabs(): KeptTabs | undefined {
  return read<KeptTabs>(TABS);
}

export function keepTabs(tabs: KeptTabs): void {
  write(TABS, tabs);
}

/** Those that were run, the latest first. */
export function history(): readonly KeptDocument[] {
  return read<readonly KeptDocument[]>(HISTORY) ?? [];
}

export function addToHistory(kept: KeptDocument): void {
  if (kept.document.length + kept.variables.length > LONGEST) return;
  const others = history().filter(({ document, variables }) => {
    return document !== kept.document || variables !== kept.variables;
  });
  write(HISTORY, [kept, ...others].slice(0, MOST_KEPT));
}

function read<T>(key: string): T | undefined {
  const text = tabStorage()?.getItem(key) ?? null;
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** What finds no room isn't kept. */
function write(key: string, value: unknown): void {
  try {
    tabStorage()?.setItem(key, JSON.stringify(value));
  } catch {
    tabStorage()?.removeItem(key);
  }
}
