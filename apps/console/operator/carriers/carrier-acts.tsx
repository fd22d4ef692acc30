import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useNotices } from '../../shell/frame/notices.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { RowMenu } from '../../shell/table/row-menu.js';
import { useAct } from '../parts/use-act.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { type Carrier, type CarrierChanged, pathOf } from './carrier.js';
import { EditCarrier } from './edit-carrier.js';
import { TestMessage } from './test-message.js';

type Asked = 'pause' | 'resume' | 'test' | 'edit' | 'remove';

interface CarrierActsProps {
  readonly carrier: Carrier;
  readonly isMenu?: boolean;
  readonly onNotes: (notes: readonly string[]) => void;
}

/** What an operator does with a carrier: pause, resume, send a test, change and remove it. */
export function CarrierActs({ carrier, isMenu = false, onNotes }: CarrierActsProps) {
  const { name, paused } = carrier;
  const may = useMay();
  const notices = useNotices();
  const [, go] = useLocation();
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const act = (word: 'pause' | 'resume') => change.mutate({ path: `${pathOf(name)}/${word}` });
  const change = useAct<CarrierChanged>({
    onDone: ({ paused: isPaused, notes }) => {
      close();
      onNotes(notes);
      if (isPaused) notices.done(t.carriers.paused(name), () => act('resume'));
      else notices.done(t.carriers.resumed(name), () => act('pause'));
    },
  });
  const remove = useAct<CarrierChanged>({
    onDone: ({ notes }) => {
      close();
      onNotes(notes);
      notices.done(t.carriers.removed(name));
      if (!isMenu) go('/carriers');
    },
  });
  const acts = [
    { label: t.carriers.test, onClick: () => setAsked('test'), isOffered: may('carrier.test') },
    {
      label: paused ? t.carriers.resume : t.carriers.pause,
      onClick: () => setAsked(paused ? 'resume' : 'pause'),
      isOffered: may(paused ? 'carrier.resume' : 'carrier.pause'),
    },
    { label: t.carriers.edit, onClick: () => setAsked('edit'), isOffered: may('carrier.set') },
    {
      label: t.carriers.remove,
      onClick: () => setAsked('remove'),
      isOffered: may('carrier.remove'),
      isDangerous: true,
    },
  ];
  return (
    <>
      {isMenu ? (
        <RowMenu label={`${t.more}: ${name}`} acts={acts} />
      ) : (
        <Group gap="xs">
          {acts
            .filter(({ isOffered }) => isOffered)
            .map(({ label, onClick, isDangerous = false }) => (
              <Button key={label} variant="default" onClick={onClick} {...(isDangerous && { c: 'error' })}>
                {label}
              </Button>
            ))}
        </Group>
      )}
      <ConfirmDialog
        isOpen={asked === 'pause' || asked === 'resume'}
        title={asked === 'resume' ? t.carriers.resumeTitle(name) : t.carriers.pauseTitle(name)}
        act={asked === 'resume' ? t.carriers.resume : t.carriers.pause}
        isBusy={change.isPending}
        onConfirm={() => act(asked === 'resume' ? 'resume' : 'pause')}
        onClose={close}
      >
        {asked === 'resume' ? t.carriers.resumeAbout : t.carriers.pauseAbout}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'remove'}
        title={t.carriers.removeTitle(name)}
        act={t.carriers.remove}
        isDangerous
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({ path: pathOf(name), method: 'DELETE', query: { withRoutes: 'true' } })}
        onClose={close}
      >
        {`${t.carriers.removeAbout} ${t.carriers.removeRoutes}`}
      </ConfirmDialog>
      {asked === 'test' && <TestMessage name={name} onClose={close} />}
      {asked === 'edit' && <EditCarrier carrier={carrier} onClose={close} onNotes={onNotes} />}
    </>
  );
}
