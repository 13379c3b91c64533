/** `tessera migrate`: what each of its commands prints. */
import type { RpcClient } from '../client/rpc-client.js';
import { withTarget } from '../target.js';
import type { TargetOptions } from '../target-options.js';
import { terminalText } from '../terminal-text.js';
import { applyMigrations, tryMigrations } from './apply.js';
import { type Difference, diffMigrations } from './diff.js';
import { readMigrations } from './files.js';
import { readJournal } from './journal.js';
import { MIGRATE_EXIT_CODES, type MigrationPlan, planMigrations } from './plan.js';
import { undoLast } from './undo.js';

export interface MigrateOptions extends TargetOptions {
  /** The folder of the files. */
  readonly dir: string;
  readonly json?: boolean;
}

/** Runs `work` with a WebSocket: transactions of several requests belong to a connection, which HTTP has none of. */
export function withConnection<T>(options: TargetOptions, work: (client: RpcClient) => Promise<T>): Promise<T> {
  return withTarget({ ...options, endpoint: options.endpoint.replace(/^http/, 'ws') }, work);
}

/** All answer the exit code. @throws CommandError, ServerError, TesseraError, Error of the file system */
export async function runApply(
  { dryRun, ...options }: MigrateOptions & { readonly dryRun?: boolean },
  output: NodeJS.WritableStream,
): Promise<number> {
  const files = readMigrations(options.dir);
  const done: string[] = [];
  const report = ({ name }: { readonly name: string }) => {
    done.push(name);
    if (options.json !== true) output.write(`${dryRun === true ? 'would apply' : 'applied'} ${name}\n`);
  };
  await withConnection(options, async (client) => {
    if (dryRun !== true) await applyMigrations(client, files, report);
    else for (const migration of await tryMigrations(client, files)) report(migration);
  });
  if (options.json === true) output.write(`${JSON.stringify({ [dryRun === true ? 'pending' : 'applied']: done })}\n`);
  else if (done.length === 0) output.write('nothing to apply\n');
  return dryRun === true && done.length > 0 ? MIGRATE_EXIT_CODES.outstanding : 0;
}

/** Undoes the migration that was applied last. Resolves with the exit code: 0. @throws as `undoLast` */
export async function runDown(
  { dryRun, ...options }: MigrateOptions & { readonly dryRun?: boolean },
  output: NodeJS.WritableStream,
): Promise<number> {
  const undone = await withConnection(options, (client) => undoLast(client, options.dir, { dryRun }));
  if (options.json === true)
    output.write(`${JSON.stringify({ [dryRun === true ? 'last' : 'undone']: undone ?? null })}\n`);
  else if (undone === undefined) output.write('nothing to undo\n');
  else output.write(`${dryRun === true ? 'would undo' : 'undone'} ${undone}\n`);
  return 0;
}

/** Prints applied and pending migrations. Resolves with the exit code: 0, or one of `MIGRATE_EXIT_CODES`. */
export async function runStatus(options: MigrateOptions, output: NodeJS.WritableStream): Promise<number> {
  const files = readMigrations(options.dir);
  const plan = await withConnection(options, async (client) => planMigrations(files, await readJournal(client)));
  output.write(options.json === true ? `${JSON.stringify(statusAsJson(plan))}\n` : terminalText(statusAsText(plan)));
  if (plan.drift.length > 0) return MIGRATE_EXIT_CODES.drift;
  return plan.pending.length > 0 ? MIGRATE_EXIT_CODES.outstanding : 0;
}

function statusAsJson({ applied, pending, drift }: MigrationPlan): object {
  return { applied, pending: pending.map(({ name }) => name), drift };
}

function statusAsText({ applied, pending, drift }: MigrationPlan): string {
  const lines = [
    ...applied.map(({ name, applied: at }) => `applied ${name} ${at}`),
    ...pending.map(({ name }) => `pending ${name}`),
    ...drift.map((line) => `drift   ${line}`),
  ];
  return lines.length === 0 ? 'no migrations\n' : `${lines.join('\n')}\n`;
}

/** Prints how the definitions of the server differ from the files. Resolves with the exit code, as `runStatus`. */
export async function runDiff(options: MigrateOptions, output: NodeJS.WritableStream): Promise<number> {
  const files = readMigrations(options.dir);
  const differences = await withConnection(options, (client) => diffMigrations(client, files));
  if (options.json === true) output.write(`${JSON.stringify(differences)}\n`);
  else output.write(differences.length === 0 ? 'no differences\n' : terminalText(differences.map(asLines).join('')));
  return differences.length === 0 ? 0 : MIGRATE_EXIT_CODES.outstanding;
}

/** `-` is what the database alone has, `+` what the files alone have. */
function asLines({ files, database }: Difference): string {
  return `${database === undefined ? '' : `- ${database}\n`}${files === undefined ? '' : `+ ${files}\n`}`;
}
