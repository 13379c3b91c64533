/** What owners of the root ask the process for that has answered: its log, and the settings of its start. */

/** A line of the log. */
export interface LogLine {
  readonly level: string;
  /** RFC 3339. */
  readonly time: string;
  readonly msg: string;
  /** All else that it says. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** As `GET /settings` lists it. */
export interface StartSetting {
  readonly group: string;
  readonly name: string;
  readonly description: string;
  readonly value?: string;
  readonly source?: string;
}

/** The last lines, the newest first. @throws Error where they may not be seen, or aren't kept */
export async function loadLog(token: string): Promise<readonly LogLine[]> {
  const text = await ask('/log', token);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map(readLine).reverse();
}

function readLine(text: string): LogLine {
  const { level, time, msg = '', ...details } = JSON.parse(text) as Omit<LogLine, 'details'>;
  return { level, time, msg, details };
}

/** @throws Error where they may not be seen, or aren't known */
export async function loadStartSettings(token: string): Promise<readonly StartSetting[]> {
  return JSON.parse(await ask('/settings', token)) as readonly StartSetting[];
}

async function ask(path: string, token: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(path, { headers, credentials: 'omit', cache: 'no-store' });
  if (answer.ok) return answer.text();
  const { error } = (await answer.json()) as { readonly error?: string };
  if (error === 'not_allowed') throw new Error('Not enough permissions');
  throw new Error(`The server doesn’t give ${path} (status ${answer.status}).`);
}
