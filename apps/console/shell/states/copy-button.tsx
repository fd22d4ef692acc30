import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from '../icons.js';
import { words } from '../words.js';

/** @param what names the thing for screen readers, e.g. "the message id" */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const { copy, copied } = useClipboard({ timeout: 2_000 });
  const label = copied ? words.copy.copied : `${words.copy.copy} ${what}`;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={() => copy(text)}>
        <Icon name={copied ? 'check' : 'copy'} size={15} />
      </ActionIcon>
    </Tooltip>
  );
}
