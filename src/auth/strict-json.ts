export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/**
 * Reads a JSON object in which no key is given twice, since readers differ in which of the two they believe; nested at most
 * `maxDepth` deep. `undefined` for every other text.
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

/** `text` is valid JSON, hence a string is a key if and only if a colon follows. */
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
