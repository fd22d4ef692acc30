import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CORE_SCHEMA, loadAll, mergeTag } from 'js-yaml';
import ts from 'typescript';
import type { HelmTools } from '../../scripts/helm/local-helm.js';

export const CHART = 'deploy/helm/heliograph';

export interface Environment {
  readonly name: string;
  readonly value?: string;
}

export interface Container {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: readonly Environment[];
  readonly resources: { readonly requests: Record<string, string>; readonly limits: Record<string, string> };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly ports?: readonly { readonly name: string }[];
  readonly [field: string]: unknown;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string; readonly items?: readonly { readonly key: string }[] };
  }[];
  readonly terminationGracePeriodSeconds?: number;
  readonly [field: string]: unknown;
}

/** An object of Kubernetes, with the fields that the specs look at. */
export interface ChartObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly replicas?: number;
    readonly template?: {
      readonly metadata: {
        readonly labels: Record<string, string>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: PodSpec;
    };
    readonly selector?: Record<string, unknown>;
    readonly [field: string]: unknown;
  };
}

export interface Rendered {
  /** The first lines that Helm says when it refuses; empty when it does not. */
  readonly refusal: string;
  readonly text: string;
  readonly objects: readonly ChartObject[];
}

/** What Helm makes of the chart with these arguments (`--set`, `-f`). */
export function renderChart(tools: HelmTools, ...args: string[]): Rendered {
  const { status, stdout, stderr } = spawnSync(join(tools.folder, 'helm'), ['template', 'sms', CHART, ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) return { refusal: stderr, text: '', objects: [] };
  const documents = loadAll(stdout, null, { schema: CORE_SCHEMA.withTags(mergeTag) }) as (ChartObject | null)[];
  return { refusal: '', text: stdout, objects: documents.filter((each) => each !== null) };
}

/**
 * What TypeScript says of objects, written as literals of the types of their kinds: unknown and missing fields, and
 * wrong types. Empty: nothing. The types are those of Kubernetes 1.27 and of KEDA.
 */
export function typeFaults(tools: HelmTools, objects: readonly unknown[]): string[] {
  const file = join(tools.folder, 'rendered.ts');
  const source = objects.map((object, index) => {
    const { apiVersion, kind } = object as ChartObject;
    const library = apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models';
    const type = `import('${library}/${apiVersion}/${kind}').I${kind}`;
    return `export const object${index}: ${type} = ${JSON.stringify(object, null, 1)};`;
  });
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2023.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  const exists = host.fileExists.bind(host);
  host.fileExists = (name) => name === file || exists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === file ? ts.createSourceFile(name, source.join('\n'), version) : readSource(name, version, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start, file: of }) => {
    const text = of?.text ?? '';
    const line = text.slice(text.lastIndexOf('\n', start) + 1, text.indexOf('\n', start)).trim();
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
