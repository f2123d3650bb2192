import {type RiskLevel, riskLevels} from '../../domain/risk.ts';
import {type CommandPlace, type Layer, layers, programName, shellTextsFrom} from './layers.ts';

/** What programs do that do not only read. It raises what a card shows; it lets nothing through. */
interface RiskRow {
  /** `rm`, `git push`: the program and words that follow it, options apart; several with a comma between them. */
  readonly names: string;
  /** One of its arguments must fit. */
  readonly argument: RegExp;
  readonly risk: RiskLevel;
  /** The predicate of a sentence about the command: "Deletes files (rm a)". */
  readonly does: string;
  readonly reach: ProgramReach;
}

/**
 * The needs of a program besides reading. An overlay gives the program the first two, and `puts-files` if no file is lost: weft decides
 * about the changes afterwards. About all other needs weft asks before.
 */
type ProgramReach =
  | 'runs-code'
  | 'changes-files'
  | 'puts-files'
  | 'destroys'
  | 'repository'
  | 'network'
  | 'machine'
  | 'secrets'
  | 'shell';

const usualReach: Readonly<Record<RiskLevel, ProgramReach>> = {
  'read-only': 'changes-files',
  'local-change': 'changes-files',
  external: 'network',
  destructive: 'destroys',
  unknown: 'runs-code',
};

const riskRow = (
  names: string,
  risk: RiskLevel,
  does: string,
  {argument = /^/u, reach = usualReach[risk]}: Partial<Pick<RiskRow, 'argument' | 'reach'>> = {},
): RiskRow => ({names, risk, does, argument, reach});

/** Programs that talk to whatever host they are given. */
const networkPrograms =
  'curl, wget, http, https, httpie, xh, aria2c, nc, ncat, netcat, socat, websocat, telnet, ftp, lftp, ping, dig, nslookup, host, whois, traceroute, mtr, nmap, openssl, ssh, scp, sftp, rsync, mosh, rclone';

