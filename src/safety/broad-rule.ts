import type {PermissionRule} from './rules.ts';

/** Why a rule that allows would let nearly anything through, as half a sentence; `undefined` when it would not. */
export function broadness({tool, about}: PermissionRule): string | undefined {
  if (about.kind === 'every-call') {
    return tool === 'Bash' ? 'it lets every command through' : undefined;
  }
  if (about.kind !== 'commands') return undefined;
  const {text, reach} = about.pattern;
  const words = text.replaceAll(/["']/gu, '').split(/\s+/u);
  const isOpen = reach === 'beginning' || words.at(-1)?.includes('*') === true;
  const program = (words[0] ?? '').replaceAll('\\', '');
  if (program.includes('*')) return 'it lets any program through';
  const name = program.slice(program.lastIndexOf('/') + 1).toLowerCase();
  const others = words.slice(1).filter(word => !word.startsWith('-') && word !== '*');
  if (!isOpen) return undefined;
  const [first] = others;
  if (runsGivenText.test(name) && first === undefined) return `${name} runs whatever it is given`;
  if (runsGivenCommand.has(name) && others.every(word => word.includes('*'))) return `${name} runs any other program`;
  if (runsBySubcommand.get(name)?.includes(first ?? '') === true && others.length === 1) {
    return `${name} ${first ?? ''} runs any other program`;
  }
  const wide = first === undefined ? programsWithManyFaces.get(name) : undefined;
  return wide === undefined ? undefined : `${name} can ${wide}`;
}

/** Shells and interpreters, in all their versions. */
const runsGivenText =
  /^(?:(?:ba|z|da|k|mk|a|fi|c|tc|rba)?sh|pwsh|powershell|cmd|python[\d.]*|pypy[\d.]*|ipython|node|nodejs|deno|bun|tsx|ts-node|ruby|irb|perl|php[\d.]*|lua[\d.]*|luajit|osascript|tclsh|rscript|r|julia|groovy|scala|jshell|eval|source|\.|g?awk|mawk|sqlite3|psql|mysql)$/u;

const runsGivenCommand: ReadonlySet<string> = new Set(
  [
    'sudo doas su pkexec runuser env command builtin exec nohup setsid nice ionice time timeout gtimeout stdbuf xargs',
    'parallel watch chroot unshare nsenter script expect strace ltrace busybox toybox ssh flock taskset chrt caffeinate',
    'entr npx bunx uvx pipx',
  ].flatMap(line => line.split(' ')),
);

const runsBySubcommand: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    npm: ['exec', 'x'],
    pnpm: ['exec', 'dlx'],
    yarn: ['exec', 'dlx'],
    docker: ['run', 'exec'],
    podman: ['run', 'exec'],
    kubectl: ['exec', 'run', 'debug'],
    uv: ['run'],
    poetry: ['run'],
    bundle: ['exec'],
    mise: ['exec', 'x'],
    git: ['config', 'bisect'],
  }),
);

const programsWithManyFaces: ReadonlyMap<string, string> = new Map(
  Object.entries({
    git: 'run programs by its configuration, rewrite history and push',
    find: 'run programs and delete files',
    fd: 'run programs',
    tar: 'run programs and overwrite files',
    docker: 'run any program with your files',
    podman: 'run any program with your files',
    kubectl: 'change and run anything in the cluster',
    npm: 'run any package',
    pnpm: 'run any package',
    yarn: 'run any package',
    rm: 'delete any file',
    dd: 'overwrite any file',
    sed: 'change files and run programs',
    curl: 'send any file anywhere',
    wget: 'send any file anywhere',
    scp: 'send any file anywhere',
    rsync: 'run programs and overwrite any file',
    vim: 'run any program',
    vi: 'run any program',
    chmod: 'change the rights of any file',
  }),
);
