import type {JudgedInvocation} from '../commands/analyze-command.ts';
import {plainText} from '../commands/only-reads.ts';
import {isInterpreter, isShell, takesCodeFromInput} from '../commands/known-programs.ts';
import {dependsOnArguments} from '../commands/risks.ts';
import {innerCommand, isWrapper} from '../commands/layers.ts';
import {exactPattern, parseCommandPattern} from './command-pattern.ts';
import {openWrapper} from './open-wrapper.ts';
import {networkRules, type PermissionRule} from './permission-rule.ts';
import type {RiskLevel} from '../../domain/risk.ts';

/** Commands longer than this are kept as no rule. */
const longestRule = 500;

/**
 * Rules that would let this command through next time, narrowest first. Wider ones than the command itself are offered only for
 * one plain program that neither destroys nor runs whatever it is given.
 */
export function suggestedRules(
  command: string,
  {
    asked,
    alone,
    risk,
  }: {readonly asked: readonly JudgedInvocation[]; readonly alone: boolean; readonly risk: RiskLevel},
): readonly string[] {
  if (command.length > longestRule) return [];
  const [call] = asked;
  const prefixRules =
    alone && asked.length === 1 && call !== undefined && risk !== 'destructive' ? prefixesOf(call) : [];
  return [...new Set([exactPattern(command), ...prefixRules])].filter(isUseful).map(text => `Bash(${text})`);
}

/** `npm run test:*`, `npm run:*`: the program with one or two words, when they are plain names, behind the wrappers that run it. */
function prefixesOf({words}: JudgedInvocation): readonly string[] {
  const texts = words.map(word => plainText(word) ?? '');
  const start = innerCommand(texts);
  if (start === undefined) return [];
  const before = texts.slice(0, start);
  const names = texts.slice(start, start + 3);
  const plain = names.findIndex(name => !/^[A-Za-z][\w.@:-]*$/u.test(name));
  const usable = plain < 0 ? names : names.slice(0, plain);
  const [name = ''] = usable;
  const takesSubcommand = bySubcommand.has(name);
  if (
    !before.every(word => /^[\w./:=@+-]+$/u.test(word)) ||
    destroysByArguments.has(usable.slice(0, 2).join(' ')) ||
    usable.some((_, at) => runners.has(usable.slice(0, at + 1).join(' '))) ||
    isShell(name) ||
    (!takesSubcommand && texts.slice(start + 1).some(word => runsAnother.test(word))) ||
    (!takesSubcommand && (isWrapper(name) || takesCodeFromInput(name) || dependsOnArguments(name)))
  )
    return [];
  const longest = Math.min(usable.length, takesSubcommand ? 3 : 1);
  const shortest = takesSubcommand ? 2 : 1;
  const prefixes: string[] = [];
  for (let length = longest; length >= shortest; length -= 1)
    prefixes.push(`${[...before, ...usable.slice(0, length)].join(' ')}:*`);
  return prefixes;
}

/**
 * Whether the command is one run of the project's own tests or scripts: what it may do is the project's to say, whatever arguments
 * follow. An approval for the session covers these as `npm test …`.
 */
export const runsProjectCode = (command: string): boolean => projectRun.test(command.trim());