/** The rows of all programs, the worst risk first. */
const riskRows: readonly RiskRow[] = [
  riskRow('rm, rmdir, unlink, shred, srm, trash, trash-put, rimraf, del-cli', 'destructive', 'deletes files'),
  riskRow('git mv', 'destructive', 'can overwrite files'),
  riskRow('mv', 'destructive', 'can overwrite files', {reach: 'puts-files'}),
  riskRow('cp, install, ln', 'destructive', 'can overwrite files', {argument: /^-\w*f|^--force/u, reach: 'puts-files'}),
  riskRow('truncate, tee', 'destructive', 'overwrites files', {reach: 'puts-files'}),
  riskRow('sponge', 'destructive', 'overwrites files'),
  riskRow('dd', 'destructive', 'overwrites a file or a disk', {argument: /^of=/u, reach: 'puts-files'}),
  riskRow('mkfs, wipefs, fdisk, parted, sgdisk, mkswap', 'destructive', 'erases a disk'),
  riskRow('git reset', 'destructive', 'discards uncommitted changes', {argument: /^--hard$|^--merge$|^--keep$/u}),
  riskRow('git clean', 'local-change', 'lists what it would delete', {
    argument: /^(?:-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/u,
    reach: 'repository',
  }),
  riskRow('git clean', 'destructive', 'deletes untracked files'),
  riskRow('git checkout', 'destructive', 'can discard uncommitted changes', {
    argument: /^(?:--|\.|-f|--force|\S*\/|\S+\.\w+)/u,
  }),
  riskRow('git restore', 'destructive', 'discards uncommitted changes'),
  riskRow('git switch', 'destructive', 'discards uncommitted changes', {
    argument: /^(?:-f|--force|--discard-changes)$/u,
  }),
  riskRow('git stash drop, git stash clear', 'destructive', 'deletes stashed changes'),
  riskRow('git branch, git tag', 'destructive', 'deletes or moves a branch or tag', {
    argument: /^(?:-\w*[dDfM]|--delete|--force)/u,
  }),
  riskRow('git push', 'destructive', 'overwrites or deletes commits on another machine', {
    argument: /^(?:-\w*[fd]|--force.*|--delete|--mirror|--prune|\+\S+|:\S+)$/u,
  }),
  riskRow(
    'git filter-branch, git filter-repo, git gc, git prune, git update-ref, git reflog expire, git reflog delete',
    'destructive',
    'rewrites or deletes history',
  ),
  riskRow('git rm', 'local-change', 'removes files from the index', {argument: /^--cached$/u, reach: 'repository'}),
  riskRow('git rm', 'destructive', 'deletes files'),
  riskRow(
    'git worktree remove, git worktree prune, git submodule deinit, git remote remove',
    'destructive',
    'removes part of the repository',
  ),
  riskRow('find, fd', 'destructive', 'deletes what it finds', {argument: /^-delete$/u}),
  riskRow('rsync', 'destructive', 'deletes files', {argument: /^--del|^--remove-source/u}),
  riskRow('sed, gsed, perl', 'destructive', 'changes files in place', {
    argument: /^(?:-\w*i|--in-place)/u,
    reach: 'changes-files',
  }),
  riskRow('chmod, chown, chgrp', 'destructive', 'changes permissions of many files', {
    argument: /^(?:-\w*R|--recursive)/u,
  }),
  riskRow('kill, pkill, killall', 'destructive', 'ends processes'),
  riskRow(
    'docker rm, docker rmi, docker volume, docker system, docker image, docker container, docker network',
    'destructive',
    'deletes containers, images or volumes',
    {argument: /^(?:rm|rmi|prune|-f)$/u},
  ),
  riskRow(
    'docker rm, docker rmi, docker system prune, docker compose down',
    'destructive',
    'deletes containers, images or volumes',
  ),
  riskRow(
    'kubectl delete, kubectl drain, kubectl replace, helm uninstall, helm delete',
    'destructive',
    'deletes from the cluster',
  ),
  riskRow(
    'terraform destroy, terraform apply, tofu destroy, pulumi destroy, cdk destroy',
    'destructive',
    'changes or destroys infrastructure',
  ),
  riskRow('aws, gcloud, az, heroku, fly, vercel', 'destructive', 'deletes in the cloud', {
    argument: /^(?:rm|rb|delete|destroy|terminate\S*|delete-\S+)$/u,
  }),
  riskRow(
    [
      'repo',
      'issue',
      'release',
      'gist',
      'run',
      'cache',
      'label',
      'secret',
      'variable',
      'codespace',
      'project',
      'ssh-key',
    ]
      .map(noun => `gh ${noun} delete`)
      .join(', '),
    'destructive',
    'deletes in the cloud',
  ),
  riskRow('gh api', 'destructive', 'deletes in the cloud', {argument: /^(?:-X|--method=)?DELETE$/iu}),
  riskRow('dropdb, dropuser', 'destructive', 'deletes data', {argument: /^(?!--version)/u}),
  riskRow('redis-cli', 'destructive', 'deletes data', {
    argument:
      /^(?:flush\w*|del|unlink|getdel|getset|set|rename|expire\w*|ltrim|\w*pop\w*|hdel|srem|zrem\w*|xdel|xtrim|restore|migrate|shutdown|eval\w*|script|debug|config)$/iu,
  }),
  riskRow('psql, mysql, sqlite3, mariadb, mongosh, duckdb', 'destructive', 'deletes data', {
    argument: /\b(?:drop|truncate|delete|update|alter)\b/iu,
  }),
  riskRow('shutdown, reboot, halt, poweroff, init', 'destructive', 'stops the machine'),
  riskRow('crontab', 'destructive', 'changes scheduled jobs', {argument: /^-\w*r/u}),
  riskRow('npm unpublish, npm deprecate, cargo yank, gem yank', 'destructive', 'takes back a published version'),
  riskRow('tar, unzip, cpio', 'destructive', 'can overwrite files', {
    argument: /^(?:-?\w*x\w*|-o|--extract|-\w*o\w*)$/u,
  }),

  riskRow('git push', 'external', 'sends commits to another machine'),
  riskRow(
    'git fetch, git pull, git clone, git ls-remote, git remote update, git remote show, git submodule update, git archive',
    'external',
    'talks to another machine',
  ),
  riskRow(networkPrograms, 'external', 'talks to another machine'),
  riskRow('yarn', 'external', 'downloads packages and runs their scripts', {argument: /^$/u}),
  riskRow('npm, pnpm, yarn, bun', 'external', 'downloads packages and runs their scripts', {
    argument:
      /^(?:i|install|ci|add|update|upgrade|up|dlx|exec|x|create|init|audit|outdated|view|info|search|login|link|rebuild)$/u,
  }),
  riskRow('npm, pnpm, yarn, bun, cargo, gem, twine, vsce', 'external', 'publishes a package', {
    argument: /^(?:publish|upload|push|release)$/u,
  }),
  riskRow('npx, bunx, pnpx, uvx, pipx', 'external', 'downloads and runs a package'),
  riskRow(
    'poetry run, pipenv run, pdm run, hatch run, rye run, bundle exec, composer run, composer test',
    'unknown',
    'runs code from this project',
  ),
  riskRow(
    'pip, pip3, uv, poetry, conda, mamba, gem, bundle, composer, brew, apt, apt-get, dnf, yum, pacman, apk, snap, flatpak, choco',
    'external',
    'installs or removes packages',
  ),
  riskRow('go', 'external', 'downloads packages', {argument: /^(?:get|install|mod)$/u}),
  riskRow('cargo', 'external', 'downloads packages', {argument: /^(?:install|add|update|fetch)$/u}),
  riskRow(
    'docker, docker-compose, podman, podman-compose, nerdctl, minikube, vagrant, multipass, lxc, incus, virsh',
    'external',
    'talks to a registry or a daemon',
  ),
  riskRow(
    'redis-cli, psql, pg_dump, pg_restore, createdb, mysql, mysqldump, mariadb, mongosh, mongo, kubectl, helm, terraform, pulumi, aws, gcloud, az, gh, glab, heroku, fly, flyctl, vercel, netlify, wrangler, firebase, serverless, sam, cdk, supabase, railway, ngrok, cloudflared, tailscale, nmcli, ansible, ansible-playbook',
    'external',
    'talks to a service',
  ),
  riskRow('mail, sendmail, mutt', 'external', 'sends mail'),
  riskRow('weft, claude, codex, gemini, opencode, aider, goose, cursor-agent, copilot', 'external', 'starts an agent'),

  // Servers have to be reached from elsewhere, and the other scripts reach elsewhere.
  riskRow(
    'npm, pnpm, yarn, bun, make, gmake, just, task, rake, gradle, gradlew, mvn, mvnw, deno',
    'unknown',
    'runs code from this project',
    {
      argument: /^(?:start|dev|serve|preview|watch|(?:un)?install|deploy|publish|release|push|upload)(?:[-:.].*)?$/u,
      reach: 'network',
    },
  ),
  riskRow('npm, pnpm, yarn, bun', 'unknown', 'runs code from this project', {
    argument: /^(?:run|run-script|test|t|start|stop|restart|build|dev|lint)$/u,
  }),
  riskRow(
    'make, just, rake, gradle, mvn, ant, task, cmake, ninja, bazel, tox, nox',
    'unknown',
    'runs code from this project',
  ),
  riskRow('cargo, go, dotnet, swift, zig, mix, sbt', 'unknown', 'runs code from this project', {
    argument: /^(?:run|build|test|t|b|c|bench|check|generate|vet|clippy|fmt|doc|nextest|compile|format)$/u,
  }),
  riskRow(
    'node, deno, bun, python, python3, ruby, perl, php, lua, bash, sh, zsh, dash, fish, pwsh, eval, source, ., exec',
    'unknown',
    'runs code',
  ),
  riskRow(
    'sudo, doas, su, pkexec, runuser, gosu, su-exec, setuidgid, s6-setuidgid, chpst',
    'unknown',
    'runs as another user',
    {reach: 'machine'},
  ),
  riskRow(
    'chroot, unshare, nsenter, systemd-run, systemd-inhibit, flatpak-spawn, bwrap, firejail, proot, start-stop-daemon, cgexec, capsh, setpriv, runcon, dbus-run-session, dbus-launch',
    'unknown',
    'runs a program elsewhere on this machine',
    {reach: 'machine'},
  ),
  riskRow(
    'systemctl, service, rc-service, launchctl, loginctl, initctl, supervisorctl, at, atq, batch, crontab, anacron',
    'unknown',
    'controls services or scheduled jobs',
    {reach: 'machine'},
  ),
  riskRow(
    'mount, umount, losetup, swapon, swapoff, modprobe, insmod, rmmod, sysctl, dmesg, iptables, ip6tables, nft, ufw, ip, ifconfig, route, tc, useradd, userdel, usermod, groupadd, adduser, deluser, passwd, chsh, visudo, hostname, hostnamectl, timedatectl, localectl, update-alternatives, ldconfig, setcap, setfacl, chattr, defaults, adb, fastboot',
    'unknown',
    'changes settings of this machine',
    {reach: 'machine'},
  ),
  riskRow(
    'renice, fuser, skill, strace, ltrace, gdb, lldb, perf, bpftrace, tmux, screen, wall, write, logger, ipcrm, ipcmk, reptyr',
    'unknown',
    'reaches other programs',
    {reach: 'machine'},
  ),
  riskRow(
    'open, xdg-open, gio, xclip, xsel, wl-copy, wl-paste, pbcopy, pbpaste, clip, xdotool, ydotool, wmctrl, xrandr, xset, scrot, grim, screencapture, notify-send, osascript, dbus-send, gdbus, busctl, qdbus, gsettings, dconf, firefox, chromium, google-chrome, xterm, code, say, afplay, aplay',
    'unknown',
    'uses your screen, clipboard or desktop',
    {reach: 'machine'},
  ),
  riskRow(
    'gpg, gpg2, gpg-connect-agent, gpgconf, ssh-add, ssh-agent, ssh-keygen, keyctl, pass, gopass, secret-tool, security, kwallet-query, op, bw, rbw, lpass, vault, age, sops, doppler, infisical, teller, chamber, aws-vault, envchain, kinit, klist',
    'unknown',
    'uses keys of yours',
    {reach: 'secrets'},
  ),
  riskRow('env, printenv', 'unknown', 'may show keys and run programs', {reach: 'secrets'}),
  riskRow('date', 'unknown', 'sets the clock of this machine', {argument: /^(?:-[A-Za-z]*s|--s)/u, reach: 'machine'}),
  riskRow(
    'journalctl, last, lastlog, lastb, getent, ausearch, vi, view, ex, ed, nano, pico, less, more, most, info, top, htop, mc',
    'unknown',
    '',
    {reach: 'machine'},
  ),
  // Alone they print all variables.
  riskRow('export, set', 'unknown', 'changes how the shell works', {argument: /^(?:-p)?$/u, reach: 'secrets'}),
  riskRow('export, set, unset, trap, ulimit, umask, hash', 'unknown', 'changes how the shell works'),
  riskRow(
    'declare, typeset, local, readonly, shopt, alias, unalias, enable, let, bind, complete, compgen, mapfile, readarray, getopts, fc, history, jobs, disown, bg, fg, dirs, suspend, logout',
    'unknown',
    'changes how the shell works',
    {reach: 'shell'},
  ),

  riskRow('cp, install', 'local-change', 'changes files', {reach: 'puts-files'}),
  riskRow(
    'mkdir, touch, ln, mktemp, mkfifo, chmod, chown, chgrp, patch, split, csplit',
    'local-change',
    'changes files',
  ),
  riskRow(
    'git add, git commit, git merge, git rebase, git cherry-pick, git revert, git stash, git switch, git checkout, git branch, git tag, git init, git config, git apply, git am, git reset, git worktree, git notes, git remote, git bisect, git submodule',
    'local-change',
    'changes the repository',
    {reach: 'repository'},
  ),
  // The tables of arguments say what these do.
  riskRow('git, hg, svn, jj, fossil, bzr, cvs, p4, git-lfs', 'unknown', '', {reach: 'repository'}),
  riskRow(
    'awk, gawk, mawk, nawk, sed, gsed, tsc, rustc, gcc, g++, cc, c++, clang, clang++, ld, java, javac, scala, julia, elixir, ruff, sqlite3, ffmpeg',
    'unknown',
    '',
  ),
  riskRow(
    'prettier, eslint, gofmt, rustfmt, black, ruff, oxfmt, oxlint, biome, isort, clang-format',
    'local-change',
    'can change files',
    {argument: /^(?:-w|-i|--write|--fix|format|fmt)$/u},
  ),
  riskRow('gzip, gunzip, bzip2, xz, zip, tar', 'local-change', 'changes files'),
  riskRow('cd, pushd, popd', 'local-change', 'goes to another folder', {reach: 'shell'}),
];

/**
 * Whether a network client is surely given only this machine to talk to: `curl localhost:3000`, `nc -z 127.0.0.1 80`. Any
 * option that is not known here, a proxy or another way to name a host makes the answer no.
 */
export function staysOnLoopback(words: readonly string[]): boolean {
  const [program = '', ...args] = withoutTimer(words);
  const client = clients.get(program);
  if (client === undefined) return false;
  const operands: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (!word.startsWith('-') || word === '-') operands.push(word);
    else if (client.withValue.has(word.replace(/=.*$/su, ''))) at += word.includes('=') ? 0 : 1;
    else if (!client.plain.test(word)) return false;
  }
  const hosts = client.hosts(operands);
  return hosts.length > 0 && hosts.every(isLoopback);
}

