import { useNetwork } from '@mantine/hooks';
import { words } from '../words.js';
import classes from './band.module.css';

export function OfflineNote() {
  const { online } = useNetwork();
  return (
    <div role="status">{online ? null : <p className={`${classes.band} ${classes.warning}`}>{words.offline}</p>}</div>
  );
}
