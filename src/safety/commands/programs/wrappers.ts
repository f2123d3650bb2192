import {program, type ProgramRow} from '../program-table.ts';
import {asOtherUser, reachesPrograms, runsElsewhere, runsText, showsEnvironment, talks, usesKeys} from './deeds.ts';

const ofSshfs = {
  options: '-p=text -M=text',
  runs: '-o -F -S --ssh --client --server ssh_command=',
} as const;

const ofStrace = {
  writes: '-o --output',
} as const;

const ofTime = {
  writes: '-o --output',
} as const;

/** Programs that run another one, which stands in their words. */
export const wrappers: readonly ProgramRow[] = [
  program('autossh', {...ofSshfs, wraps: {operands: 1, where: 'elsewhere', rule: 'exact'}}),
  program('mosh', {...ofSshfs, does: [talks], wraps: {operands: 1, where: 'elsewhere', rule: 'exact'}}),
  program('sshfs', {...ofSshfs}),
  program('strace, ltrace', {...ofStrace, does: [reachesPrograms], wraps: {}}),
  program('perf', {...ofStrace, does: [reachesPrograms], wraps: {operands: 1}}),
  program('time', {...ofTime, wraps: {flags: '-p -v'}}),
  program('gtime', {...ofTime, wraps: {}}),
  program('exec', {does: [runsText], wraps: {}}),
  program('sudo', {
    does: [asOtherUser],
    wraps: {flags: '-E -H -n -S -b -k --preserve-env --non-interactive', rule: 'exact'},
    is: 'restores',
  }),
  program('doas', {does: [asOtherUser], wraps: {rule: 'exact'}, is: 'restores'}),
  program('pkexec', {does: [asOtherUser], wraps: {rule: 'exact'}}),
  program('gosu, su-exec, setuidgid, s6-setuidgid', {does: [asOtherUser], wraps: {operands: 1, rule: 'exact'}}),
  program('chpst', {does: [asOtherUser], wraps: {}}),
  program('chroot', {does: [runsElsewhere], wraps: {operands: 1, where: 'elsewhere', rule: 'exact'}}),
  program('unshare, nsenter, systemd-inhibit, flatpak-spawn, bwrap, firejail', {does: [runsElsewhere], wraps: {}}),
  program('proot, start-stop-daemon, cgexec, capsh, setpriv, runcon', {does: [runsElsewhere], wraps: {}}),
  program('dbus-run-session, dbus-launch', {does: [runsElsewhere], wraps: {}}),
  program('systemd-run', {does: [runsElsewhere], wraps: {}, is: 'fed'}),
  program('screen', {does: [reachesPrograms], wraps: {rule: 'exact'}, is: 'fed subcommands pages'}),
  program('envchain', {does: [usesKeys], wraps: {operands: 1}}),
  program('env', {does: [showsEnvironment], wraps: {flags: '-i - -0 -v --ignore-environment'}, is: 'data restores'}),
  program('command, builtin, nohup, nice, ionice, stdbuf, setsid, unbuffer, caffeinate, busybox', {wraps: {}}),
  program('toybox, choom, fakeroot, valgrind, rlwrap, torsocks, torify, proxychains, proxychains4', {wraps: {}}),
  program('cpulimit, eatmydata, numactl, prlimit, catchsegv, dumb-init, tini, uidmapshift, linux32', {wraps: {}}),
  program('linux64, i386, x86_64, cross-env, dotenv, sshpass, env-cmd, heaptrack, softlimit, chronic', {wraps: {}}),
  program('nocache, trickle, tsocks, optirun, primusrun, gamemoderun, mangohud, padsp, aoss', {wraps: {}}),
  program('fakechroot, steam-run, pkgx, xcrun, corepack, shx, watchexec, mpirun, mpiexec, srun, ncu', {wraps: {}}),
  program('summon, envconsul, daemonize', {wraps: {}}),
  program('parallel', {wraps: {rule: 'exact'}, is: 'input fed'}),
  program('sem, run0, cross-env-shell', {wraps: {rule: 'exact'}}),
  program('watch', {wraps: {rule: 'exact'}, is: 'pages'}),
  program('entr', {wraps: {rule: 'exact'}, is: 'input'}),
  program('xargs', {wraps: {flags: '-0 -r -t -p --null --no-run-if-empty', rule: 'exact'}, is: 'input fed restores'}),
  program('xvfb-run', {wraps: {flags: '-a --auto-servernum'}}),
  program('timeout, gtimeout', {wraps: {operands: 1, flags: '-v --verbose --foreground --preserve-status'}}),
  program('chrt, taskset, setarch, faketime, rr, setlock, envdir', {wraps: {operands: 1}}),
  program('flock', {scripts: '-c --command', wraps: {operands: 1}}),
  program('sg', {wraps: {operands: 1, rule: 'exact'}}),
  program('chruby-exec, flox, py-spy, vtune', {wraps: {behind: '--'}}),
  program('rvm', {wraps: {behind: 'do'}}),
  program('nsys, devenv', {wraps: {behind: 'profile shell'}}),
  program('guix', {wraps: {behind: '-c --command --'}}),
];
