import { createQueryClient } from '../shell/api/query-client.js';
import { mountConsole } from '../shell/mount-console.js';
import { OperatorConsole } from './operator-console.js';

mountConsole(<OperatorConsole />, createQueryClient());
