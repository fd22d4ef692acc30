// How the consoles are compiled (scripts/setup/build-console.mjs). A developer serves them: `npx vite apps/console`.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const GATEWAY = 'http://127.0.0.1:3000';

export default defineConfig({
  root: here('.'),
  // The gateway replaces it in each response (apps/gateway/console).
  html: { cspNonce: '__CSP_NONCE__' },
  resolve: { alias: { '#billing': here('../../libs/billing/index.ts') } },
  build: {
    outDir: here('../../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    // Browsers that know light-dark(): what would replace it does not see the scheme that Mantine sets.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // No data: addresses, so that every file has a name and can be kept.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { owner: here('owner/index.html'), operator: here('operator/index.html') },
      // "use client" in the files of libraries is for servers that render React.
      onLog: (level, log, pass) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && pass(level, log),
    },
  },
  server: { proxy: { '/v1': GATEWAY } },
});
