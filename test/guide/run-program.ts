import { freePort } from '../../scripts/process/free-port.js';
import { InstalledPackage } from '../clients/installed-package.js';
import { fencesOf, GUIDE_FILES } from './guide-fences.js';
import type { Reader } from './run-sample.js';

/** A sample in TypeScript. */
export interface Program {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** The page with the lines that all other programs begin with: they make the client. */
const FIRST_PAGE = 'first-send.md';

/** Every program of the guide, as a reader would have it: with the lines that make the client, if it uses it. */
export function programsOf(files: readonly string[]): Program[] {
  const [makesClient] = fencesOf(FIRST_PAGE).filter(({ language }) => language === 'ts');
  return files.flatMap((file) =>
    fencesOf(file)
      .filter(({ language }) => language === 'ts')
      .map(({ text, line }) => ({
        name: `${file.replace('.md', '')}-${line}`,
        file,
        line,
        code: /\bclient\./.test(text) && !text.includes('const client = ') ? `${makesClient?.text}${text}` : text,
      })),
  );
}

/** The project of a reader, in which all programs of the guide are compiled. */
export async function compilePrograms(): Promise<InstalledPackage> {
  const project = await InstalledPackage.make();
  const files = programsOf(GUIDE_FILES).map(({ name, code }) => [`${name}.ts`, `${code}export {};\n`] as const);
  await project.compile(Object.fromEntries(files), {});
  return project;
}

/**
 * Runs a program to its end.
 *
 * @throws Error if it fails, or does not print what comments behind `console.log` say, in their order
 */
export async function runProgram(project: InstalledPackage, program: Program, reader: Reader): Promise<void> {
  const PORT = String(await freePort());
  const environment = { HELIOGRAPH_URL: reader.url, HELIOGRAPH_API_KEY: reader.apiKey, PORT };
  const { stdout } = await project.run(process.execPath, [`${program.name}.js`], environment);
  const printed = stdout.split('\n');
  for (const [, words = ''] of program.code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)) {
    const at = printed.indexOf(words);
    if (at < 0) throw new Error(`${program.file}:${program.line} prints no "${words}", but\n${stdout}`);
    printed.splice(0, at + 1);
  }
}
