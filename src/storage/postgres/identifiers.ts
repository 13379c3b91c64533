/** A name as an identifier of SQL. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as a literal of SQL, in statements that take no parameters. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
