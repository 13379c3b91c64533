/** JSON as tokens hold it: one value for each name. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/**
 * Parses a JSON object without duplicate keys, at most `maxDepth` levels deep; `undefined` for any other text. Parsers
 * disagree on which duplicate wins.
 */
export function parseStrictObject(text: string, maxDepth: number): JsonObject | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && hasUniqueKeys(text, maxDepth) ? (value as JsonObject) : undefined;
}

/** `text` is valid JSON, so that a string is a key exactly if a colon follows. */
function hasUniqueKeys(text: string, maxDepth: number): boolean {
  const open: Set<string>[] = [];
  const token = /[{}[\]]|"(?:[^"\\]|\\.)*"(\s*:)?/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found, colon] = match;
    if (found === '{' || found === '[') {
      if (open.length === maxDepth) return false;
      open.push(new Set());
    } else if (found === '}' || found === ']') {
      open.pop();
    } else if (colon !== undefined) {
      const key = JSON.parse(found.slice(0, -colon.length)) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) return false;
      keys?.add(key);
    }
  }
  return true;
}
