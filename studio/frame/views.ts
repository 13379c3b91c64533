/** All views of the Studio. A new one is a module in `views/` that exports `View`, and a line here; it is loaded when it is opened. */
import type { FunctionComponent } from 'preact';
import type { ViewProperties } from '../base/view-properties.js';

export interface ViewEntry {
  readonly title: string;
  /** Whether it can only be opened in a database. */
  readonly needsDatabase: boolean;
  /** Whether it asks with the token that the tab keeps, and so always as the user who is signed in. */
  readonly usesToken?: boolean;
  load(): Promise<{ readonly View: FunctionComponent<ViewProperties> }>;
}

export const VIEWS: Readonly<Record<string, ViewEntry>> = {
  explore: { title: 'Explore', needsDatabase: true, load: () => import('../views/explore/view.js') },
  query: { title: 'Query', needsDatabase: false, load: () => import('../views/query/view.js') },
  schema: { title: 'Schema', needsDatabase: true, load: () => import('../views/schema/view.js') },
  permissions: { title: 'Permissions', needsDatabase: true, load: () => import('../views/permissions/view.js') },
  people: { title: 'People', needsDatabase: false, load: () => import('../views/people/view.js') },
  graphql: {
    title: 'GraphQL',
    needsDatabase: true,
    usesToken: true,
    load: () => import('../views/graphql/view.js'),
  },
  server: {
    title: 'Server',
    needsDatabase: false,
    usesToken: true,
    load: () => import('../views/server/view.js'),
  },
};

/** The view that is shown first. */
export const FIRST_VIEW = 'explore';
