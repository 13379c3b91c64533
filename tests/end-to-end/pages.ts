/** Runs what a page of the documentation tells its readers to run, and compares what it says they will see. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve as absolute } from 'node:path';
import { ROOT_OF_PAGES, type ServerProcess } from '../support/server-process.js';

/** A fenced block of a page. What follows a command in a block of `json` or `text` is its output. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

export interface Step {
  readonly command: Block;
  readonly output: Block | undefined;
}

const COMMANDS = new Set(['sh', 'js', 'surql']);
const OUTPUTS = new Set(['json', 'text']);

/** The fenced blocks of a page, in their order. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  const text = readFileSync(page, 'utf8');
  for (const match of text.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    const line = text.slice(0, match.index).split('\n').length;
    blocks.push({ language: match[1] ?? '', text: match[2] ?? '', line });
  }
  return blocks;
}

const startsServer = ({ text }: Block) => /^(npm start|npx tessera start)\b/.test(text);
/** What a reader does once, to get the project and its clients. */
const installs = ({ text }: Block) => /^(git clone|npm (install|test))\b/.test(text);

/** The commands of a page in their order, without those that install or start something. */
export function stepsOf(page: string): Step[] {
  const blocks = blocksOf(page);
  return blocks.flatMap((command, at) => {
    if (!COMMANDS.has(command.language) || startsServer(command) || installs(command)) return [];
    const next = blocks[at + 1];
    return [{ command, output: next !== undefined && OUTPUTS.has(next.language) ? next : undefined }];
  });
}

/** What the page's own command tells the server: `memory --user root …`. */
export function startArguments(page: string): string[] | undefined {
  const command = blocksOf(page).find(startsServer)?.text.replaceAll('\\\n', ' ');
  return command
    ?.replace(/^(npm start --|npx tessera start)/, '')
    .trim()
    .split(/\s+/);
}

/** The output of each step. All run in one shell, so that what one step sets is there for the next. */
export async function runSteps(steps: readonly Step[], server: ServerProcess): Promise<string[]> {
  const script = [
    'set -euo pipefail',
    FUNCTIONS,
    ...steps.map(({ command }) => `${asShell(command, server)}\nprintf '${SEPARATOR}'`),
  ].join('\n');
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      'bash',
      ['-s'],
      { env: { ...process.env, URL: server.url, TESSERA: absolute('dist/bin/tessera.js') } },
      (error, stdout, stderr) => {
        const done = stdout.split('\u001e').length - 1;
        if (error === null) resolve(stdout);
        else reject(new Error(`The block at line ${steps[done]?.command.line} failed:\n${stdout}\n${stderr}`));
      },
    );
    child.stdin?.end(script);
  });
  return output.split('\u001e').slice(0, -1);
}
const SEPARATOR = '\\036';

/** The commands as pages name them. In a folder where `tessera dev` runs, they reach its server. */
const FUNCTIONS = `
npx() { "$@"; }
tessera() {
  case "$1" in
    version|validate|format|check|files|upgrade|copy|backup|verify|restore|config|completion|test|init) ;;
    dev) start_dev; return ;;
    *) [ -e .tessera ] || set -- "$@" --endpoint "$URL" ;;
  esac
  node "$TESSERA" "$@"
}
start_dev() {
  node "$TESSERA" dev --bind 127.0.0.1:0 >dev.log 2>&1 &
  trap "kill $!" EXIT
  until grep -q 'ran seed' dev.log; do
    kill -0 $! || { cat dev.log >&2; exit 1; }
    sleep 0.1
  done
}`;

function asShell({ language, text }: Block, server: ServerProcess): string {
  const address = new URL(server.url).host;
  const own = text.replaceAll('127.0.0.1:8000', address);
  if (language === 'sh') return own;
  // Node 20 has its WebSocket behind a flag.
  const node = process.version.startsWith('v20.') ? 'node --experimental-websocket --no-warnings' : 'node';
  const { user, pass } = ROOT_OF_PAGES;
  const command =
    language === 'js'
      ? `${node} --input-type=module`
      : `tessera sql --user ${user} --pass ${pass} --ns test --db test --json`;
  return `${command} <<'END_OF_BLOCK'\n${own}\nEND_OF_BLOCK`;
}

/** Without what differs from run to run: times, tokens, and ids that are made up. */
export function stable(text: string, language: string): unknown {
  const same = text
    .replace(/("time": ?")[^"]*"/g, '$1…"')
    .replace(/eyJ[\w-]*(\.[\w-]+)*(\.{3}|…)?/g, 'eyJ…')
    .replace(/\b(\w+):[a-z0-9]{20}\b/g, '$1:…')
    .replace(/\b(iat|nbf|exp)": ?\d+/g, '$1": 0')
    .replace(/"jti": ?"[^"]*"/g, '"jti": "…"')
    .trim();
  return language === 'json' ? (JSON.parse(same) as unknown) : same;
}