/** What `time` and `timeout 5` run. */
function withoutTimer(words: readonly string[]): readonly string[] {
  if (words[0] === 'time') return words.slice(1);
  return words[0] === 'timeout' && /^\d+(?:\.\d+)?[smh]?$/u.test(words[1] ?? '') ? words.slice(2) : words;
}

interface Client {
  /** Options that stand alone. */
  readonly plain: RegExp;
  /** Options behind which a value stands that names no host. */
  readonly withValue: ReadonlySet<string>;
  /** What of the operands names a host, as an URL or as it is. */
  readonly hosts: (operands: readonly string[]) => readonly string[];
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const curl: Client = {
  plain:
    /^(?:-[sSfLIikvgGNOJ#0-46]+|-[sSfLIikvgGN]*o.+|-[sSfLIikvgGN]*X[A-Z]+|-m\d+|--(?:silent|show-error|fail|fail-with-body|location|head|include|insecure|verbose|no-buffer|get|compressed|no-progress-meter|progress-bar|http1\.1|http2|ipv4|ipv6|retry-connrefused|retry-all-errors|max-time=\d+))$/u,
  withValue: wordSet(
    '-X --request -H --header -d --data --data-raw --data-binary --data-urlencode --json -F --form -o --output -w --write-out -u --user -A --user-agent -b --cookie -c --cookie-jar -e --referer -m --max-time --connect-timeout --retry --retry-delay --retry-max-time -T --upload-file -sSw -sw -sSfo -so -sSo -sfo -sLo -sSLo -fsSLo -Lo --output-dir',
  ),
  hosts: operands => operands,
};

const wget: Client = {
  plain: /^(?:-[qSvcN46]+|-[qSv]*O.+|--(?:quiet|spider|server-response|no-verbose|no-check-certificate))$/u,
  withValue: wordSet('-O --output-document -T --timeout -t --tries --header --post-data --method --body-data -qO -U'),
  hosts: operands => operands,
};

const httpie: Client = {
  plain: /^(?:-[vhbIjFd]+|--(?:verbose|headers|body|json|form|follow|check-status|ignore-stdin|print=\w+))$/u,
  withValue: wordSet('-o --output -a --auth --timeout -p --print'),
  hosts([first = '', second = '']) {
    const url = /^[A-Z]+$/u.test(first) ? second : first;
    return [url.startsWith(':') ? `localhost${/^:\d/u.test(url) ? url : url.slice(1)}` : url];
  },
};

const byHost: Client = {
  plain: /^-(?:[zvnuq46]+|[cwiW]\d+)$/u,
  withValue: wordSet('-w -c -i -W -q -vzw -zvw -zw'),
  hosts: ([host = '']) => [host],
};

const clients: ReadonlyMap<string, Client> = new Map([
  ['curl', curl],
  ['wget', wget],
  ['http', httpie],
  ['https', httpie],
  ['httpie', httpie],
  ['nc', {...byHost, withValue: wordSet('-w -i -W -q -vzw -zvw -zw')}],
  ['ncat', {...byHost, withValue: wordSet('-w -i')}],
  ['netcat', {...byHost, withValue: wordSet('-w -i')}],
  ['telnet', {...byHost, withValue: new Set()}],
  ['ping', byHost],
]);

/** Whether a host or an URL is surely this machine. */
export function isLoopback(text: string): boolean {
  const url = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url)) return false;
  const {protocol, hostname, username} = new URL(url);
  return (
    /^(?:https?|wss?|ftp):$/u.test(protocol) &&
    username === '' &&
    // Clients read odd forms of addresses in ways of their own; only what is written plainly counts.
    /^(?:(?:ip6-)?localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])$/u.test(hostname) &&
    text.toLowerCase().includes(hostname)
  );
}

