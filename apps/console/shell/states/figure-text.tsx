import { Fragment, type ReactNode } from 'react';

/** After a separator, before the three digits of a group. */
const GROUPS = /(?<=\d\D)(?=\d{3}(?!\d))/;

/** A figure, which breaks between its groups of digits where there is no room for all of it. */
export function FigureText({ children }: { readonly children: ReactNode }) {
  if (typeof children !== 'string') return children;
  return children.split(GROUPS).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a figure have no other name.
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
