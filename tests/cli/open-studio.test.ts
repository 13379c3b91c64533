/** Which program opens the Studio. */
import { expect, it } from 'vitest';
import { browserCommand } from '../../src/cli/open-studio.js';

it.each([
  ['linux', {}, undefined],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  ['linux', { DISPLAY: 'localhost:10', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, undefined],
  ['darwin', {}, ['open']],
  ['darwin', { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, undefined],
  ['win32', {}, ['cmd', '/c', 'start', '']],
  ['linux', { BROWSER: 'firefox', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, ['firefox']],
] as const)('on %s with %j it is %j', (platform, environment, command) => {
  expect(browserCommand(platform, environment)).toEqual(command);
});
