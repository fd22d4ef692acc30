import { Button, Group, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { formatCount } from '../../shell/format-numbers.js';
import { Icon } from '../../shell/icons.js';
import { LoadingLines, QueryView } from '../../shell/states/query-view.js';
import { StateWord } from '../parts/state-word.js';
import { checkTone } from '../parts/tones.js';
import { t } from '../words.js';
import classes from './findings.module.css';
import type { Doctor, Finding } from './overview.js';

/** What the doctor has found, with the page of the runbook that says what to do. */
export function Findings({ query }: { readonly query: UseQueryResult<Doctor> }) {
  return (
    <section className={`panel ${classes.panel}`}>
      <QueryView query={query} loading={<LoadingLines count={1} />}>
        {(doctor) => <Shown doctor={doctor} />}
      </QueryView>
    </section>
  );
}

function Shown({ doctor: { checks } }: { readonly doctor: Doctor }) {
  const [isAll, setIsAll] = useState(false);
  const failing = checks.filter(({ state }) => state === 'fail');
  const toKnow = checks.filter(({ state }) => state === 'warn');
  const tone = failing.length > 0 ? 'bad' : toKnow.length > 0 ? 'warn' : 'good';
  const shown = isAll ? checks : [...failing, ...toKnow];
  const title =
    tone === 'good'
      ? t.overview.well
      : tone === 'bad'
        ? t.overview.notWell(failing.length)
        : t.overview.look(toKnow.length);
  return (
    <>
      <Group justify="space-between" className={classes.head ?? ''} data-tone={tone}>
        <Group gap="sm" wrap="nowrap">
          <span className={classes.icon} data-tone={tone}>
            <Icon name={tone === 'good' ? 'check' : 'warning'} size={20} />
          </span>
          <div>
            <Title order={2}>{title}</Title>
            {tone === 'good' && (
              <Text size="sm" c="dimmed">
                {t.overview.wellAbout(formatCount(checks.length))}
              </Text>
            )}
          </div>
        </Group>
        <Button size="compact-sm" variant="subtle" aria-expanded={isAll} onClick={() => setIsAll(!isAll)}>
          {isAll ? t.overview.fewerChecks : t.overview.allChecks}
        </Button>
      </Group>
      {shown.length > 0 && (
        <ul className={classes.list}>
          {shown.map((finding) => (
            <FindingLine key={finding.check} finding={finding} />
          ))}
        </ul>
      )}
    </>
  );
}

function FindingLine({ finding: { check, state, detail, runbook } }: { readonly finding: Finding }) {
  return (
    <li className={classes.line}>
      <StateWord tone={checkTone(state)} word={t.overview.check[state] ?? state} />
      <div className={classes.text}>
        <strong>{check}</strong>
        <span className={classes.detail}>{withCode(detail)}</span>
        {runbook !== null && <span className={classes.runbook}>{t.overview.runbook(runbook)}</span>}
      </div>
    </li>
  );
}

/** What stands between backticks is a command or a setting. */
function withCode(detail: string) {
  return detail.split('`').map((part, place) => {
    const key = `${place}`;
    return place % 2 === 1 ? <code key={key}>{part}</code> : part;
  });
}
