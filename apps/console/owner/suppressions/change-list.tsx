import type { SuppressionAdded, SuppressionRemoved } from '#client';
import { useNotices } from '../../shell/frame/notices.js';
import { NumberDialog } from '../parts/number-dialog.js';
import { api } from '../session/api.js';
import { t } from '../words.js';

interface ChangeListProps {
  readonly kind: 'add' | 'remove';
  readonly path: string;
  readonly onClose: () => void;
}

/** Puts a number on the list, or takes it off. */
export function ChangeList({ kind, path, onClose }: ChangeListProps) {
  const words = t.suppressions;
  const notices = useNotices();
  const change = async (recipient: string) => {
    if (kind === 'add') {
      const body = { recipient };
      const { canceledMessages } = await api.request<SuppressionAdded>(path, { method: 'POST', body });
      notices.done(words.added(canceledMessages));
    } else {
      const itsPath = `${path}/${encodeURIComponent(recipient)}`;
      const { removed } = await api.request<SuppressionRemoved>(itsPath, { method: 'DELETE' });
      notices.done(removed ? words.removed : words.notThere);
    }
  };
  const [act, about] = kind === 'add' ? [words.add, words.addAbout] : [words.remove, words.removeAbout];
  return <NumberDialog act={act} about={about} label={words.number} change={change} onClose={onClose} />;
}
