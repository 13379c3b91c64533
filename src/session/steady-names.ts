import { newObject, type ObjectValue } from '../value/value.js';

export interface Bound {
  readonly text: string;
  readonly variables: ObjectValue | undefined;
}

/** How the official client names the parameters that it makes up itself. */
const PREFIX = 'bind__';
const MADE_UP = /\$(bind__\w+)/g;
/** Where a name may stand in what isn't code, or is kept as it is written. */
const UNCLEAR = /['"`⟨#]|--|\/[/*]|define|alter/i;
/** Longer texts aren't kept parsed anyway. */
const LONGEST = 10_000;

/**
 * The same request with the parameters that the official client makes up counted from 1. It counts them through all of its life, so that no
 * two of its texts are alike (`SELECT * FROM ONLY $bind__1`, then `… $bind__2`), and none would be found among those that are parsed
 * already: the engine's part of `db.select(id)` takes 6 µs so, and 9 otherwise.
 *
 * A request in which anything else could be meant stays as it is.
 */
export function withSteadyNames(text: string, variables: ObjectValue | undefined): Bound {
  const given = { text, variables };
  if (variables === undefined || !text.includes(`$${PREFIX}`)) return given;
  if (text.length > LONGEST || UNCLEAR.test(text)) return given;
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
