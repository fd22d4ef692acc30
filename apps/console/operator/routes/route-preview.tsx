import { Alert, Stack, Text } from '@mantine/core';
import { Icon } from '../../shell/icons.js';
import { Notes } from '../parts/notes.js';
import { t } from '../words.js';
import type { Replacement } from './route.js';

const PREFIXES_MAX = 40;

/** What a replacement of the routes would mean: what it changes, and what is left without a route. */
export function RoutePreview({ preview }: { readonly preview: Replacement }) {
  const { added, removed, changed, notes, pricedWithoutRoute: without } = preview;
  const shown = without.slice(0, PREFIXES_MAX).join(', ');
  return (
    <Stack gap="sm" role="status">
      <Text size="sm" fw={600}>
        {added + removed + changed === 0 ? t.routes.noChanges : t.routes.changes(added, removed, changed)}
      </Text>
      <Notes notes={notes} />
      {without.length > 0 ? (
        <Alert color="red" variant="light" icon={<Icon name="warning" />}>
          {t.routes.without}{' '}
          <strong>{without.length > PREFIXES_MAX ? `${shown} + ${without.length - PREFIXES_MAX}` : shown}</strong>
        </Alert>
      ) : (
        <Text size="sm" c="dimmed">
          {t.routes.allRouted}
        </Text>
      )}
    </Stack>
  );
}
