/** What each language is shown by: one snippet for each task. */
import type { Clause } from '../../connection/table-parts.js';
import type { Place } from '../people/sign-up-calls.js';
import type { Caller } from './caller.js';
import type { TableUse } from './table-use.js';

/** In the order in which they are shown; `right` is the action that PERMISSIONS may refuse. */
export const TASKS = {
  signIn: { title: 'Sign in', right: undefined },
  read: { title: 'Read', right: 'select' },
  create: { title: 'Create', right: 'create' },
  change: { title: 'Change', right: 'update' },
  remove: { title: 'Delete', right: 'delete' },
  subscribe: { title: 'Subscribe', right: 'select' },
} as const;

export type Task = keyof typeof TASKS;
export const TASK_NAMES = Object.keys(TASKS) as readonly Task[];

/** What a snippet is about. */
export interface Subject {
  readonly place: Place;
  readonly caller: Caller;
  readonly use: TableUse;
}

export interface Language {
  readonly title: string;
  /** What is needed before. */
  readonly about: string;
  /** The code of each task; empty: nothing is to be done for it, as `about` says. */
  readonly write: Readonly<Record<Task, (subject: Subject) => string>>;
}

/** What the user may do: refused by a clause, or everything, or what meets a condition. */
export function rightTo(task: Task, { rights }: TableUse): Clause {
  const { right } = TASKS[task];
  return right === undefined ? true : rights[right];
}

/** Whether there is anything to write for a task. */
export function isPossible(task: Task, use: TableUse): boolean {
  return rightTo(task, use) !== false && !(task === 'change' && use.changed.length === 0);
}
