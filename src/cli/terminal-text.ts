/**
 * A text of a server, a file or a name as a terminal may have it: control characters other than line breaks and tabs,
 * which terminals obey, are replaced.
 */
export function terminalText(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}
