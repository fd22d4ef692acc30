import { Button } from '@mantine/core';
import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { Icon } from '../../shell/icons.js';
import { t } from '../words.js';
import { saveExport } from './save-export.js';

interface ExportButtonProps {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly file: string;
}

export function ExportButton({ path, query = {}, file }: ExportButtonProps) {
  const [isBusy, setIsBusy] = useState(false);
  const notices = useNotices();
  const save = async () => {
    setIsBusy(true);
    await saveExport(path, query, file).then(() => notices.done(t.messages.exported(file)), notices.failed);
    setIsBusy(false);
  };
  return (
    <Button
      variant="default"
      size="sm"
      loading={isBusy}
      leftSection={<Icon name="download" size={16} />}
      onClick={() => void save()}
    >
      {t.messages.export}
    </Button>
  );
}
