/** Reads a Dockerfile, and runs its steps in folders that take the place of the file systems of its stages. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** Without comments; lines that end in a backslash go on. */
export function readDockerfile(path: string): Instruction[] {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
      return { word, rest };
    });
}

/** A stage, and what it says of how it is run. */
export interface Stage {
  /** The folder that is its file system. */
  readonly root: string;
  workdir: string;
  readonly environment: Record<string, string>;
  /** Of USER, ENTRYPOINT and the like, the last one. */
  readonly metadata: Map<string, string>;
}

export interface BuildOptions {
  /** The folder of `COPY` without `--from`. */
  readonly context: string;
  newFolder(): string;
  /** Stages that are there already, by their names. */
  readonly given?: ReadonlyMap<string, Stage>;
}

/**
 * Runs all steps but those of stages that are given; answers the last stage. Owners of files, users and the base image
 * are left out: the programs of this machine are used.
 */
export function build(instructions: readonly Instruction[], { context, newFolder, given }: BuildOptions): Stage {
  const stages = new Map(given);
  let stage: Stage | undefined;
  let isGiven = false;
  for (const { word, rest } of instructions) {
    if (word === 'FROM') {
      const [, name = ''] = /\bAS (\w+)$/.exec(rest) ?? [];
      isGiven = stages.has(name);
      stage = stages.get(name) ?? newStage(newFolder());
      stages.set(name, stage);
    } else if (stage !== undefined && !isGiven) step(stage, { word, rest }, { context, stages });
  }
  if (stage === undefined) throw new Error('no stage');
  return stage;
}

export function newStage(root: string): Stage {
  return { root, workdir: '/', environment: {}, metadata: new Map() };
}

interface Places {
  readonly context: string;
  readonly stages: ReadonlyMap<string, Stage>;
}

function step(stage: Stage, { word, rest }: Instruction, places: Places): void {
  switch (word) {
    case 'WORKDIR':
      stage.workdir = rest;
      mkdirSync(join(stage.root, rest), { recursive: true });
      return;
    case 'ENV':
      for (const pair of rest.split(/\s+/)) {
        const [name = '', value = ''] = pair.split(/=(.*)/);
        stage.environment[name] = value;
      }
      return;
    case 'COPY':
      copy(stage, rest, places);
      return;
    case 'RUN':
      mkdirSync(join(stage.root, 'usr/local/bin'), { recursive: true });
      execFileSync('sh', ['-euc', withinRoot(stage, rest)], {
        cwd: join(stage.root, stage.workdir),
        env: { ...process.env, ...stage.environment },
        stdio: 'pipe',
      });
      return;
    default:
      stage.metadata.set(word, rest);
  }
}

/** A text with whole paths replaced by those in the folder of the stage. */
export function withinRoot({ root }: Stage, text: string): string {
  return text.replace(/(^|[\s=])(\/[\w./-]+)/g, (_, before: string, path: string) => before + join(root, path));
}

function copy(stage: Stage, rest: string, { context, stages }: Places): void {
  const words = rest.split(/\s+/);
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const source = from === undefined ? context : stages.get(from)?.root;
  if (source === undefined) throw new Error(`There is no stage ${from}`);
  const paths = words.filter((word) => !word.startsWith('--'));
  const destination = join(stage.root, resolve(stage.workdir, paths.at(-1) ?? ''));
  for (const path of paths.slice(0, -1)) {
    for (const found of expand(join(source, path))) {
      const isInto = statSync(found).isFile() && existsSync(destination) && statSync(destination).isDirectory();
      mkdirSync(dirname(destination), { recursive: true });
      cpSync(found, isInto ? join(destination, basename(found)) : destination, {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }
}

/** The files that a path with `*` in its last part means. */
function expand(path: string): string[] {
  if (!path.includes('*')) return [path];
  const pattern = new RegExp(`^${basename(path).replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  const found = readdirSync(dirname(path)).filter((name) => pattern.test(name));
  if (found.length === 0) throw new Error(`There is no ${path}`);
  return found.map((name) => join(dirname(path), name));
}
