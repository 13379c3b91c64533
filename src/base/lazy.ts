/** Values and libraries that are made on first use. */
import { createRequire } from 'node:module';

/** A value created on first use. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const load = createRequire(import.meta.url);

/**
 * A library loaded on first use, so that large and rarely used ones don't delay the start. `require` loads ES modules
 * as well (from Node 20.19 and 22.12 on), and keeps callers synchronous.
 *
 *     const parse5 = lazyLibrary<typeof import('parse5')>('parse5');
 *     parse5().parseFragment('<p>');
 */
export function lazyLibrary<Library extends object>(name: string): () => Library {
  return lazy(() => load(name) as Library);
}
