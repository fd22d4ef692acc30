import { ActionIcon, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { copyText } from '../copy-text.js';
import { Icon } from '../icons.js';
import { words } from '../words.js';

const SHOWN_MS = 2_000;

/** @param what names the thing for screen readers, e.g. "the message id" */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setIsCopied] = useState<boolean>();
  useEffect(() => {
    if (isCopied === undefined) return;
    const timer = setTimeout(() => setIsCopied(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const told = isCopied === undefined ? undefined : isCopied ? words.copy.copied : words.copy.failed;
  const label = told ?? `${words.copy.copy} ${what}`;
  return (
    <Tooltip label={label} {...(told !== undefined && { opened: true })}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={label}
        onClick={() => void copyText(text).then(setIsCopied)}
      >
        <Icon name={isCopied ? 'check' : 'copy'} size={15} />
      </ActionIcon>
    </Tooltip>
  );
}
