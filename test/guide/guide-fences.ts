import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'docs/guide';

export interface Fence {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** A line of a session as a reader types it, and what the guide shows as the answer. */
export interface Sample {
  readonly command: string;
  readonly shown: string;
  /** Where the command stands, for messages about it. */
  readonly place: string;
}

export const GUIDE_FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.md'));

export function guideText(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

export function fencesOf(file: string): Fence[] {
  const text = guideText(file);
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    text: match[2] ?? '',
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** The commands of all `console` fences: lines with a prompt, with the lines that they continue on. */
export function samplesOf(file: string): Sample[] {
  return fencesOf(file)
    .filter(({ language }) => language === 'console')
    .flatMap(({ text, line }) => {
      const samples: { command: string; shown: string; place: string }[] = [];
      let isTyped = false;
      for (const [index, words] of text.trimEnd().split('\n').entries()) {
        const last = samples.at(-1);
        if (words.startsWith('$ '))
          samples.push({ command: words.slice(2), shown: '', place: `${file}:${line + index + 1}` });
        else if (last === undefined) throw new Error(`${file}:${line} does not begin with a command`);
        else if (isTyped) last.command += `\n${words}`;
        else last.shown += `${words}\n`;
        isTyped = (words.startsWith('$ ') || isTyped) && goesOn(samples.at(-1)?.command ?? '');
      }
      return samples;
    });
}

/** Whether a shell would read another line: after a backslash or a pipe, and inside of quotation marks. */
function goesOn(command: string): boolean {
  return /[\\|]$/.test(command) || command.split("'").length % 2 === 0;
}
