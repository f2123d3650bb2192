import {readFileSync} from 'node:fs';
import type {Command} from 'commander';
import {exiting, exitCode} from '../../app/exit-code.ts';
import {print} from '../../app/output.ts';

const scripts = {bash: 'weft.bash', zsh: '_weft', fish: 'weft.fish', powershell: 'weft.ps1'} as const;

type Shell = keyof typeof scripts;

/** `weft completion`: prints a script that calls `weft __complete` on TAB. */
export function add(command: Command): void {
  command.addArgument(command.createArgument('<shell>', 'Shell').choices(Object.keys(scripts))).action(
    exiting(async (shell: Shell) => {
      // Relative to the built program, in `dist/chunks`.
      print(readFileSync(new URL(`../../completions/${scripts[shell]}`, import.meta.url), 'utf8'));
      return exitCode.done;
    }),
  );
}
