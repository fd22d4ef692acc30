import { ActionIcon, Menu } from '@mantine/core';
import { Icon } from '../icons.js';

export interface RowAct {
  readonly label: string;
  readonly onClick: () => void;
  readonly isDangerous?: boolean;
  /** What the role or the state does not allow is not offered. */
  readonly isOffered?: boolean;
}

/** What can be done with a row. */
export function RowMenu({ label, acts }: { readonly label: string; readonly acts: readonly RowAct[] }) {
  const offered = acts.filter(({ isOffered = true }) => isOffered);
  if (offered.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map(({ label: act, onClick, isDangerous = false }) => (
          <Menu.Item key={act} onClick={onClick} {...(isDangerous && { c: 'error' })}>
            {act}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
