import { createRequire } from 'node:module';

/** What is made when it is first asked for, and then kept. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const load = createRequire(import.meta.url);

/**
 * A library that is loaded at once when it is first asked for, and not at the start: what is large and rarely needed would make every
 * start wait for it. `require` loads modules of both kinds (from Node 20.19 and 22.12 on), and lets its callers stay synchronous.
 *
 *     const parse5 = lazyLibrary<typeof import('parse5')>('parse5');
 *     parse5().parseFragment('<p>');
 */
export function lazyLibrary<Library extends object>(name: string): () => Library {
  return lazy(() => load(name) as Library);
}
