/** The settings in effect, as a file that `--config` takes. */
import { stringify } from 'smol-toml';
import { givenSetting, SETTING_GROUPS, type SettingSources } from './configuration.js';
import type { Setting } from './setting.js';
import { keyOf } from './settings-file.js';
import { shown } from './settings-list.js';

/** Settings with their descriptions. Those with their defaults are comments, and so are secrets, without values. */
export function settingsText(sources: SettingSources): string {
  const groups = Object.entries(SETTING_GROUPS).map(([heading, settings]) =>
    [`# ${heading}`, ...Object.values(settings).map((setting) => settingText(setting, sources))].join('\n\n'),
  );
  return `${groups.join('\n\n')}\n`;
}

function settingText(setting: Setting<unknown>, sources: SettingSources): string {
  const given = givenSetting(setting, sources);
  const key = keyOf(setting);
  const described = wrapped(setting.description);
  if (given === undefined)
    return `${described}\n# ${setting.fallback === undefined ? `${key} =` : line(key, setting.fallback)}`;
  const { text, source } = given;
  const from = `${described}\n# Given by ${source}`;
  const value = shown(setting, text);
  if (value === undefined) return `${from}, and not shown\n# ${key} =`;
  if (value !== text) return `${from}; without its password, which PGPASSWORD can give\n# ${line(key, value)}`;
  return `${from}\n${line(key, text)}`;
}

/** `max-connections = 5000`. */
function line(key: string, text: string): string {
  const value = /^(true|false)$/.test(text) ? text === 'true' : /^[1-9]\d{0,8}$/.test(text) ? Number(text) : text;
  return stringify({ [key]: value }).trimEnd();
}

function wrapped(text: string): string {
  return text.replace(/(.{1,100})(?: |$)/g, '# $1\n').trimEnd();
}