/** No operator of the shell, and nothing before the arguments that would change what is run. */
const projectRun =
  /^(?:(?:npm|pnpm|yarn|bun)\s+(?:test|t|run\s+[\w:-]+|run-script\s+[\w:-]+)|cargo\s+(?:test|build|check|clippy)|go\s+(?:test|vet|build)|dotnet\s+(?:test|build)|swift\s+(?:test|build)|mix\s+test|(?:pytest|vitest|jest|mocha|phpunit|rspec|ctest))(?:\s[^;&|<>`$()\n]*)?$/u;

/** Words behind which a program that weft does not know is likely to take the command that it runs. */
const runsAnother = /^(?:--|exec|shell|enter|--(?:run|command|exec))$/u;

/** Harmless with some arguments, and with others the end of work that is nowhere else. */
const destroysByArguments: ReadonlySet<string> = new Set(
  'checkout restore reset clean stash branch tag rm config worktree reflog'.split(' ').map(name => `git ${name}`),
);

/** Programs whose first word says what they do. */
const bySubcommand: ReadonlySet<string> = new Set(
  'git npm pnpm yarn bun cargo go docker podman kubectl helm terraform gh glab aws gcloud az pip pip3 uv poetry bundle gem brew apt apt-get systemctl make just rake gradle mvn dotnet swift zig mix task rustup conda'.split(
    ' ',
  ),
);

function isUseful(text: string): boolean {
  const read = parseCommandPattern(text);
  if (read.tag === 'failed') return false;
  return (
    read.value.reach === 'whole' ||
    whyRuleIsBroad({tool: 'Bash', about: {kind: 'commands', pattern: read.value}}) === undefined
  );
}

/** Why a rule that allows would let nearly anything through, as half a sentence; `undefined` when it would not. */
export function whyRuleIsBroad({tool, about}: Pick<PermissionRule, 'tool' | 'about'>): string | undefined {
  if (about.kind === 'every-call') {
    if (tool === networkRules) return reachesAll;
    return tool === 'Bash' ? 'it lets every command through' : undefined;
  }
  if (about.kind === 'domains' && tool === networkRules && about.pattern.kind === 'every-host') return reachesAll;
  if (about.kind !== 'commands') return undefined;
  const {text, reach} = about.pattern;
  const words = text.replaceAll(/["']/gu, '').split(/\s+/u);
  const isOpen = reach === 'beginning' || words.at(-1)?.includes('*') === true;
  const program = (words[0] ?? '').replaceAll('\\', '');
  if (program.includes('*')) return 'it lets any program through';
  const name = program.slice(program.lastIndexOf('/') + 1).toLowerCase();
  const others = words.slice(1).filter(word => !word.startsWith('-') && word !== '*');
  if (!isOpen) return undefined;
  const wrapper = openWrapper(about.pattern);
  if (wrapper !== undefined) return `${wrapper} runs any other program`;
  const [first] = others;
  if ((isShell(name) || isInterpreter(name) || runsText.test(name) || runsArguments(name)) && first === undefined)
    return `${name} runs whatever it is given`;
  const call = [name, ...others].join(' ');
  if (runners.has(call) || runsArguments(call)) return `${call} runs any other program`;
  const abilities = first === undefined ? programsWithManyFaces.get(name) : undefined;
  if (abilities !== undefined) return `${name} can ${abilities}`;
  return [...runners].some(runner => runner.startsWith(`${call} `)) ? `${call} can run any other program` : undefined;
}

const reachesAll = 'commands in the sandbox may then send any file anywhere';

/** Further programs that run a text that they are given. */
const runsText =
  /^(?:source|\.|[gm]?awk|cmd(?:\.exe)?|powershell|guile|racket|sbcl|clisp|gnuplot|octave|matlab|ocaml|iex|erl|clj|clojure|bb|xonsh|nu|elvish|execlineb|zx|m4|emacs|ansible|salt|pdsh|pssh|dsh|concurrently|crontab|at|batch|dtach|abduco|systemd-nspawn|lxc-attach|wsl|wine)$/u;

/** True for a command whose arguments are a command: an allow rule must name that one to its end. */
export const runsArguments = (command: string): boolean =>
  /^(?:trap|hyperfine|concurrently|nix-shell|git (?:bisect run|submodule foreach))(?: |$)/u.test(command);

/** Commands that run any program: in a container, on another machine, by a setting, or from elsewhere. */
const runners: ReadonlySet<string> = new Set(
  Object.entries({
    docker: 'run|exec|compose run|compose exec|container run|container exec',
    podman: 'run|exec|compose run|compose exec|container run|container exec',
    nerdctl: 'run|exec|compose run|compose exec',
    'docker-compose': 'run|exec',
    buildah: 'run',
    kubectl: 'exec|run|debug',
    oc: 'exec|run|debug|rsh',
    crictl: 'exec',
    ctr: 'run',
    lxc: 'exec',
    incus: 'exec',
    machinectl: 'shell',
    multipass: 'exec',
    vagrant: 'ssh',
    toolbox: 'run',
    distrobox: 'enter',
    apptainer: 'exec|run',
    singularity: 'exec|run',
    flatpak: 'run',
    snap: 'run',
    zellij: 'run',
    heroku: 'run',
    railway: 'run',
    fly: 'ssh',
    flyctl: 'ssh',
    gcloud: 'compute ssh',
    aws: 'ssm start-session|ssm send-command',
    az: 'vm run-command',
    gh: 'codespace ssh|extension exec|extension install|alias set|alias import|config set',
    glab: 'alias set|config set',
    consul: 'exec|lock|watch',
    etcdctl: 'lock|watch',
    sops: 'exec-env|exec-file',
    nix: 'run',
    mix: 'cmd',
    deno: 'eval',
    npm: 'config set|config edit|set|explore|init|create|innit',
    pnpm: 'config set|set|create',
    yarn: 'config set|create',
    bun: 'create',
    git: 'config|bisect',
  }).flatMap(([name, ends]) => ends.split('|').map(end => `${name} ${end}`)),
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
