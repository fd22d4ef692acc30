import { type GuidePage, guidePage, type Section } from '../guide/guide-page.js';

/** The page on which a reader tries the endpoints: Swagger UI, with the ways to the guide beside it. */
export function apiPage(sections: readonly Section[]): string {
  const page: GuidePage = {
    path: 'api',
    title: 'API reference',
    headings: [],
    html: '<div id="swagger-ui"><h1>API reference</h1></div>',
    head: '<link rel="stylesheet" href="swagger-ui.css">\n',
    scripts: '<script src="swagger-ui-bundle.js"></script><script src="start.js"></script>\n',
  };
  return guidePage(page, sections);
}

/**
 * Only the page keeps the key that a reader tries an endpoint with; it is gone with the page. Swagger UI is dark where
 * a class says so.
 */
export const START_SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
});
`;
