import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { Icon, type IconName } from '../icons.js';
import { words } from '../words.js';

const SCHEMES: readonly (readonly ['auto' | 'light' | 'dark', IconName])[] = [
  ['auto', 'system'],
  ['light', 'sun'],
  ['dark', 'moon'],
];

export function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const icon = SCHEMES.find(([scheme]) => scheme === colorScheme)?.[1] ?? 'system';
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={words.theme.label}>
          <Icon name={icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(([scheme, shape]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={shape} />}
            rightSection={scheme === colorScheme ? <Icon name="check" size={16} /> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {words.theme[scheme]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
