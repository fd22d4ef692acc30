import { reservePorts } from '../../scripts/supervisor/reserve-ports.js';

/** Free ones on the loopback, all different. */
export function freePorts(...settings: readonly string[]): Promise<number[]> {
  return reservePorts(settings.map((setting) => ({ setting, host: '127.0.0.1', port: 0 })));
}
