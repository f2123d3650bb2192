import {program, type ProgramRow} from '../program-table.ts';

/**
 * The subcommands of git that only read. A repository's own configuration can name programs that git runs and files that it
 * reads: `repositoryFinding` judges that. Whatever would turn such a program on by a flag, or bring configuration along, is not
 * listed.
 */
export const git: readonly ProgramRow[] = [
  program('git status', {
    flags:
      '-s -b -v -z -u -u?=name --short --branch --long --verbose --porcelain --porcelain?=name --show-stash --ahead-behind --no-ahead-behind ' +
      '--untracked-files --untracked-files?=name --ignored --ignored?=name --no-renames --renames --column --no-column',
    operands: ['place'],
    match: [
      'git status',
      'git status -sb',
      'git status --porcelain=v1 src',
      'cd src && git status',
      'git -C src status',
      'git --no-pager status',
    ],
    notMatch: [
      'git -c core.fsmonitor=x status',
      'git --git-dir=x status',
      'git --exec-path=x status',
      'git -C /etc status',
      'git --config-env=a=B status',
      'git --work-tree=/ status',
      'GIT_DIR=x git status',
      'git -p status',
      'git status --porc',
      'git -C.. status',
    ],
  }),
  program('git log, git whatchanged, git rev-list, git reflog show', {
    flags: history(),
    operands: ['revision'],
    digits: 'a number',
    match: [
      'git log',
      'git log --oneline -5',
      'git log -n 5 --stat',
      "git log --pretty=format:'%h %s' -10",
      'git log -p -- src/a.ts',
      'git log main..HEAD',
      "git log --since='2 weeks ago' --author=me",
      'git log --graph --all --decorate',
      'git log -S foo -- src',
      'git log -L 1,5:src/a.ts',
      'git rev-list --count HEAD',
      'git log --oneline -5 | head',
      'git log -1 --format=%H',
      'git log origin/main..HEAD@{1}',
    ],
    notMatch: [
      'git log --output=x',
      'git log --outp=x',
      'git log --ext-diff -p',
      'git log --textconv -p',
      'git log --show-signature',
      'git log --format=%G?',
      "git log --pretty='%h %GS'",
      "git diff -- '.e*'",
      "git diff -- ':(glob)**/*.pem'",
      'git log -p -- .env',
      'git log -L 1,5:.env',
      'git log > out',
      'git log *',
    ],
  }),
  program('git diff, git show, git diff-tree, git diff-index, git diff-files, git stash show, git range-diff', {
    flags: history(),
    operands: ['revision'],
    digits: 'a number',
    match: [
      'git diff',
      'git diff --stat',
      'git diff HEAD~1 -- src',
      'git diff --cached --name-only',
      'git diff main...feature',
      'git show HEAD',
      'git show HEAD:src/a.ts',
      'git show --stat HEAD~2',
      'git diff -U5 a b',
      'git stash show -p',
      'git diff-tree --no-commit-id --name-only -r HEAD',
      "git show -s --format='%an'",
      'git diff -w',
    ],
    notMatch: [
      'git diff --output=a',
      'git diff --ext-diff',
      'git diff --textconv',
      'git diff --no-index /etc/passwd a',
      'git show HEAD:.env',
      'git show HEAD:config/.env.production',
      'git diff -- ../../etc',
      'git diff -o x',
      'git show --outpu=x',
      'git show --output x',
    ],
  }),
  program('git shortlog', {
    flags:
      '-s -n -e -c --summary --numbered --email --committer --all --no-merges --since=text --until=text --group=text --author=text',
    operands: ['revision'],
    match: ['git shortlog -sn', 'git shortlog -sne --all', 'git shortlog -s HEAD~5..'],
    notMatch: ['git shortlog --output=x', 'git shortlog > a'],
  }),
  program('git branch', {
    flags: branches(),
    match: [
      'git branch',
      'git branch -a',
      'git branch -vv',
      'git branch --show-current',
      'git branch --contains=abc',
      'git branch -r --sort=-committerdate',
    ],
    notMatch: [
      'git branch new',
      'git branch -d a',
      'git branch -D a',
      'git branch -m a',
      'git branch --edit-description',
      'git branch -f a b',
      'git branch -u x',
      'git branch --show-curr',
    ],
  }),
  program('git branch --list, git branch -l, git branch --merged, git branch --no-merged, git branch --contains', {
    flags: branches(),
    operands: ['text'],
    match: ["git branch --list 'a*'", 'git branch --merged main', 'git branch --contains abc'],
    notMatch: ['git branch --list -D a', 'git branch --merged -d x'],
  }),
  program('git tag', {
    flags: '-n?=number -n --sort=layout --column --no-column --format=layout',
    match: ['git tag', 'git tag --sort=-creatordate', 'git tag -n5'],
    notMatch: ['git tag v1', 'git tag -d v1', 'git tag -a v1', 'git tag -f v1'],
  }),
  program('git tag -l, git tag --list, git tag --points-at, git tag --contains, git tag --merged', {
    flags: '-n?=number -n --sort=layout --column --format=layout -i --contains --merged',
    operands: ['text'],
    match: ["git tag -l 'v*'", 'git tag --points-at HEAD', 'git tag --list', 'git tag --contains abc'],
    notMatch: ['git tag -l -d v1', 'git tag -l -F x'],
  }),
  program('git remote', {
    flags: '-v --verbose',
    match: ['git remote', 'git remote -v'],
    notMatch: ['git remote add a b', 'git remote show origin', 'git remote update', 'git remote -v update'],
  }),
  program('git remote get-url', {
    flags: '--all --push',
    operands: ['name', 'none'],
    match: ['git remote get-url origin'],
    notMatch: ['git remote get-url ./a'],
  }),
  program('git config --get, git config --get-all, git config --get-regexp, git config get', {
    flags: '--global --local --system --show-origin --show-scope --bool --int --name-only -z --all',
    operands: ['text', 'none'],
    match: ['git config --get user.name', 'git config --get-regexp remote', 'git config get user.email'],
    notMatch: [
      'git config user.name me',
      'git config --unset a',
      'git config --get a b --file x',
      'git config --get -f x a',
      'git config core.pager sh',
      'git config set a b',
      'git config -e',
    ],
  }),
  program('git config', {
    flags: '--global --local --system --get --get-all --show-origin --bool --int',
    operands: ['key', 'none'],
    match: ['git config user.name', 'git config --global --get user.name', 'git config --global user.email'],
    notMatch: ['git config edit', 'git config list extra more', 'git config alias.x "!sh"'],
  }),
  program('git config --list, git config -l, git config list', {
    flags: '--global --local --system --show-origin --show-scope --name-only -z',
    match: ['git config --list', 'git config -l --show-origin'],
    notMatch: ['git config --list --file=x', 'git config -l -f x'],
  }),
  program('git stash list', {
    flags: history(),
    digits: 'a number',
    match: ['git stash list'],
    notMatch: ['git stash', 'git stash drop', 'git stash pop', 'git stash list x'],
  }),
  program('git reflog', {
    flags: '--all --oneline --date=text -n=number --no-abbrev --relative-date',
    digits: 'a number',
    match: ['git reflog', 'git reflog -10'],
    notMatch: ['git reflog expire --all', 'git reflog delete a', 'git reflog expire'],
  }),
  program('git worktree list, git submodule status, git notes list, git bisect log', {
    flags: '--porcelain -v -z --verbose --recursive --cached',
    match: ['git worktree list', 'git submodule status', 'git worktree list --porcelain'],
    notMatch: [
      'git worktree add a',
      'git submodule foreach ls',
      'git submodule update',
      'git bisect run make',
      'git notes add',
    ],
  }),
  program('git rev-parse', {
    flags:
      '--git-dir --show-toplevel --abbrev-ref --abbrev-ref?=name --short --short?=number --verify -q --quiet --is-inside-work-tree --is-bare-repository ' +
      '--is-inside-git-dir --show-prefix --show-cdup --absolute-git-dir --git-common-dir --symbolic-full-name --branches --tags --remotes --all --is-shallow-repository',
    operands: ['revision'],
    match: [
      'git rev-parse HEAD',
      'git rev-parse --abbrev-ref HEAD',
      'git rev-parse --show-toplevel',
      'git rev-parse --short HEAD',
      "git rev-parse '@{u}'",
    ],
    notMatch: ['git rev-parse --parseopt', 'git rev-parse > x'],
  }),
  program('git ls-files', {
    flags:
      '-c -d -m -o -i -s -t -u -v -z --cached --deleted --modified --others --ignored --stage --unmerged --exclude-standard --error-unmatch --full-name --directory --eol --abbrev -x=glob --exclude=glob --deduplicate --no-empty-directory',
    operands: ['place'],
    match: ['git ls-files', "git ls-files '*.ts'", 'git ls-files -o --exclude-standard', 'git ls-files src | head'],
    notMatch: ['git ls-files --with-tree=x', 'git ls-files -X /etc/passwd', 'git ls-files /etc'],
  }),
  program('git ls-tree', {
    flags: '-d -r -t -l -z --long --name-only --name-status --full-name --full-tree --abbrev',
    operands: ['revision'],
    match: ['git ls-tree HEAD', 'git ls-tree -r --name-only HEAD src'],
    notMatch: ['git ls-tree HEAD > a'],
  }),
  program('git blame, git annotate', {
    flags:
      '-L=revision -l -t -s -e -f -n -p -w -b -c -M -C --root --show-email --show-name --show-number --porcelain --line-porcelain --date=text --since=text --ignore-rev=text --abbrev=number',
    operands: ['revision'],
    match: ['git blame a.ts', 'git blame -L 1,10 src/a.ts', 'git blame -w HEAD~3 -- a.ts'],
    notMatch: [
      'git blame .env',
      'git blame --contents=/etc/passwd a',
      'git blame --contents /etc/passwd a',
      'git blame -S x a',
    ],
  }),
  program('git grep', {
    flags:
      '-i -I -n -l -L -c -w -v -h -H -E -G -P -F -o -p -W -q -z -A=number -B=number -C=number -e=text -a --cached --untracked --ignore-case --line-number --count --name-only ' +
      '--files-with-matches --word-regexp --extended-regexp --fixed-strings --perl-regexp --heading --break --show-function --function-context --color --no-color --max-depth=number -m=number --and --or --not --all-match',
    operands: ['text', 'revision'],
    insteadOfFirst: '-e',
    match: [
      'git grep foo',
      'git grep -n foo -- src',
      "git grep -nE 'a|b'",
      'git grep -l foo HEAD',
      "git grep foo -- '*.ts'",
    ],
    notMatch: [
      'git grep -O foo',
      'git grep -Osh foo',
      'git grep --open-files-in-pager=sh foo',
      'git grep --open-f=sh foo',
      'git grep -f /etc/x a',
      'git grep KEY -- .env',
      'git grep --textconv x',
      'git grep --ext-grep x',
      'git grep foo *',
    ],
  }),
  program('git describe', {
    flags:
      '--all --tags --long --dirty --always --abbrev=number --match=text --exact-match --contains --first-parent --exclude=text',
    operands: ['revision'],
    match: ['git describe --tags', 'git describe --tags --always --dirty'],
    notMatch: ['git describe > a'],
  }),
  program('git cat-file', {
    flags: '-p -t -s -e',
    operands: ['revision'],
    match: ['git cat-file -p HEAD', 'git cat-file -t abc', 'git cat-file -p HEAD:src/a.ts'],
    notMatch: ['git cat-file --textconv HEAD:a', 'git cat-file --filters HEAD:a', 'git cat-file -p HEAD:.env'],
  }),
  program('git merge-base, git name-rev, git cherry', {
    flags: '-a -v --all --is-ancestor --fork-point --octopus --name-only --tags --abbrev',
    operands: ['revision'],
    match: ['git merge-base main HEAD', 'git cherry -v main'],
    notMatch: ['git merge-base > a'],
  }),
  program('git for-each-ref, git show-ref', {
    flags:
      '--format=layout --sort=layout --count=number --points-at=text --merged=text --no-merged=text --contains=text --heads --tags --branches --head -d -s --hash --abbrev --verify -q --quiet --dereference',
    operands: ['text'],
    match: [
      "git for-each-ref --format='%(refname)' refs/heads",
      'git show-ref --heads',
      'git for-each-ref --sort=-committerdate --count=5',
    ],
    notMatch: [
      'git for-each-ref --shell --exec x',
      'git for-each-ref --stdin',
      "git for-each-ref --format='%(signature)'",
      'git for-each-ref --sort=signature',
    ],
  }),
  program('git symbolic-ref', {
    flags: '-q --short --quiet',
    operands: ['revision', 'none'],
    match: ['git symbolic-ref --short HEAD', 'git symbolic-ref refs/remotes/origin/HEAD'],
    notMatch: ['git symbolic-ref HEAD refs/heads/x', 'git symbolic-ref -d HEAD'],
  }),
  program('git hash-object', {
    flags: '-t=name --no-filters --stdin',
    operands: ['path'],
    match: ['git hash-object src/a.ts', 'git hash-object -t blob a b', 'git hash-object --stdin < a'],
    notMatch: [
      'git hash-object -w a',
      'git hash-object --path=x a',
      'git hash-object --stdin-paths',
      'git hash-object .env',
      'git hash-object /etc/passwd',
      'git hash-object --literally a',
    ],
  }),
  program('git count-objects', {
    flags: '-v -H --verbose --human-readable',
    match: ['git count-objects -vH'],
    notMatch: ['git count-objects x'],
  }),
  program('git check-ignore, git check-attr', {
    flags: '-v -q -n -a --verbose --quiet --non-matching --no-index --all',
    operands: ['place'],
    match: ['git check-ignore -v a', 'git check-ignore dist'],
    notMatch: ['git check-ignore --stdin < /etc/passwd', 'git check-ignore /etc'],
  }),
  program('git version, git --version', {
    flags: '--build-options',
    match: ['git --version', 'git version'],
    notMatch: ['git --version --exec-path=x'],
  }),
  program('git --exec-path, git --html-path, git --man-path', {
    match: ['git --exec-path'],
    notMatch: ['git --exec-path=x log'],
  }),
];

