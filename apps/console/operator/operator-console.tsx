import { Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { AppFrame } from '../shell/frame/app-frame.js';
import { PageHead } from '../shell/frame/page-head.js';
import { LoadingLines } from '../shell/states/query-view.js';
import { routes } from './routes.js';
import { t } from './words.js';

export function OperatorConsole() {
  return (
    <AppFrame subtitle={t.name} sections={[{ links: [{ path: '/', label: t.overview.title, icon: 'health' }] }]}>
      <Suspense fallback={<LoadingLines />}>
        <Switch>
          {routes.map(({ path, Page }) => (
            <Route key={path} path={path} component={Page} />
          ))}
          <Route>
            <PageHead title={t.notFound} />
          </Route>
        </Switch>
      </Suspense>
    </AppFrame>
  );
}