/** What a command does, as far as it is known from its words. */
export interface KnownRisk {
  readonly risk: RiskLevel;
  /** Goes on after the command; empty when nothing is known. */
  readonly does: string;
  /** The words of the command that does it, without what wraps it. */
  readonly words: readonly string[];
  /** Where its paths lead. */
  readonly where: CommandPlace;
}

/** The worst that the words of one simple command are known to do, looking inside what wraps them. */
export const riskOfWords = (words: readonly string[]): KnownRisk =>
  worstOf(startedBy(words)) ?? {risk: 'unknown', does: '', words, where: 'here'};

/** The same, and what the texts do that the command hands to a shell. */
export function riskWithTexts(words: readonly string[]): KnownRisk {
  const own = riskOfWords(words);
  const all = worstOf(commandsStarted(words));
  return all !== undefined && isWorse(all.risk, own.risk) ? all : own;
}

const worstOf = (commands: readonly StartedCommand[]): KnownRisk | undefined =>
  commands
    .flatMap(each => {
      const row = rowFor(each.words.slice(0, mostWords));
      return row === undefined ? [] : [{risk: row.risk, does: row.does, ...each}];
    })
    .reduce<KnownRisk | undefined>(
      (worst, each) => (worst === undefined || isWorse(each.risk, worst.risk) ? each : worst),
      undefined,
    );

