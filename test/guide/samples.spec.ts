import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { InstalledPackage } from '../clients/installed-package.js';
import { eventually } from '../support/eventually.js';
import { GUIDE_FILES, type Sample, samplesOf } from './guide-fences.js';
import { GuideService } from './guide-service.js';
import { compilePrograms, programsOf, runProgram } from './run-program.js';
import { runSample } from './run-sample.js';
import { ShownAnswers } from './shown-answers.js';

/** What a reader does once, before the first sample; here the service runs already. */
const DONE_BEFORE = /^export HELIOGRAPH_(URL|API_KEY)=\S+$/;

const toRun = (file: string): Sample[] => samplesOf(file).filter(({ command }) => !DONE_BEFORE.test(command));
const pages = GUIDE_FILES.filter((file) => toRun(file).length + programsOf([file]).length > 0);

let project: InstalledPackage;
beforeAll(async () => {
  project = await compilePrograms();
});
afterAll(() => project?.remove());

describe('the samples of the guide', () => {
  let service: GuideService;
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-guide-'));
  beforeAll(async () => {
    service = await GuideService.start();
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  test.each(pages)('%s: every command and program works, and answers as shown', async (file) => {
    const answers = new ShownAnswers();
    const reader = { url: service.url, apiKey: await service.account(file), folder, exports: '' };
    for (const sample of toRun(file)) await runSample(sample, answers, reader);
    // A program may show what becomes of a message that was sent before.
    for (const program of programsOf([file])) await eventually(() => runProgram(project, program, reader));
  });
});

test('there are samples to run', () => {
  expect(pages).toContain('first-send.md');
  expect(programsOf(GUIDE_FILES).length).toBeGreaterThan(5);
});
