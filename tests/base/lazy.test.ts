import { describe, expect, it } from 'vitest';
import { toAscii } from '../../src/base/ascii.js';
import { lazyLibrary } from '../../src/base/lazy.js';

describe('lazyLibrary', () => {
  it('loads a library when it is asked for, once', () => {
    const library = lazyLibrary<typeof import('node:path')>('node:path');
    expect(library().posix.join('a', 'b')).toBe('a/b');
    expect(library()).toBe(library());
  });

  it('loads modules of the newer kind, too', () => {
    expect(toAscii('Łódź')).toBe('Lodz');
  });

  it('fails when it is asked for what is not there, not before', () => {
    const library = lazyLibrary('no-such-library');
    expect(library).toThrow(/no-such-library/);
    expect(library).toThrow(/no-such-library/);
  });
});
