import {existsSync, lstatSync} from 'node:fs';
import {join} from 'node:path';
import type {SandboxPlace} from './sandbox-place.ts';

/** What a command may try, with a way to see from outside whether it has done it. */
export interface Attack {
  readonly name: string;
  readonly command: (place: SandboxPlace) => string;
  /** Whether it has done what it must not do. */
  readonly succeeded: (place: SandboxPlace) => boolean | Promise<boolean>;
  /** Whether it works outside, which shows that the test would see it. Some need rights that not every user has. */
  readonly outside: 'works' | 'may not work';
}

const connectTo = (target: string): string =>
  `node -e 'const s = require("net").connect(${target}); s.on("error", () => {}); s.on("connect", () => s.destroy())'`;

const outsideChanged = ({outside, text}: SandboxPlace): boolean => text(join(outside, 'file')) !== 'as it was';
const connected =
  (name: string) =>
  ({connections}: SandboxPlace): boolean =>
    connections.includes(name);
const hookMade = ({root}: SandboxPlace): boolean => existsSync(join(root, '.git/hooks/pre-commit'));

export const attacks: readonly Attack[] = [
  {name: 'writes outside', command: () => 'echo x >"$OUT/file"', succeeded: outsideChanged, outside: 'works'},
  {
    name: 'writes through a link',
    command: () => 'ln -s "$OUT" link; echo x >link/file',
    succeeded: outsideChanged,
    outside: 'works',
  },
  {
    name: 'writes through a hard link',
    command: () => 'ln "$OUT/file" hard; echo x >>hard',
    succeeded: outsideChanged,
    outside: 'works',
  },
  {
    name: 'writes through the roots of processes',
    command: () => 'for process in /proc/[0-9]*; do echo x >"$process/root$OUT/file"; done',
    succeeded: outsideChanged,
    outside: 'works',
  },
  {
    name: 'writes through the folders of processes',
    command: () => 'for process in /proc/[0-9]*; do echo x >"$process/cwd/../outside/file"; done',
    succeeded: outsideChanged,
    outside: 'works',
  },
  {
    name: 'writes through what is open',
    command: () => 'exec 7<"$OUT"; echo x >/proc/self/fd/7/file; exec 8<"$OUT/file"; echo x >/proc/self/fd/8',
    succeeded: outsideChanged,
    outside: 'works',
  },
  {
    name: 'makes a folder writable again',
    command: () => 'mount -o remount,rw,bind "$OUT"; mount -o remount,rw /; chmod 777 "$OUT/file"; echo x >"$OUT/file"',
    succeeded: outsideChanged,
    outside: 'works',
  },
  {
    name: 'writes from a sandbox of its own',
    command: () => 'bwrap --dev-bind / / sh -c \'mount -o remount,rw,bind "$OUT"; echo x >"$OUT/file"\'',
    succeeded: outsideChanged,
    outside: 'may not work',
  },
  {
    name: 'writes from the background, in a session of its own',
    command: () =>
      '(setsid sh -c \'echo x >"$OUT/file"; echo x >late\' >/dev/null 2>&1 &); while [ ! -e late ]; do sleep 0.02; done',
    succeeded: outsideChanged,
    outside: 'works',
  },
  {
    name: 'reads a secret',
    command: () => 'cat ~/.ssh/key >got',
    succeeded: ({root, text}) => text(join(root, 'got')).includes('the secret'),
    outside: 'works',
  },
  {
    name: 'reads what a rule denies',
    command: () => 'cat denied.txt >got',
    succeeded: ({root, text}) => text(join(root, 'got')).includes('denied text'),
    outside: 'works',
  },
  {
    name: 'makes a hook',
    command: () => 'mkdir -p .git/hooks; echo x >.git/hooks/pre-commit',
    succeeded: hookMade,
    outside: 'works',
  },
  {
    name: 'makes a hook in a copy of the repository under its name',
    command: () => 'mv .git old; cp -r old .git; mkdir -p .git/hooks; echo x >.git/hooks/pre-commit',
    succeeded: hookMade,
    outside: 'works',
  },
  {
    name: 'names other hooks',
    command: () => 'git config core.hooksPath evil',
    succeeded: ({root, text}) => text(join(root, '.git/config')).includes('evil'),
    outside: 'works',
  },
  {
    name: 'leads git to another configuration',
    command: () => 'cp -r .git evil; echo ../evil >.git/commondir',
    succeeded: ({has}) => has('.git/commondir'),
    outside: 'works',
  },
  {
    name: 'mounts something else over what is protected',
    command: () => `unshare -Urm sh -c 'umount .git/hooks; mount --bind . .git/hooks; echo x >.git/hooks/pre-commit'`,
    succeeded: hookMade,
    outside: 'may not work',
  },
  {
    name: 'ends a process outside',
    command: ({victim}) => `kill -9 ${String(victim.pid)}`,
    async succeeded({victim}) {
      await new Promise(resolve => setTimeout(resolve, 50));
      return victim.signalCode !== null;
    },
    outside: 'works',
  },
  {
    name: 'takes hold of a process outside with a debugger’s means',
    // PTRACE_SEIZE; the number of the system call is that of each processor.
    command: ({victim}) =>
      `perl -e 'exit(syscall(${process.arch === 'arm64' ? '117' : '101'}, 0x4206, ${String(victim.pid)}, 0, 0) == 0 ? 0 : 1)' && echo x >got`,
    succeeded: ({root, text}) => text(join(root, 'got')) !== '',
    outside: 'may not work',
  },
  {
    name: 'reads the memory of a process outside',
    command: ({victim}) => `head -c 1 /proc/${String(victim.pid)}/maps >got`,
    succeeded: ({root, text}) => text(join(root, 'got')) !== '',
    outside: 'works',
  },
  {
    name: 'reads the variables of a process outside',
    command: ({victim}) => `tr '\\0' '\\n' </proc/${String(victim.pid)}/environ >got`,
    succeeded: ({root, text}) => text(join(root, 'got')) !== '',
    outside: 'works',
  },
  {
    name: 'connects to loopback',
    command: ({port}) => connectTo(String(port)),
    succeeded: connected('tcp'),
    outside: 'works',
  },
  {
    name: 'connects to a unix socket',
    command: ({outside}) => connectTo(`"${outside}/s"`),
    succeeded: connected('socket'),
    outside: 'works',
  },
  {
    name: 'connects to an abstract socket',
    command: ({abstract}) => connectTo(String.raw`"\0${abstract}"`),
    succeeded: connected('abstract'),
    outside: 'works',
  },
  {
    name: 'makes a device',
    command: () => 'mknod device b 7 0',
    succeeded: ({root}) => lstatSync(join(root, 'device'), {throwIfNoEntry: false}) !== undefined,
    outside: 'may not work',
  },
];
