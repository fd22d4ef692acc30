import { Button } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
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
function NotFound() {
  return (
    <>
      <PageHead title={words.notFound.title} about={words.notFound.about} />
      {HOME}
    </>
  );
}

interface PagesProps {
  readonly routes: readonly { readonly path: string; readonly Page: ComponentType }[];
}

/** The page of the address, for somebody who is signed in. That of another account, say, begins anew. */
export function Pages({ routes }: PagesProps) {
  return (
    <Switch>
      {routes.map(({ path, Page }) => (
        <Route key={path} path={path}>
          {(params) => <Page key={JSON.stringify(params)} />}
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

interface KnownPagesProps {
  readonly paths: readonly string[];
  readonly subtitle?: string;
  readonly children: ReactNode;
}

/** For somebody who is not signed in: whoever has mistyped an address is not asked for a key. */
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
