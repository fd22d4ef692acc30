import type { FrameSection } from '../shell/frame/app-frame.js';
import { t } from './words.js';

/** The menu of the owners' console. */
export const navigation: readonly FrameSection[] = [
  { links: [{ path: '/', label: t.overview.title, icon: 'overview' }] },
];
