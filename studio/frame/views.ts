/** All views of the Studio. A new one is a module in `views/` that exports `View`, and a line here; it is loaded when it is opened. */
import {
  CodeIcon,
  FileDirectoryIcon,
  GraphIcon,
  type Icon,
  PeopleIcon,
  PulseIcon,
  ShieldLockIcon,
  TableIcon,
  TerminalIcon,
  WorkflowIcon,
} from '@primer/octicons-react';
import type { FunctionComponent } from 'react';
import type { Level } from '../../pages/session.js';
import type { ViewProperties } from '../base/view-properties.js';
import { isSystemLevel } from '../connection/levels.js';

export interface ViewEntry {
  readonly title: string;
  readonly icon: Icon;
  /** Whether it can only be opened in a database. */
  readonly needsDatabase: boolean;
  /** Whether it asks with the token that the tab keeps, and so always as the user who is signed in. */
  readonly usesToken?: boolean;
  /** Whom it is offered to, where others would see nothing in it. Default: all. */
  readonly offeredTo?: 'system users' | 'signed-in users';
  /** Where in the documentation it is described. */
  readonly docs: string;
  /** What its pages are called by the parts of their addresses. */
  readonly parts?: Readonly<Record<string, string>>;
  /** The parts that users without roles are offered. Default: all. */
  readonly openParts?: readonly string[];
  load(): Promise<{ readonly View: FunctionComponent<ViewProperties> }>;
}

export const VIEWS: Readonly<Record<string, ViewEntry>> = {
  explore: {
    title: 'Explore',
    icon: TableIcon,
    docs: 'guides/studio#explore',
    needsDatabase: true,
    parts: { import: 'Import rows' },
    load: () => import('../views/explore/view.js'),
  },
  files: {
    title: 'Files',
    icon: FileDirectoryIcon,
    docs: 'guides/studio#files',
    needsDatabase: true,
    load: () => import('../views/files/view.js'),
  },
  query: {
    title: 'Query',
    icon: TerminalIcon,
    docs: 'guides/studio#query',
    needsDatabase: false,
    load: () => import('../views/query/view.js'),
  },
  schema: {
    title: 'Schema',
    icon: WorkflowIcon,
    docs: 'guides/studio#schema',
    offeredTo: 'system users',
    needsDatabase: true,
    parts: { designer: 'Designer' },
    load: () => import('../views/schema/view.js'),
  },
  permissions: {
    title: 'Permissions',
    icon: ShieldLockIcon,
    docs: 'guides/studio#permissions',
    offeredTo: 'system users',
    needsDatabase: true,
    load: () => import('../views/permissions/view.js'),
  },
  people: {
    title: 'People',
    icon: PeopleIcon,
    docs: 'guides/studio#people',
    offeredTo: 'signed-in users',
    needsDatabase: false,
    parts: {
      users: 'Users',
      accesses: 'Access methods',
      sessions: 'Sessions',
      attempts: 'Sign-in attempts',
      audit: 'Audit log',
    },
    openParts: ['sessions'],
    load: () => import('../views/people/view.js'),
  },
  api: {
    title: 'API',
    icon: CodeIcon,
    docs: 'guides/studio#api',
    offeredTo: 'system users',
    needsDatabase: true,
    load: () => import('../views/api/view.js'),
  },
  graphql: {
    title: 'GraphQL',
    icon: GraphIcon,
    docs: 'guides/studio#graphql',
    needsDatabase: true,
    usesToken: true,
    load: () => import('../views/graphql/view.js'),
  },
  server: {
    title: 'Server',
    icon: PulseIcon,
    docs: 'guides/studio#server',
    offeredTo: 'system users',
    needsDatabase: false,
    usesToken: true,
    load: () => import('../views/server/view.js'),
  },
};

/** The view that is shown first. */
export const FIRST_VIEW = 'explore';

/** Whether users of a level are offered it. */
export function isOfferedTo(level: Level, { offeredTo }: ViewEntry): boolean {
  return offeredTo === undefined || isSystemLevel(level) || (offeredTo === 'signed-in users' && level === 'record');
}

/** The view of an address; `undefined` if there is none of this name. */
export function viewNamed(name: string): ViewEntry | undefined {
  return Object.hasOwn(VIEWS, name) ? VIEWS[name] : undefined;
}
