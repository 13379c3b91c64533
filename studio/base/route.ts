/**
 * The route: `#/explore/person`, in the fragment of the address, which browsers send to no server; what is secret
 * never stands in it.
 */
import { signal } from '@preact/signals';

export interface Route {
  /** The name of the view: the first part. */
  readonly view: string;
  /** The parts after it. */
  readonly path: readonly string[];
}

export const route = signal<Route>(readRoute(location.hash));

addEventListener('hashchange', () => {
  route.value = readRoute(location.hash);
});

function readRoute(hash: string): Route {
  const [view = '', ...path] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  return { view, path: path.filter((part) => part !== '') };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a place in a view. */
export function hrefOf(view: string, path: readonly string[] = []): string {
  return `#/${[view, ...path].map(encodeURIComponent).join('/')}`;
}

export function go(view: string, path: readonly string[] = []): void {
  location.hash = hrefOf(view, path);
}
