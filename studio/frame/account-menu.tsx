/** Who is signed in, how the page looks to them, and signing out. */
import { Button, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { DeviceDesktopIcon, MoonIcon, PersonIcon, SignOutIcon, SunIcon } from '@primer/octicons-react';
import { useStore } from '../base/store.js';
import type { Connection } from '../connection/connection.js';
import { useLoaded } from '../connection/use-loaded.js';
import { leave, type SignedIn } from '../session/session.js';
import { contrast } from './appearance.js';
import { userName } from './user-name.js';

const SCHEMES = {
  auto: { title: 'As the system', Icon: DeviceDesktopIcon },
  light: { title: 'Light', Icon: SunIcon },
  dark: { title: 'Dark', Icon: MoonIcon },
} as const;

interface Properties {
  readonly session: SignedIn;
  readonly connection: Connection | undefined;
}

export function AccountMenu({ session, connection }: Properties) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isHigh = useStore(contrast) === 'more';
  const { data: user = session.level === 'guest' ? 'Guest' : session.name } = useLoaded(
    () => userName(session, connection),
    [session, connection],
  );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          className="account"
          variant="subtle"
          aria-label={`Account of ${user}`}
          leftSection={<PersonIcon size={16} />}
        >
          {user}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          {Object.entries(SCHEMES).map(([scheme, { title, Icon }]) => (
            <Menu.RadioItem key={scheme} value={scheme} rightSection={<Icon size={16} />}>
              {title}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.CheckboxItem
          checked={isHigh}
          onChange={(checked) => {
            contrast.value = checked ? 'more' : 'system';
          }}
        >
          High contrast
        </Menu.CheckboxItem>
        <Menu.Divider />
        <Menu.Item leftSection={<SignOutIcon size={16} />} onClick={() => leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
