import { mountConsole } from '../shell/mount-console.js';
import { OperatorConsole } from './operator-console.js';
import { queries } from './session/api.js';

mountConsole(<OperatorConsole />, queries);
