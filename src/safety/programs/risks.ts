import type {RiskLevel} from '../../domain/risk.ts';

/** What programs do that do not only read. It raises what a card shows; it lets nothing through. */
export interface RiskRow {
  /** `rm`, `git push`: the program and words that follow it, options apart; several with a comma between them. */
  readonly names: string;
  /** One of its arguments must fit. */
  readonly argument: RegExp;
  readonly risk: RiskLevel;
  /** Goes on after the command: "`rm a` deletes files". */
  readonly does: string;
}

const row = (names: string, risk: RiskLevel, does: string, argument = /^/u): RiskRow => ({names, risk, does, argument});

/** The worst first. */
export const riskRows: readonly RiskRow[] = [
  row('rm, rmdir, unlink, shred, srm, trash', 'destructive', 'deletes files'),
  row('mv, git mv', 'destructive', 'can overwrite files'),
  row('cp, install, ln', 'destructive', 'can overwrite files', /^-\w*f|^--force/u),
  row('truncate, tee, sponge', 'destructive', 'overwrites files'),
  row('dd', 'destructive', 'overwrites what it is pointed at', /^of=/u),
  row('mkfs, wipefs, fdisk, parted, sgdisk, mkswap', 'destructive', 'erases a disk'),
  row('git reset', 'destructive', 'throws uncommitted work away', /^--(?:hard|merge|keep)$/u),
  row('git clean', 'local-change', 'shows what it would delete', /^(?:-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/u),
  row('git clean', 'destructive', 'deletes files that git does not know'),
  row('git checkout', 'destructive', 'can throw uncommitted work away', /^(?:--|\.|-f|--force|\S*\/|\S+\.\w+)/u),
  row('git restore', 'destructive', 'throws uncommitted work away'),
  row('git switch', 'destructive', 'throws uncommitted work away', /^(?:-f|--force|--discard-changes)$/u),
  row('git stash drop, git stash clear', 'destructive', 'deletes stashed work'),
  row('git branch, git tag', 'destructive', 'deletes or moves a branch or tag', /^(?:-\w*[dDfM]|--delete|--force)/u),
  row(
    'git push',
    'destructive',
    'overwrites or deletes what others see',
    /^(?:-\w*[fd]|--force.*|--delete|--mirror|--prune|\+\S+|:\S+)$/u,
  ),
  row(
    'git filter-branch, git filter-repo, git gc, git prune, git update-ref, git reflog expire, git reflog delete',
    'destructive',
    'rewrites or deletes history',
  ),
  row('git rm', 'local-change', 'takes files out of the index', /^--cached$/u),
  row('git rm', 'destructive', 'deletes files'),
  row(
    'git worktree remove, git worktree prune, git submodule deinit, git remote remove',
    'destructive',
    'removes part of the repository',
  ),
  row('find, fd', 'destructive', 'deletes what it finds', /^-delete$/u),
  row('rsync', 'destructive', 'deletes files', /^--(?:delete|remove-source)/u),
  row('sed, gsed, perl', 'destructive', 'changes files in place', /^(?:-\w*i|--in-place)/u),
  row('chmod, chown, chgrp', 'destructive', 'changes rights of many files', /^(?:-\w*R|--recursive)/u),
  row('kill, pkill, killall', 'destructive', 'ends processes'),
  row(
    'docker rm, docker rmi, docker volume, docker system, docker image, docker container, docker network',
    'destructive',
    'deletes what docker keeps',
    /^(?:rm|rmi|prune|-f)$/u,
  ),
  row('docker rm, docker rmi, docker system prune, docker compose down', 'destructive', 'deletes what docker keeps'),
  row(
    'kubectl delete, kubectl drain, kubectl replace, helm uninstall, helm delete',
    'destructive',
    'deletes from the cluster',
  ),
  row(
    'terraform destroy, terraform apply, tofu destroy, pulumi destroy, cdk destroy',
    'destructive',
    'changes or destroys infrastructure',
  ),
  row(
    'aws, gcloud, az, heroku, fly, vercel',
    'destructive',
    'deletes in the cloud',
    /^(?:rm|rb|delete|destroy|terminate\S*|delete-\S+)$/u,
  ),
  row(
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
  row('gh api', 'destructive', 'deletes in the cloud', /^(?:-X|--method=)?DELETE$/iu),
  row('dropdb, dropuser', 'destructive', 'deletes data', /^(?!--version)/u),
  row(
    'redis-cli',
    'destructive',
    'deletes data',
    /^(?:flush\w*|del|unlink|getdel|getset|set|rename|expire\w*|ltrim|\w*pop\w*|hdel|srem|zrem\w*|xdel|xtrim|restore|migrate|shutdown|eval\w*|script|debug|config)$/iu,
  ),
  row(
    'psql, mysql, sqlite3, mariadb, mongosh, duckdb',
    'destructive',
    'deletes data',
    /\b(?:drop|truncate|delete|update|alter)\b/iu,
  ),
  row('shutdown, reboot, halt, poweroff, init', 'destructive', 'stops the machine'),
  row('crontab', 'destructive', 'changes scheduled jobs', /^-\w*r/u),
  row('npm unpublish, npm deprecate, cargo yank, gem yank', 'destructive', 'takes back what was published'),
  row('tar, unzip, cpio', 'destructive', 'can overwrite files', /^(?:-?\w*x\w*|-o|--extract|-\w*o\w*)$/u),

  row('git push', 'external', 'sends commits to another machine'),
  row(
    'git fetch, git pull, git clone, git ls-remote, git remote update, git remote show, git submodule update, git archive',
    'external',
    'talks to another machine',
  ),
  row(
    'curl, wget, http, https, httpie, aria2c, nc, ncat, netcat, socat, telnet, ftp, lftp, ping, dig, nslookup, host, whois, traceroute, mtr, nmap, openssl',
    'external',
    'talks to another machine',
  ),
  row('ssh, scp, sftp, rsync, mosh, rclone', 'external', 'talks to another machine'),
  row(
    'npm, pnpm, yarn, bun',
    'external',
    'downloads and runs what packages bring',
    /^(?:i|install|ci|add|update|upgrade|up|dlx|exec|x|create|init|audit|outdated|view|info|search|login|link|rebuild)$/u,
  ),
  row('npm, pnpm, yarn, bun, cargo, gem, twine, vsce', 'external', 'publishes', /^(?:publish|upload|push|release)$/u),
  row('npx, bunx, pnpx, uvx, pipx', 'external', 'downloads and runs a package'),
  row(
    'pip, pip3, uv, poetry, conda, mamba, gem, bundle, composer, brew, apt, apt-get, dnf, yum, pacman, apk, snap, flatpak, choco',
    'external',
    'installs or removes packages',
  ),
  row('go', 'external', 'downloads packages', /^(?:get|install|mod)$/u),
  row('cargo', 'external', 'downloads packages', /^(?:install|add|update|fetch)$/u),
  row('docker, podman', 'external', 'talks to a registry or a daemon'),
  row(
    'redis-cli, kubectl, helm, terraform, pulumi, aws, gcloud, az, gh, glab, heroku, fly, flyctl, vercel, netlify, wrangler, firebase, ansible, ansible-playbook',
    'external',
    'talks to a service',
  ),
  row('mail, sendmail, mutt', 'external', 'sends mail'),

  row(
    'npm, pnpm, yarn, bun',
    'unknown',
    "runs the project's own script",
    /^(?:run|run-script|test|t|start|stop|restart|build|dev|lint)$/u,
  ),
  row(
    'make, just, rake, gradle, mvn, ant, task, cmake, ninja, bazel, tox, nox',
    'unknown',
    "runs the project's own build",
  ),
  row(
    'cargo, go, dotnet, swift, zig, mix, sbt',
    'unknown',
    "builds or runs the project's own code",
    /^(?:run|build|test|bench|check|generate|vet|clippy)$/u,
  ),
  row(
    'node, deno, bun, python, python3, ruby, perl, php, lua, bash, sh, zsh, dash, fish, osascript, pwsh, eval, source, ., exec',
    'unknown',
    'runs code',
  ),
  row('sudo, doas, su, pkexec', 'unknown', 'runs with the rights of another user'),
  row('env, printenv', 'unknown', 'can show keys and run programs'),
  row(
    'export, declare, typeset, local, readonly, set, shopt, alias, unalias, unset, trap, ulimit, umask, enable, hash',
    'unknown',
    'changes how the shell works',
  ),

  row(
    'mkdir, touch, cp, ln, install, mktemp, mkfifo, chmod, chown, chgrp, patch, split, csplit',
    'local-change',
    'changes files',
  ),
  row(
    'git add, git commit, git merge, git rebase, git cherry-pick, git revert, git stash, git switch, git checkout, git branch, git tag, git init, git config, git apply, git am, git reset, git worktree, git notes, git remote, git bisect, git submodule',
    'local-change',
    'changes the repository',
  ),
  row(
    'prettier, eslint, gofmt, rustfmt, black, ruff, oxfmt, oxlint, biome, isort, clang-format',
    'local-change',
    'can change files',
    /^(?:-w|-i|--write|--fix|format|fmt)$/u,
  ),
  row('gzip, gunzip, bzip2, xz, zip, tar', 'local-change', 'changes files'),
  row('pushd, popd', 'local-change', 'goes to another folder'),
];
