/** What the command palette finds: views, tables, a record by its id, actions, and pages of the documentation. */
import { BookIcon, FileIcon, type Icon, SignOutIcon, TableIcon } from '@primer/octicons-react';
import { go } from '../base/route.js';
import { leave } from '../session/session.js';
import type { ManualPage } from './manual.js';
import type { OfferedView } from './offered-views.js';

export interface Command {
  readonly title: string;
  readonly icon: Icon;
  run(): void;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** Tables that are listed at once; others are found by typing. */
const MOST = 8;

/** `person:ann` */
const RECORD_ID = /^\s*[^\s:]+:\S/;

/** What there is to find. */
interface Known {
  readonly views: readonly Command[];
  /** Their names. */
  readonly tables: readonly string[];
  /** Pages of the documentation. */
  readonly pages: readonly ManualPage[];
  /** Actions of the page that asks. */
  readonly own: readonly Command[];
}

/** The commands that match what is typed, in groups that aren't empty. */
export function commandsFor(typed: string, { views, tables, pages, own }: Known): readonly CommandGroup[] {
  const words = typed.trim().toLowerCase().split(/\s+/);
  const isFound = ({ title }: Command) => words.every((word) => title.toLowerCase().includes(word));
  const groups: readonly CommandGroup[] = [
    { title: 'Record', commands: RECORD_ID.test(typed) ? [openRecord(typed.trim())] : [] },
    { title: 'Tables', commands: tables.map(openTable).filter(isFound).slice(0, MOST) },
    { title: 'Views', commands: views.filter(isFound) },
    { title: 'Actions', commands: [...own, ...ACTIONS].filter(isFound) },
    { title: 'Documentation', commands: pages.map(openManual).filter(isFound).slice(0, MOST) },
  ];
  return groups.filter(({ commands }) => commands.length > 0);
}

function openRecord(id: string): Command {
  return { title: `Open ${id}`, icon: FileIcon, run: () => go('explore', ['record', id]) };
}

function openTable(table: string): Command {
  return { title: table, icon: TableIcon, run: () => go('explore', ['table', table]) };
}

/** In a tab of its own, since it is read beside the work. */
function openManual({ title, href }: ManualPage): Command {
  return { title: `Read: ${title}`, icon: BookIcon, run: () => void open(href, '_blank', 'noopener') };
}

/** The views, and the parts of each. */
export function viewCommands(views: readonly OfferedView[]): readonly Command[] {
  return views.flatMap(([name, { title, icon, parts = {} }]) => [
    { title, icon, run: () => go(name) },
    ...Object.entries(parts).map(([part, partTitle]) => ({
      title: `${title}: ${partTitle}`,
      icon,
      run: () => go(name, [part]),
    })),
  ]);
}

const ACTIONS: readonly Command[] = [{ title: 'Sign out', icon: SignOutIcon, run: () => leave() }];
