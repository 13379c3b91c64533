/** DEFINE CONFIG: DEFAULT for the whole store, the others for a database. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import type { SettledConfig } from '../../catalog/definitions/definition.js';
import { findDefaults } from '../../catalog/definitions/lookup.js';
import { publicUrlFault, redirectFault } from '../../catalog/definitions/web-addresses.js';
import { readMailSender } from '../../catalog/mail/address.js';
import { readSmtpUrl } from '../../catalog/mail/smtp-url.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Fetcher } from '../../functions/network/fetcher.js';
import type { AuthConfig, Config, DefaultConfig, DefineConfig, MailConfig, Name } from '../../language/ast.js';
import { REDACTED } from '../../language/printer/printer.js';
import { ensureSelectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { toText } from '../../value/text/text.js';
import { compileHandling } from './define-api.js';
import { beginDefinition, finish, settled, shouldDefine } from './definition.js';

/** Defines a configuration: DEFAULT for the whole store, the others for the selected database. */
export function compileDefineConfig(statement: DefineConfig, compiler: Compiler): Evaluate {
  const { kind } = statement.config;
  const settle = compileConfig(statement.config, compiler);
  return async (frame) => {
    const { execution } = frame;
    const level = kind === 'default' ? 'root' : 'database';
    const { databasePath, change } = beginDefinition(execution, level, 'own', 'Config');
    const taken = await isConfigured(execution, kind);
    if (!shouldDefine(statement.mode, taken, () => failure('config_exists', { name: kind }))) return;
    const config = await settle(frame);
    await putAtLevel(change, databasePath, { ...settled(statement, {}), config });
    return finish(execution);
  };
}

/** The config with its expressions evaluated. */
export function compileConfig(config: Config, compiler: Compiler): (frame: Frame) => PromiseOrValue<SettledConfig> {
  switch (config.kind) {
    case 'graphql':
      return () => config;
    case 'api':
      return compileHandling(config, compiler);
    case 'default':
      return compileDefaults(config, compiler);
    case 'mail':
      return () => {
        checkMail(config);
        return config;
      };
    case 'auth':
      return ({ execution }) => {
        checkAuth(config, execution.services.network);
        return config;
      };
  }
}

/** @throws TesseraError `config_invalid`, `secret_redacted` */
function checkMail({ from, delivery, limit }: MailConfig): void {
  if (from !== undefined && readMailSender(from) === undefined)
    throw unusable('FROM', "it must be an address, or a name and an address as in 'The Shop <no-reply@shop.example>'");
  if (limit === 0) throw unusable('LIMIT', 'it must be above 0');
  if (delivery?.kind !== 'smtp') return;
  const server = readSmtpUrl(delivery.url);
  if (typeof server === 'string') throw unusable('SMTP', server);
  if (delivery.password === REDACTED) throw failure('secret_redacted');
  if ((delivery.password === undefined) !== (server.user === undefined))
    throw unusable('SMTP', 'a user in the URL and PASSWORD go together');
}

/** Whether a URL is one of the server's (`--public-url`) is known only where links are made. */
function checkAuth({ url, redirects, title, color, logo }: AuthConfig, network: Fetcher): void {
  const wrongUrl = url === undefined ? undefined : publicUrlFault(url);
  if (wrongUrl !== undefined) throw unusable('URL', wrongUrl);
  assertRedirects(redirects, network);
  if (title !== undefined && !TITLE.test(title))
    throw unusable('NAME', 'it must have 1 to 100 characters, and no line breaks or control characters');
  if (color !== undefined && !COLOR.test(color)) throw unusable('COLOR', "it must be written like '#1a6f4b'");
  if (logo !== undefined && !(logo.length <= LONGEST_LOGO && LOGO.test(logo)))
    throw unusable('LOGO', 'it must be a data URL of a PNG, JPEG, WebP or SVG image in base64, of at most 64 KiB');
}

/** Checks where sign-ins may end. @throws TesseraError `config_invalid` */
export function assertRedirects(redirects: readonly string[], network: Fetcher): void {
  if (redirects.length > MOST_REDIRECTS) throw unusable('REDIRECT', `there can be ${MOST_REDIRECTS} at most`);
  for (const redirect of redirects) {
    const wrong = redirectFault(redirect, (parsed) => network.names(parsed));
    if (wrong !== undefined) throw unusable('REDIRECT', wrong);
  }
}

const MOST_REDIRECTS = 100;
const COLOR = /^#[0-9a-f]{6}$/i;
const LOGO = /^data:image\/(png|jpeg|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;
/** 64 KiB in base64, and what stands before. */
const LONGEST_LOGO = 87_500;
const TITLE = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u;

function unusable(clause: string, reason: string): TesseraError {
  return failure('config_invalid', { clause, reason });
}

function compileDefaults(
  { namespace, database }: DefaultConfig,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<SettledConfig> {
  const namespaceOf = compileOptionalName(namespace, 'namespace', compiler);
  const databaseOf = compileOptionalName(database, 'database', compiler);
  return async (frame) => {
    const namespaceName = await namespaceOf(frame);
    const databaseName = await databaseOf(frame);
    return {
      kind: 'default',
      ...(namespaceName !== undefined && { namespace: namespaceName }),
      ...(databaseName !== undefined && { database: databaseName }),
    };
  };
}

/** A name, or NONE as if it weren't written. */
function compileOptionalName(
  name: Name | undefined,
  what: string,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<string | undefined> {
  if (name === undefined || typeof name === 'string') return () => name;
  const evaluate = compiler.expression(name);
  return async (frame) => {
    const value = await evaluate(frame);
    if (value === undefined || typeof value === 'string') return value;
    throw failure('name_not_string', { what, value: toText(value) });
  };
}

async function isConfigured(execution: Execution, kind: Config['kind']): Promise<boolean> {
  if (kind === 'default') {
    const found = await findDefaults(execution.context.transaction);
    return found !== undefined;
  }
  const catalog = await ensureSelectedDatabase(execution);
  return catalog.configs.has(kind);
}
