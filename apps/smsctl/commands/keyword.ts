import { Argument, type Command } from 'commander';
import { addCommand } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { table } from '../text.js';

type Action = AnswerOf<'keyword.set'>['action'];

const ACTIONS: readonly Action[] = ['stop', 'start', 'help'];
const MEANINGS: Readonly<Record<Action, string>> = {
  stop: 'puts its sender on the suppression list of the account that it answers',
  start: 'takes its sender off that list',
  help: 'is marked, and does nothing else',
};

export function addKeywordCommands(keyword: Command, session: Session): void {
  addCommand(keyword, 'list', 'list the words that opt out and in', ['keyword list']).action(
    (_options, command: Command) =>
      session.show(command, 'keyword.list', {}, (words) =>
        table(
          ['action', 'language', 'word'],
          words.map(({ action, language, word }) => [action, language, word]),
          'No keywords.',
        ),
      ),
  );

  addCommand(keyword, 'set', 'set what a word does when it is the whole text of a message', [
    'keyword set stop de stopp',
    'keyword set help en info',
  ])
    .addArgument(new Argument('<action>', 'what it does').choices(ACTIONS))
    .argument('<language>', 'a language code, for people: a word counts whatever language the handset has')
    .argument('<word>', 'at most 40 characters; upper and lower case are the same')
    .action((action: Action, language: string, word: string, _options, command: Command) =>
      session.show(
        command,
        'keyword.set',
        { action, language, word },
        (set) => `A message "${set.word}" ${MEANINGS[set.action]} from now on.`,
      ),
    );

  addCommand(keyword, 'remove', 'remove a word', ['keyword remove info'])
    .argument('<word>', 'the word')
    .action((word: string, _options, command: Command) =>
      session.show(command, 'keyword.remove', { word }, (gone) => `A message "${gone.word}" does nothing any more.`),
    );
}
