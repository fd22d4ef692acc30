import { Anchor } from '@mantine/core';
import { PageHead } from '../../shell/frame/page-head.js';
import { t } from '../words.js';

export default function OverviewPage() {
  return (
    <>
      <PageHead title={t.overview.title} />
      <Anchor href="/queues">{t.overview.queues}</Anchor>
    </>
  );
}
