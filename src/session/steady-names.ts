import type { Statement } from '../language/ast.js';
import { newObject, type ObjectValue } from '../value/value.js';

export interface Bound {
  readonly text: string;
  readonly variables: ObjectValue | undefined;
}

/** How the official client names the parameters that it makes up itself. */
const PREFIX = 'bind__';
const MADE_UP = /\$(bind__\w+)/g;
/** How the requests begin that the client writes itself, and those that are like them. What is selected names no parameter but for its value. */
const PLAIN =
  /^\s*(?:select (?:[*\w., ]+|(?:value )?type::fields?\(\$bind__\d+\)) from|create|update|upsert|delete|insert|relate)\s/i;
/** Where a parameter may be in what isn't code, or the name of one be seen: as that of a field, in a closure, by stored code. */
const UNCLEAR =
  /['"`⟨#/\\{;|]|--|fn::|\b(?:select|from|explain|function|return(?!\s+(?:none|null|diff|before|after)\s*$))/i;
/** Longer texts aren't kept parsed anyway. */
const LONGEST = 10_000;

/**
 * The same request with the parameters that the official client makes up counted from 1. It counts them through all of its life, so that no
 * two of its texts are alike (`SELECT * FROM ONLY $bind__1`, then `… $bind__2`), and none would be found among those that are parsed
 * already: the engine's part of `db.select(id)` takes 6 µs so, and 9 otherwise.
 *
 * A request whose answer could tell the names stays as it is, and so does one in which anything else could be meant.
 */
export function withSteadyNames(text: string, variables: ObjectValue | undefined): Bound {
  const given = { text, variables };
  if (variables === undefined || !text.includes(`$${PREFIX}`) || text.length > LONGEST) return given;
  const head = PLAIN.exec(text)?.[0];
  if (head === undefined || UNCLEAR.test(text.slice(head.length))) return given;
  const names = new Map<string, string>();
  const steady = text.replace(MADE_UP, (_, name: string) => {
    let short = names.get(name);
    if (short === undefined) {
      short = PREFIX + (names.size + 1);
      names.set(name, short);
    }
    return `$${short}`;
  });
  const renamed = newObject();
  let found = 0;
  for (const name of Object.keys(variables)) {
    const short = names.get(name);
    if (short !== undefined) found++;
    // Stored code could ask for it.
    else if (name.startsWith(PREFIX)) return given;
    renamed[short ?? name] = variables[name];
  }
  // One that isn't given may be set in the session.
  return found === names.size ? { text: steady, variables: renamed } : given;
}

/** The statements of a request, and its parameters as these name them. What is wrong with it is told by the names that were given. */
export function parseSteadily(
  text: string,
  variables: ObjectValue | undefined,
  parse: (text: string) => readonly Statement[],
): { readonly statements: readonly Statement[]; readonly variables: ObjectValue | undefined } {
  const bound = withSteadyNames(text, variables);
  if (bound.text === text) return { statements: parse(text), variables };
  try {
    return { statements: parse(bound.text), variables: bound.variables };
  } catch {
    return { statements: parse(text), variables };
  }
}
