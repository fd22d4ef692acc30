import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What checks the chart, as `node scripts/helm/fetch.mjs FOLDER` fetches it. */
export interface HelmTools {
  readonly version: string;
  /** Has `helm`, and in `node_modules` the types of Kubernetes' objects. */
  readonly folder: string;
}

/** The tools in the folder that TEST_HELM_DIR names; undefined if it is unset or they do not run. */
export function findHelm(environment: NodeJS.ProcessEnv): HelmTools | undefined {
  const folder = environment.TEST_HELM_DIR;
  if (!folder || !existsSync(join(folder, 'node_modules', 'kubernetes-models'))) return undefined;
  const { status, stdout } = spawnSync(join(folder, 'helm'), ['version', '--short'], { encoding: 'utf8' });
  const version = /^v([\d.]+)/.exec(stdout ?? '')?.[1];
  return status === 0 && version !== undefined ? { version, folder } : undefined;
}
