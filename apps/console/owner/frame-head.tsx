import { ActionIcon, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Icon } from '../shell/icons.js';
import { leave } from './session/sign-in-again.js';
import { t } from './words.js';

export function FrameHead() {
  const queries = useQueryClient();
  return (
    <Tooltip label={t.session.signOut}>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t.session.signOut} onClick={() => leave(queries)}>
        <Icon name="leave" />
      </ActionIcon>
    </Tooltip>
  );
}
