/** `session::*`: the fields of `$session` as functions. */
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';

function reads(name: string, field: string, description: string, aliases: readonly string[] = []): FunctionRow {
  return define(`session::${name}`, [], 'any', description, ({ session }) => session[field], {
    deterministic: false,
    aliases: aliases.map((alias) => `session::${alias}`),
  });
}

export const sessionFunctions: readonly FunctionRow[] = [
  reads('ac', 'ac', 'The access method by which the session was signed in.', ['sc']),
  reads('db', 'db', 'The database that is selected.'),
  reads('id', 'id', 'The id of the session.'),
  reads('ip', 'ip', 'The IP address of the client.'),
  reads('ns', 'ns', 'The namespace that is selected.'),
  reads('origin', 'or', 'The origin that the client named.'),
  reads('rd', 'rd', 'The record that is signed in.'),
  reads('token', 'tk', 'The claims of the token that the session was signed in with.'),
];