/** A command that another one runs, or that command itself. */
type StartedCommand = Pick<Layer, 'words' | 'where'>;

/** The command and what wrappers in it run, each with what it needs. */
export const reachesOf = (
  words: readonly string[],
): readonly (StartedCommand & {readonly reach: ProgramReach | 'unknown'})[] =>
  startedBy(words).map(each => ({...each, reach: rowFor(each.words.slice(0, mostWords))?.reach ?? 'unknown'}));

/** The command, and what wrappers in it run. */
const startedBy = (words: readonly string[]): readonly StartedCommand[] =>
  layers(words)
    .slice(0, mostStarts)
    .map(layer => ({words: layer.words, where: layer.where}));

/** The command, what wrappers in it run, and what stands in the texts that it hands to a shell. */
export function commandsStarted(words: readonly string[]): readonly StartedCommand[] {
  const started = startedBy(words);
  const texts = started.flatMap(each =>
    shellTextsFrom(each.words, 0).map(text => ({
      text,
      where: each.where === 'elsewhere' || /\b(?:cd|pushd)\b/u.test(text) ? ('elsewhere' as const) : ('here' as const),
    })),
  );
  const inTexts = texts.flatMap(({text, where}) =>
    text
      .split(/[;&|\n(){}]+/u)
      .flatMap(piece =>
        startedBy(piece.trim().split(/\s+/u)).map(each => (where === 'here' ? each : {...each, where})),
      ),
  );
  return [...started, ...inTexts];
}

