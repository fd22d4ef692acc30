import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';

/** Words for screen readers where sighted people need none, e.g. over a column of buttons. */
export function Hidden({ children }: { readonly children: ReactNode }) {
  return <VisuallyHidden>{children}</VisuallyHidden>;
}
