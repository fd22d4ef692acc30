import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The pictures that README and documents show, by what the journeys of test/browser call them. */
const SHOWN: Readonly<Record<string, string>> = {
  'owner/overview': 'overview',
  'owner/overview-dark': 'overview-dark',
  'owner/overview-phone': 'overview-phone',
  'owner/messages': 'messages',
  'owner/compose': 'compose',
  'operator/overview': 'operator',
  'operator/carrier': 'operator-carrier',
  'operator/route-editor': 'operator-routes',
};
const FOLDER = join(process.cwd(), 'docs/images');

/** Runs the journeys of the consoles, and writes the pictures of the real thing to docs/images. */
async function main(): Promise<number> {
  const taken = mkdtempSync(join(tmpdir(), 'heliograph-screenshots-'));
  try {
    const suite = fileURLToPath(new URL('main.js', import.meta.url));
    const child = spawn(process.execPath, [suite, 'test/browser'], {
      env: { ...process.env, REQUIRE_CHROMIUM: '1', SCREENSHOTS_DIR: taken },
      stdio: 'inherit',
    });
    const [code] = await once(child, 'exit');
    mkdirSync(FOLDER, { recursive: true });
    for (const [name, shown] of Object.entries(SHOWN)) {
      const file = join(taken, `${name}.png`);
      if (existsSync(file)) copyFileSync(file, join(FOLDER, `${shown}.png`));
    }
    return typeof code === 'number' ? code : 1;
  } finally {
    rmSync(taken, { recursive: true, force: true });
  }
}

process.exitCode = await main();