/** Of what is known; `unknown` is milder than a destruction one is sure of. */
export const isWorse = (a: RiskLevel, b: RiskLevel): boolean => severity(a) > severity(b);

const severity = (risk: RiskLevel): number => bySeverity.indexOf(risk);

const bySeverity: readonly RiskLevel[] = [...riskLevels.filter(level => level !== 'destructive'), 'destructive'];

const mostStarts = 16;

/** Words of a command that are looked at. */
const mostWords = 200;

function rowFor([program = '', ...args]: readonly string[]): RiskRow | undefined {
  const name = programName(program)
    .toLowerCase()
    .replace(/^mkfs\..*/u, 'mkfs');
  return rowsByName.get(name)?.find(({words, row}) => {
    if (!args.some(argument => fits(argument, row.argument)) && !(args.length === 0 && row.argument.test('')))
      return false;
    // Options may stand before a sub-command, with values that are not known to be such.
    let from = 0;
    return words.slice(1).every((word, at) => {
      const found = args.indexOf(word, from);
      const isNear =
        found >= 0 &&
        args
          .slice(from, found)
          .every(
            (each, index, between) =>
              each.startsWith('-') || (at === 0 && between[index - 1]?.startsWith('-') === true),
          );
      from = found + 1;
      return isNear;
    });
  })?.row;
}

/** Whether some arguments make the program destroy something, or send to any host. */
export const dependsOnArguments = (name: string): boolean =>
  rowsByName
    .get(name)
    ?.some(({words, row}) => words.length === 1 && (row.risk === 'destructive' || row.names === networkPrograms)) ===
  true;

/** True for an argument that fits, or for a beginning of a long option that fits (`--rec` of `--recursive`). */
const fits = (argument: string, wanted: RegExp): boolean =>
  wanted.test(argument) ||
  (/^--\w/u.test(argument) &&
    (wanted.source.match(/--[a-z][a-z-]*/gu) ?? []).some(option => option.startsWith(argument.replace(/=.*$/su, ''))));

interface NamedRow {
  readonly words: readonly string[];
  readonly row: RiskRow;
}

const rowsByName = new Map<string, NamedRow[]>();
for (const row of riskRows) {
  for (const name of row.names.split(',')) {
    const words = name.trim().split(' ');
    const [program = ''] = words;
    rowsByName.set(program, [...(rowsByName.get(program) ?? []), {words, row}]);
  }
}
