import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** The blue of Heliograph: shade 8 carries white text, shade 4 stands on dark pages (both at least 4.5:1). */
const BEAM: MantineColorsTuple = [
  '#eef5ff',
  '#dbe8fb',
  '#b4cef4',
  '#8ab3ee',
  '#679ce8',
  '#4a86dd',
  '#3273cf',
  '#1f62bd',
  '#14539f',
  '#0c3f7d',
];

/** Greys with a little blue, so that dark pages are one with their panels. */
const DARK: MantineColorsTuple = [
  '#d6dde7',
  '#b4bdca',
  '#98a3b3',
  '#6c7889',
  '#465163',
  '#37414f',
  '#232b37',
  '#1a202a',
  '#151a22',
  '#0f1319',
];

export const theme = createTheme({
  primaryColor: 'beam',
  // Mantine's own shades fail the contrast that people with weak sight need.
  primaryShade: { light: 8, dark: 8 },
  colors: { beam: BEAM, dark: DARK },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // The head of a dialog is no second banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-anchor': 'var(--mantine-color-beam-8)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-yellow-light-color': '#6b4700',
    '--page-background': '#f6f7f9',
    '--panel-background': '#ffffff',
    '--line': '#e1e5eb',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-anchor': 'var(--mantine-color-beam-3)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-red-light': '#3b1b1f',
    '--mantine-color-red-light-color': '#ffb9b9',
    '--mantine-color-yellow-light': '#352a10',
    '--mantine-color-yellow-light-color': '#ffd98a',
    '--mantine-color-body': '#12161d',
    '--page-background': '#12161d',
    '--panel-background': '#1a202a',
    '--line': '#2b3340',
  },
});
