import { Button, Menu, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Icon } from '../shell/icons.js';
import { leave } from './session/api.js';
import { useMe } from './session/use-session.js';
import { t } from './words.js';

/** Who is signed in. */
export function FrameHead() {
  const { name, role } = useMe();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-md" leftSection={<Icon name="accounts" size={16} />}>
          <Text component="span" inherit truncate maw={{ base: '8rem', sm: '20rem' }}>
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label c="dimmed">{t.roles[role] ?? role}</Menu.Label>
        <Menu.Item component={Link} href="/me" leftSection={<Icon name="keys" />}>
          {t.me.title}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="leave" />} onClick={() => void leave()}>
          {t.session.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
