import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { formatPercent } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { QueryView } from '../../shell/states/query-view.js';
import { StateWord } from '../parts/state-word.js';
import { carrierTone } from '../parts/tones.js';
import { usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';

interface RouteTest {
  readonly isRouted: boolean;
  readonly summary: string;
  readonly carriers: readonly {
    readonly carrier: string;
    readonly rank: number;
    readonly sharePercent: number;
    readonly state: string;
  }[];
}

/** Says to which carriers a number would go. */
export function NumberTest() {
  const [typed, setTyped] = useState('');
  const [number, setNumber] = useState('');
  const test = usePolled<RouteTest>('/routes/test', { query: { number }, isOn: number !== '' });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setNumber(typed.trim());
  };
  return (
    <Panel title={t.routes.test}>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t.routes.number}
            placeholder="+46701234567"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            inputMode="tel"
          />
          <Button type="submit" variant="default" disabled={typed.trim() === ''}>
            {t.routes.ask}
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {number !== '' && (
          <QueryView query={test}>
            {({ summary, carriers }) => (
              <Stack gap={6} mt="md">
                <Text size="sm">{summary}</Text>
                {carriers.map(({ carrier, rank, sharePercent, state }) => (
                  <Group key={`${rank} ${carrier}`} gap="md">
                    <Text size="sm" fw={600}>
                      {carrier}
                    </Text>
                    <StateWord tone={carrierTone(state)} word={t.carriers.states[state] ?? state} />
                    <Text size="sm" c="dimmed" className="number">
                      {`${t.routes.rank} ${rank}, ${formatPercent(sharePercent / 100)}`}
                    </Text>
                  </Group>
                ))}
              </Stack>
            )}
          </QueryView>
        )}
      </div>
    </Panel>
  );
}
