/** Finds the Studio of a server, and a browser for it. */
import { spawn } from 'node:child_process';
import { CommandError } from './command-error.js';
import { httpAddress, isReady } from './is-ready.js';

/** Prints the address, and opens it where there is a browser. @throws CommandError where no server is ready */
export async function openStudio(endpoint: string, output: NodeJS.WritableStream): Promise<void> {
  const { state, text } = await isReady(endpoint);
  if (state !== 'ready') throw new CommandError(text);
  const url = httpAddress(endpoint, 'studio').href;
  output.write(`${url}\n`);
  const command = browserCommand(process.platform, process.env);
  if (command === undefined) return;
  const [program, ...words] = command;
  // It outlives this process. Where it can't be started, the address has been printed.
  const browser = spawn(program, [...words, url], { detached: true, stdio: 'ignore' });
  browser.on('error', () => undefined);
  browser.unref();
}

/** The program that opens an address, with its first words; `undefined` where there is no screen to show it on. */
export function browserCommand(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): readonly [program: string, ...words: string[]] | undefined {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = environment;
  if (BROWSER) return [BROWSER];
  if (SSH_CONNECTION) return undefined;
  if (platform === 'darwin') return ['open'];
  // The empty word is the title of a window, for which it would take the address otherwise.
  if (platform === 'win32') return ['cmd', '/c', 'start', ''];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}
