import { SimpleGrid, Stack } from '@mantine/core';
import { useNotices } from '../../shell/frame/notices.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { queries } from '../session/api.js';
import { useMe } from '../session/use-session.js';
import { t } from '../words.js';
import { PasswordForm } from './password-form.js';
import { SecondFactor } from './second-factor.js';
import { SessionTable } from './session-table.js';

/** What a person keeps in order about the own sign-in. */
export default function MePage() {
  const { name, role } = useMe();
  const notices = useNotices();
  return (
    <>
      <PageHead title={t.me.title} about={t.me.about(name, t.roles[role] ?? role)} />
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <SecondFactor />
          <Panel title={t.me.password.title}>
            <PasswordForm
              onChanged={() => {
                notices.done(t.me.password.done);
                void queries.invalidateQueries();
              }}
            />
          </Panel>
        </SimpleGrid>
        <SessionTable />
      </Stack>
    </>
  );
}
