import {keywords} from '../commands/layers.ts';
import {rowOf, wrappingPrograms} from '../commands/known-programs.ts';
import {wordsOf} from '../commands/program-table.ts';

/**
 * The words with which a command that runs another program can begin. Each has the subcommands that run one, or none if the word alone does.
 * The build puts the finished table in place of this module, since the rows of all programs take long to load.
 */
export const wrapperWords: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...keywords].map((word): [string, readonly string[]] => [word, []]),
  ...wrappingPrograms().flatMap((name): [string, readonly string[]][] => {
    const {behind, options} = rowOf(name)?.wraps ?? {};
    return options === undefined ? [[name, wordsOf(behind)]] : [];
  }),
]);
