import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, Route, Switch } from 'wouter';
import { words } from '../words.js';
import { LonePage } from './lone-page.js';
import { PageHead } from './page-head.js';

const HOME = (
  <Button component={Link} href="/">
    {words.notFound.home}
  </Button>
);

/** What somebody who is signed in reads at an address that the console does not have. */
export function NotFound() {
  return (
    <>
      <PageHead title={words.notFound.title} about={words.notFound.about} />
      {HOME}
    </>
  );
}

interface KnownPagesProps {
  readonly paths: readonly string[];
  readonly subtitle?: string;
  readonly children: ReactNode;
}

/** The same for somebody who is not: whoever has mistyped an address is not asked for a key. */
export function KnownPages({ paths, children, ...page }: KnownPagesProps) {
  return (
    <Switch>
      {paths.map((path) => (
        <Route key={path} path={path}>
          {children}
        </Route>
      ))}
      <Route>
        <LonePage title={words.notFound.title} about={words.notFound.about} {...page}>
          {HOME}
        </LonePage>
      </Route>
    </Switch>
  );
}
