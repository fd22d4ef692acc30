import { type ComponentType, lazy } from 'react';
import paths from './paths.json';

/** Each page is loaded when somebody goes there. The gateway serves the same paths, from the same file. */
const pages: Readonly<Record<keyof typeof paths, ComponentType>> = {
  overview: lazy(() => import('./overview/overview-page.js')),
};

export const routes = Object.entries(pages).map(([name, Page]) => ({ path: paths[name as keyof typeof paths], Page }));
