import { Button, Group } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { c } from './words.js';

const MODES = [
  ['/compose', 'text'],
  ['/compose/file', 'file'],
] as const;

/** One text that is written, or many from a file. */
export function ModeTabs() {
  const [path] = useLocation();
  return (
    <Group component="nav" aria-label={c.modes.label} gap={4}>
      {MODES.map(([address, name]) => (
        <Button
          key={name}
          component={Link}
          href={address}
          size="sm"
          variant={path === address ? 'light' : 'subtle'}
          aria-current={path === address ? 'page' : undefined}
        >
          {c.modes[name]}
        </Button>
      ))}
    </Group>
  );
}
