import { mountConsole } from '../shell/mount-console.js';
import { OwnerConsole } from './owner-console.js';
import { queries } from './session/api.js';

mountConsole(<OwnerConsole />, queries);
