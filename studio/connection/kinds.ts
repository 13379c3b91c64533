/** The types of fields, as the server writes them: `none | 'a' | record<person>`. */

/** What a value of a type may be, apart from nothing. Bars in texts, names and angle brackets don't divide it. */
export function alternativesOf(kind: string): readonly string[] {
  const parts =
    kind.match(/(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|<(?:`(?:\\.|[^`\\])*`|[^>`])*>|[^|])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => !['', 'none', 'null'].includes(part));
}

const LITERAL = /^(?:(['"]).*\1|-?\d[\w.]*|true|false)$/s;

/** The values of a type that lists them, as codes; none for other types. */
export function choicesOf(kind: string): readonly string[] {
  const parts = alternativesOf(kind);
  return parts.every((part) => LITERAL.test(part)) ? parts : [];
}

/** The tables, each in the code of its name, whose records a type takes; none for other types, and where any table may be meant. */
export function linkedTables(kind: string): readonly string[] {
  return alternativesOf(kind).flatMap((part) => {
    const tables = /^record<(.*)>$/s.exec(part)?.[1];
    return tables === undefined ? [] : alternativesOf(tables);
  });
}

/** The buckets, each in the code of its name, whose files a type takes; none for other types, and where any bucket may be meant. */
export function fileBuckets(kind: string): readonly string[] {
  return alternativesOf(kind).flatMap((part) => alternativesOf(/^file<(.*)>$/s.exec(part)?.[1] ?? ''));
}

/** Whether a type takes files. */
export function takesFiles(kind: string): boolean {
  return alternativesOf(kind).some((part) => /^file(<.*>)?$/s.test(part));
}

/** The names of all tables whose records a value of a type may be or hold: `array<record<person | `a b`>>`. */
export function tablesWithin(kind: string): readonly string[] {
  return (kind.match(/record<(?:`(?:\\.|[^`\\])*`|[^>`])*>/g) ?? []).flatMap((part) => linkedTables(part).map(nameOf));
}

/** The name that a code is of. */
export function nameOf(table: string): string {
  return table.startsWith('`') ? table.slice(1, -1).replace(/\\(.)/gs, '$1') : table;
}
