import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * A library that is loaded at once when it is first asked for, and not at the start: what is large and rarely needed would make every
 * start wait for it. `require` loads modules of both kinds, and lets its callers stay synchronous.
 *
 *     const parse5 = lazyLibrary<typeof import('parse5')>('parse5');
 *     parse5().parseFragment('<p>');
 */
export function lazyLibrary<Library>(name: string): () => Library {
  let library: Library | undefined;
  return () => {
    library ??= load(name) as Library;
    return library;
  };
}
