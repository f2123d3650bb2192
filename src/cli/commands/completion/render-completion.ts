import type {Command} from 'commander';
import {unreachable} from '../../../base/unreachable.ts';
import {bashCompletion} from './bash-completion.ts';
import {commandTree} from './command-tree.ts';
import {fishCompletion} from './fish-completion.ts';
import {powershellCompletion} from './powershell-completion.ts';
import {zshCompletion} from './zsh-completion.ts';

export type CompletionShell = 'bash' | 'zsh' | 'fish' | 'powershell';

/**
 * The completion script of a program for a shell. All that the program knows is written into the script, so that a TAB does
 * not start the program.
 */
export function renderCompletion(program: Command, shell: CompletionShell): string {
  const tree = commandTree(program);
  switch (shell) {
    case 'bash':
      return bashCompletion(tree);
    case 'zsh':
      return zshCompletion(tree);
    case 'fish':
      return fishCompletion(tree);
    case 'powershell':
      return powershellCompletion(tree);
    default:
      return unreachable(shell);
  }
}
