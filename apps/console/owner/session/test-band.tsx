import band from '../../shell/frame/band.module.css';
import { t } from '../words.js';

/** Test mode is told by colour and by words, over every page. */
export function TestBand() {
  return <p className={`${band.band} ${band.test}`}>{t.session.testBand}</p>;
}
