import { expect, it } from 'vitest';
import { withoutSecrets } from '../../src/cli/process-title.js';

it.each<[string, string]>([
  ['start ./data --user root --pass secret', 'start ./data --user root --pass …'],
  ['start --pass=secret ./data', 'start --pass=… ./data'],
  ['sql -u root -p secret --ns test', 'sql -u root -p … --ns test'],
  ['sql -psecret -t abc', 'sql -p… -t …'],
  ['export --username root --password secret', 'export --username root --password …'],
  ['sql --token abc.def --pretty', 'sql --token … --pretty'],
  ['start --pass --token', 'start --pass …'],
  ['start postgres://ann:secret@host/db?password=secret', 'start postgres://ann:…@host/db?password=…'],
  ['start --pass-file root.pass --passphrase-file x', 'start --pass-file root.pass --passphrase-file x'],
  ['version', 'version'],
])('%s', (line, shown) => {
  expect(withoutSecrets(line.split(' ')).join(' ')).toBe(shown);
});
