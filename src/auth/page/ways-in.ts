/** The ways in of a database, as the page of the server shows them. */
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import type { DatabasePath } from '../../catalog/principal.js';
import type { AccessWay, Expression, MailForm } from '../../language/ast.js';
import { OAUTH_PRESET_ROWS, OIDC_PRESET_ROWS } from '../../language/definitions/provider-presets.js';
import { ENGINE_PARAMS } from '../../language/engine-params.js';
import { walk } from '../../language/visitor.js';
import { clauseVariables } from '../attempts/clause-variables.js';
import type { AuthContext } from '../context.js';
import { SERVER_VARIABLES } from '../ways/start-body.js';

/** A way in, and what it asks people for: variables of its clauses, as paths (`email`, `name.first`). */
export interface WayIn {
  /** The access method. */
  readonly access: string;
  /** `clause`: by what its SIGNIN and SIGNUP ask for, such as a password. */
  readonly kind: AccessWay['kind'] | 'clause';
  /** What people know it as: a provider's name, or else the comment of the access method, or its name. */
  readonly label: string;
  /** For signing in; `undefined` if it only signs up. */
  readonly signIn: readonly string[] | undefined;
  /** For signing up; `undefined` if it doesn't, or does so by itself. */
  readonly signUp: readonly string[] | undefined;
  /** Of a passkey: the pages that may ask for it. */
  readonly origins?: readonly string[];
  /** Of a mail: what is in it. */
  readonly forms?: readonly MailForm[];
}

/** The access methods by which record users sign in, second factors among them, in the order of their names. */
export async function waysIn({ directory }: AuthContext, databasePath: DatabasePath): Promise<readonly WayIn[]> {
  const accesses = await directory.accesses(databasePath);
  return accesses.flatMap((access) => wayIn(access) ?? []);
}

function wayIn({ name: access, accessKind, comment = access }: AccessDefinition): WayIn | undefined {
  if (accessKind.kind !== 'record') return undefined;
  const { way, signin, signup } = accessKind;
  const asked = (clause: Expression | undefined) =>
    clause && askedFor(clause, way === undefined ? [] : SERVER_VARIABLES);
  if (way === undefined) {
    if (signin === undefined && signup === undefined) return undefined;
    return { access, kind: 'clause', label: comment, signIn: asked(signin), signUp: asked(signup) };
  }
  const row = {
    access,
    kind: way.kind,
    label: providerOf(way) ?? comment,
    ...(way.kind === 'passkey' && { origins: way.origins }),
    ...(way.kind === 'mail' && { forms: way.forms }),
  };
  // A passkey is made for a new record; every other way finds out by what is proved whether there is one.
  if (way.kind === 'passkey') return { ...row, signIn: [], signUp: asked(signup) };
  return { ...row, signIn: [...new Set([...(asked(signin) ?? []), ...(asked(signup) ?? [])])], signUp: undefined };
}

/** The name of a provider that has one. */
function providerOf(way: AccessWay): string | undefined {
  if (way.kind === 'oauth') return OAUTH_PRESET_ROWS[way.preset].title;
  const preset = way.kind === 'oidc' ? way.provider.preset : undefined;
  return preset && OIDC_PRESET_ROWS[preset].title;
}

/** The variables that a clause takes from its client, in the order of its text. */
function askedFor(clause: Expression, ofServer: readonly string[]): readonly string[] {
  const bound = boundIn(clause);
  return [...clauseVariables(clause).read].filter((path) => {
    const [name = ''] = path.split('.');
    return !bound.has(name) && !ENGINE_PARAMS.has(name) && !ofServer.includes(name);
  });
}

/** The names that a clause binds itself. */
function boundIn(clause: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  walk(clause, {
    expression(node) {
      if (node.kind === 'closure') for (const { name } of node.parameters) names.add(name);
    },
    statement(node) {
      if (node.kind === 'let') names.add(node.name);
      if (node.kind === 'for') names.add(node.variable);
    },
  });
  return names;
}
