/** In which table the users of an access method are. */

interface Clauses {
  readonly signup?: string | undefined;
  readonly signin?: string | undefined;
}

/** The table that the clauses name; empty where they name none. */
export function usersTableOf({ signup = '', signin = '' }: Clauses): string {
  const [, made] = /\bCREATE (?:ONLY )?(`(?:[^`\\]|\\.)+`|\w+)/i.exec(signup) ?? [];
  const [, found] = /\bFROM (?:ONLY )?(`(?:[^`\\]|\\.)+`|\w+)(?![\w:(])/i.exec(signin) ?? [];
  return (made ?? found ?? '').replace(/^`|`$/g, '').replaceAll(/\\(.)/g, '$1');
}
