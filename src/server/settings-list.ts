/** The settings in effect and where each is given, for `GET /settings`. Secrets are left out. */
import { withoutPassword } from '../storage/address.js';
import { givenSetting, SETTING_GROUPS, SETTINGS, type SettingSources } from './configuration.js';
import { optionName, type Setting } from './setting.js';

export interface ListedSetting {
  readonly group: string;
  /** On the command line: `--bind`. */
  readonly name: string;
  readonly description: string;
  /** As text; absent where the setting has neither a value nor a default, and of secrets. */
  readonly value?: string;
  /** `--bind`, `SVC_BIND`, `tessera.toml:3: bind`; absent for defaults. */
  readonly source?: string;
}

export function listSettings(sources: SettingSources): readonly ListedSetting[] {
  return Object.entries(SETTING_GROUPS).flatMap(([group, settings]) =>
    Object.values(settings).map((setting) => {
      const given = givenSetting(setting, sources);
      const value = given === undefined ? setting.fallback : shown(setting, given.text);
      return {
        group,
        name: optionName(setting),
        description: setting.description,
        ...(value !== undefined && { value }),
        ...(given !== undefined && { source: given.source }),
      };
    }),
  );
}

/** The value of a setting that may be shown; `undefined` of secrets. */
export function shown(setting: Setting<unknown>, text: string): string | undefined {
  return setting === SETTINGS.pass ? undefined : withoutPassword(text);
}
