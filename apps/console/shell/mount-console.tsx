import './styles.js';
import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { beginPagesAtTop } from './begin-pages-at-top.js';
import { NoticesProvider } from './frame/notices.js';
import { nonce } from './nonce.js';
import { printLight } from './print-light.js';
import { Failure } from './states/failure-boundary.js';
import { keepDialogsUnder, keepSecondClicks } from './states/stays-open.js';
import { keepFocusOfBusyButtons } from './states/use-focus-back.js';
import { cssVariables, theme } from './theme.js';

/** Shows a console in its page, with what every part of it needs: theme, queries and notices. */
export function mountConsole(content: ReactNode, queries: QueryClient): void {
  const place = document.getElementById('console');
  if (place === null) throw new Error('the page has no place for the console');
  keepDialogsUnder();
  keepSecondClicks();
  keepFocusOfBusyButtons();
  printLight();
  beginPagesAtTop();
  createRoot(place).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queries}>
          <Failure>
            <NoticesProvider>{content}</NoticesProvider>
          </Failure>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
