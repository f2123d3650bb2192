import {effectRule, program, type ProgramRow} from '../program-table.ts';
import {runsAsOtherUser, changesShell, runsText, changesShellState} from './effect-rules.ts';

/** Shells and their builtins. */
export const shell: readonly ProgramRow[] = [
  program('bash, sh', {checks: '!-n', does: [runsText], is: 'shell restores own-words'}),
  program('zsh', {checks: '!-n', does: [runsText], is: 'shell restores'}),
  program('dash, fish', {checks: '!-n', does: [runsText], is: 'shell'}),
  program('eval', {does: [runsText], wraps: {rule: 'exact'}, is: 'input fed restores'}),
  program('source, .', {does: [runsText], is: 'input fed runs-given'}),
  program('su', {does: [runsAsOtherUser], is: 'shell'}),
  program('runuser', {does: [runsAsOtherUser], wraps: {rule: 'exact'}, is: 'shell'}),
  program('export, set, unset', {
    runs: `PAGER= MANPAGER= EDITOR= VISUAL= BROWSER= GIT_PAGER= GIT_EDITOR= GIT_SEQUENCE_EDITOR= GIT_SSH= GIT_SSH_COMMAND=
      GIT_ASKPASS= SSH_ASKPASS= GIT_EXTERNAL_DIFF= GIT_EXEC_PATH= GIT_PROXY_COMMAND= GIT_TEMPLATE_DIR= GIT_CONFIG*=*
      LD_PRELOAD= LD_AUDIT= LD_LIBRARY_PATH= DYLD_*=* BASH_ENV= ENV= PROMPT_COMMAND= NODE_OPTIONS= PYTHONSTARTUP=
      PERL5OPT= PERL5LIB= RUBYOPT= JAVA_TOOL_OPTIONS= LESSOPEN= LESSCLOSE=`,
    does: [effectRule('unknown', 'changes how the shell works', {when: /^(?:-p)?$/u, reach: 'secrets'}), changesShell],
    is: 'data variables',
  }),
  program('trap', {does: [changesShell], is: 'runs-words'}),
  program('hash', {does: [changesShell]}),
  program('hyperfine', {is: 'runs-words'}),
  program('concurrently', {is: 'runs-words runs-given'}),
  program(
    `cmd, cmd.exe, powershell, guile, racket, sbcl, clisp, gnuplot, octave, matlab, ocaml, iex, erl, bb, xonsh, nu, elvish,
      execlineb, zx, m4, salt, pdsh, pssh, dsh, dtach, abduco, systemd-nspawn, lxc-attach, wsl, wine`,
    {is: 'runs-given'},
  ),
  program('ulimit, umask', {does: [changesShell], is: 'data'}),
  program('declare, typeset, local, readonly', {does: [changesShellState], is: 'data variables'}),
  program('shopt, alias, unalias, enable, let, bind, complete, compgen, mapfile, readarray', {
    does: [changesShellState],
  }),
  program('getopts, fc, history, dirs, suspend, logout', {does: [changesShellState]}),
  program('jobs, disown, bg, fg', {does: [changesShellState], is: 'data'}),
  program('cd, pushd, popd', {
    does: [effectRule('local-change', 'goes to another folder', {reach: 'shell'})],
    is: 'data',
  }),
  program('script', {wraps: {operands: 1, rule: 'exact'}, is: 'shell'}),
  program('ksh, mksh, ash, rbash, csh, tcsh', {is: 'shell'}),
  program('echo', {is: 'data shows own-words'}),
  program('printf, test, [', {is: 'data variables shows own-words'}),
  program('read', {is: 'data fed variables'}),
  program('while', {is: 'fed'}),
];
