import { describe, expect, it } from 'vitest';
import { Derived } from '../../src/base/derived.js';

describe('what is derived of objects', () => {
  it('is kept with each of them, in a table of its own', () => {
    const [lengths, shouts] = [new Derived<{ text: string }, number>(), new Derived<{ text: string }, string>()];
    const [one, other] = [{ text: 'one' }, { text: 'other' }];
    lengths.set(one, 3);
    lengths.set(other, 5);
    shouts.set(one, 'ONE');
    expect([lengths.get(one), lengths.get(other)]).toEqual([3, 5]);
    expect([shouts.get(one), shouts.get(other)]).toEqual(['ONE', undefined]);
    lengths.set(one, 4);
    expect(lengths.get(one)).toBe(4);
  });

  it('is not taken over by copies', () => {
    const lengths = new Derived<{ text: string }, number>();
    const one = { text: 'one' };
    lengths.set(one, 3);
    expect(lengths.get({ ...one, text: 'another' })).toBeUndefined();
  });

  it('shows in nothing that lists the object', () => {
    const lengths = new Derived<{ text: string }, number>();
    const one = { text: 'one' };
    lengths.set(one, 3);
    expect(Object.keys(one)).toEqual(['text']);
    expect(JSON.stringify(one)).toBe('{"text":"one"}');
  });
});
