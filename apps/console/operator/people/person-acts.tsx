import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { RowMenu } from '../../shell/table/row-menu.js';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import type { Role } from '../session/session.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import type { NewPassword, Operator } from './operator.js';
import { RoleChoice } from './role-choice.js';

type Asked = 'role' | 'reset' | 'disable' | 'remove';

interface PersonActsProps {
  readonly operator: Operator;
  /** A person does not take the own role or access away here. */
  readonly isSelf: boolean;
  readonly onPassword: (made: NewPassword) => void;
}

export function PersonActs({ operator, isSelf, onPassword }: PersonActsProps) {
  const { name, status } = operator;
  const path = `/operators/${encodeURIComponent(name)}`;
  const may = useMay();
  const notices = useNotices();
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const reset = useAct<NewPassword>({
    onDone: (made) => {
      close();
      onPassword(made);
    },
  });
  const change = useAct<unknown>({ onDone: close });
  const run = (options: Parameters<typeof change.mutate>[0], words: string) =>
    change.mutate(options, { onSuccess: () => notices.done(words) });
  const isActive = status === 'active';
  return (
    <>
      <RowMenu
        label={`${t.people.change}: ${name}`}
        acts={[
          { label: t.people.changeRole, onClick: () => setAsked('role'), isOffered: !isSelf && may('operator.role') },
          { label: t.people.reset, onClick: () => setAsked('reset'), isOffered: !isSelf && may('operator.reset') },
          {
            label: t.people.signOut,
            onClick: () => run({ path: `${path}/sessions`, method: 'DELETE' }, t.people.signedOut(name)),
            isOffered: !isSelf && operator.sessions > 0 && may('operator.sessions.end'),
          },
          {
            label: t.people.disable,
            onClick: () => setAsked('disable'),
            isOffered: !isSelf && isActive && may('operator.disable'),
          },
          {
            label: t.people.enable,
            onClick: () => run({ path: `${path}/enable` }, t.people.enabled(name)),
            isOffered: !isActive && may('operator.enable'),
          },
          {
            label: t.people.remove,
            onClick: () => setAsked('remove'),
            isOffered: !isSelf && may('operator.remove'),
            isDangerous: true,
          },
        ]}
      />
      {asked === 'role' && <ChangeRole operator={operator} onClose={close} />}
      <ConfirmDialog
        isOpen={asked === 'reset'}
        title={t.people.resetTitle(name)}
        act={t.people.reset}
        isBusy={reset.isPending}
        onConfirm={() => reset.mutate({ path: `${path}/reset` })}
        onClose={close}
      >
        {t.people.resetAbout}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'disable'}
        title={t.people.disableTitle(name)}
        act={t.people.disable}
        isDangerous
        isBusy={change.isPending}
        onConfirm={() => run({ path: `${path}/disable` }, t.people.disabledDone(name))}
        onClose={close}
      >
        {t.people.disableAbout}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'remove'}
        title={t.people.removeTitle(name)}
        act={t.people.remove}
        isDangerous
        isBusy={change.isPending}
        onConfirm={() => run({ path, method: 'DELETE' }, t.people.removed(name))}
        onClose={close}
      >
        {t.people.removeAbout}
      </ConfirmDialog>
    </>
  );
}

function ChangeRole({
  operator: { name, role },
  onClose,
}: {
  readonly operator: Operator;
  readonly onClose: () => void;
}) {
  const notices = useNotices();
  const [wanted, setWanted] = useState<Role>(role);
  const change = useAct<Operator>({
    isQuiet: true,
    onDone: () => {
      notices.done(t.people.roleChanged(name, t.roles[wanted] ?? wanted));
      onClose();
    },
  });
  return (
    <FormDialog
      isOpen
      title={t.people.roleTitle(name)}
      act={t.save}
      isBusy={change.isPending}
      isReady={wanted !== role}
      error={change.error}
      onSubmit={() =>
        change.mutate({ path: `/operators/${encodeURIComponent(name)}/role`, method: 'PUT', body: { role: wanted } })
      }
      onClose={onClose}
    >
      <RoleChoice role={wanted} onChange={setWanted} />
    </FormDialog>
  );
}
