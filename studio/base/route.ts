/**
 * The route: `#/explore/table/person?namespace=shop&database=music&filter=age+%3E+30`, in the fragment of the address,
 * which browsers send to no server; what is secret never stands in it.
 */
import { Store } from './store.js';

export interface Route {
  /** The name of the view: the first part. */
  readonly view: string;
  /** The parts after it. */
  readonly path: readonly string[];
  /** Where the view is; empty if the address doesn't say. */
  readonly namespace: string;
  readonly database: string;
  /** A condition in SurrealQL that rows of a table have to meet; empty: none. */
  readonly filter: string;
}

export const route = new Store<Route>(readRoute(location.hash));

addEventListener('hashchange', () => {
  route.value = readRoute(location.hash);
});

function readRoute(hash: string): Route {
  const [path = '', ...rest] = hash.replace(/^#\/?/, '').split('?');
  const named = new URLSearchParams(rest.join('?'));
  const [view = '', ...parts] = path.split('/').map(decoded);
  const of = (name: string) => named.get(name) ?? '';
  return {
    view,
    path: parts.filter((part) => part !== ''),
    namespace: of('namespace'),
    database: of('database'),
    filter: of('filter'),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a place in a view of the database that is shown. */
export function hrefOf(view: string, path: readonly string[] = [], filter = ''): string {
  const { namespace, database } = route.value;
  return addressOf({ view, path, namespace, database, filter });
}

function addressOf({ view, path, ...named }: Route): string {
  const given = Object.entries(named).filter(([, value]) => value !== '');
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${[view, ...path].map(encodeURIComponent).join('/')}${query}`;
}

export function go(view: string, path: readonly string[] = [], filter = ''): void {
  location.hash = hrefOf(view, path, filter);
}

/** Has the address name this database, without an entry of its own in the browser's history. */
export function nameDatabase(namespace: string, database: string): void {
  const shown = route.value;
  if (shown.namespace === namespace && shown.database === database) return;
  const named = { ...shown, namespace, database };
  history.replaceState(history.state, '', addressOf(named));
  route.value = named;
}
