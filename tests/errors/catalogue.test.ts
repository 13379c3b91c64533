import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CATALOGUE } from '../../src/errors/catalogue.js';

// The sections are spread into one object, where a code that two of them use would silently take the later one's text.
it('gives each code to one section', async () => {
  const owners = new Map<string, string[]>();
  for (const file of readdirSync('src/errors/sections')) {
    const stem = file.slice(0, -'.ts'.length);
    const section: Record<string, object> = await import(`../../src/errors/sections/${stem}.ts`);
    for (const rows of Object.values(section)) {
      if (typeof rows !== 'object') continue;
      for (const code of Object.keys(rows)) owners.set(code, [...(owners.get(code) ?? []), file]);
    }
  }
  expect([...owners].filter(([, files]) => files.length > 1)).toEqual([]);
  expect([...owners.keys()].sort()).toEqual(Object.keys(CATALOGUE).sort());
});