/** Options of git itself, before the sub-command. `-C` moves it to another directory. */
export const gitGlobalFlags = '--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects -C=place';

/** Options of all subcommands that show history or differences. */
function history(): string {
  return (
    '-a -b -B -c -C -D -E -F -g -G=text -h -i -l=number -L=revision -m -M -M?=text -n=number -p -q -r -R -s -S=text -t -u -U=number -w -W -z -e ' +
    '--abbrev --abbrev=number --abbrev-commit --all --all-match --ancestry-path --author=text --author-date-order --before=text --after=text --boundary ' +
    '--branches --branches?=text --cached --cc --cherry --cherry-mark --cherry-pick --children --color --color?=name --color-words --committer=text --compact-summary ' +
    '--count --cumulative --date=text --date-order --decorate --decorate?=text --diff-algorithm=name --diff-filter=name --dirstat --email --exit-code ' +
    '--find-copies --find-copies-harder --find-renames --first-parent --follow --format=layout --full-diff --full-history --full-index --function-context --glob=text ' +
    '--graph --grep=text --heads --histogram --ignore-all-space --ignore-blank-lines --ignore-space-at-eol --ignore-space-change --ignore-submodules ' +
    '--ignore-cr-at-eol --inter-hunk-context=number --invert-grep --left-only --left-right --line-prefix=text --log-size --mailmap --max-count=number --merge-base ' +
    '--merges --min-parents=number --max-parents=number --minimal --name-only --name-status --no-abbrev --no-abbrev-commit --no-color --no-commit-id --no-decorate --no-ext-diff ' +
    '--no-mailmap --no-merges --no-notes --no-patch --no-prefix --no-renames --no-textconv --not --notes --numbered --numstat --objects --oneline --parents --patch ' +
    '--patch-with-stat --patience --pickaxe-all --pickaxe-regex --pretty --pretty=layout --quiet --raw --regexp-ignore-case --relative --relative?=text --relative-date ' +
    '--remotes --remotes?=text --remove-empty --reverse --right-only --root --shortstat --show-pulls --simplify-by-decoration --simplify-merges --since=text --skip=number ' +
    '--source --sparse --staged --stat --stat?=text --stat-width=number --submodule --submodule?=name --summary --tags --tags?=text --text --topo-order --unified=number --until=text ' +
    '--walk-reflogs --word-diff --word-diff?=name --word-diff-regex=text --ws-error-highlight=name --no-walk --check --include-untracked --only-untracked'
  );
}

function branches(): string {
  return (
    '-a -r -v -vv -i --all --remotes --verbose --show-current --list --merged --no-merged --contains --merged?=text --no-merged?=text --contains?=text ' +
    '--no-contains?=text --points-at?=text --sort=layout --format=layout --column --no-column --color --color?=name --no-color --abbrev=number --no-abbrev --ignore-case'
  );
}
