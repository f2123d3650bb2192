import {effectRule, program, type ProgramRow} from '../program-table.ts';
import {
  changesRepository,
  fetchesFromMachine,
  unknownInRepository,
  movesBranch,
  rewritesHistory,
} from './effect-rules.ts';

/** Settings that make git run a program, or read further settings. */
const actingSettings = `alias.* pager.* core.pager* core.editor* core.fsmonitor* core.hooksPath* core.sshCommand*
  core.askPass* core.gitProxy* core.alternateRefsCommand* core.worktree* sequence.editor* interactive.diffFilter*
  diff.external* diff.*.command* diff.*.textconv* difftool.* mergetool.* merge.*.driver* filter.* gpg.*program*
  gpg.*.defaultKeyCommand* credential.*helper* include.* includeIf.* init.templateDir* protocol.*
  uploadpack.packObjectsHook* remote.*.uploadpack* remote.*.receivepack* remote.*.vcs* submodule.*.update*
  trailer.*.command* trailer.*.cmd* sendemail.* tar.*.command* web.browser* browser.* man.* instaweb.* guitool.*
  imap.tunnel* hook.* lfs.customtransfer.* url.*insteadOf*`;

/** Options of git itself, before the subcommand. `-C` moves it to another directory. */
export const gitOptions = '--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects -C=place';

/** Options of all subcommands that show history or differences. */
const history = `-a -b -B -c -C -D -E -F -g -G=text -h -i -l=number -L=revision -m -M -M?=text -n=number -p -q -r -R
  -s -S=text -t -u -U=number -w -W -z -e --abbrev --abbrev=number --abbrev-commit --all --all-match --ancestry-path
  --author=text --author-date-order --before=text --after=text --boundary --branches --branches?=text --cached --cc
  --cherry --cherry-mark --cherry-pick --children --color --color?=name --color-words --committer=text
  --compact-summary --count --cumulative --date=text --date-order --decorate --decorate?=text --diff-algorithm=name
  --diff-filter=name --dirstat --email --exit-code --find-copies --find-copies-harder --find-renames --first-parent
  --follow --format=layout --full-diff --full-history --full-index --function-context --glob=text --graph --grep=text
  --heads --histogram --ignore-all-space --ignore-blank-lines --ignore-space-at-eol --ignore-space-change
  --ignore-submodules --ignore-cr-at-eol --inter-hunk-context=number --invert-grep --left-only --left-right
  --line-prefix=text --log-size --mailmap --max-count=number --merge-base --merges --min-parents=number
  --max-parents=number --minimal --name-only --name-status --no-abbrev --no-abbrev-commit --no-color --no-commit-id
  --no-decorate --no-ext-diff --no-mailmap --no-merges --no-notes --no-patch --no-prefix --no-renames --no-textconv
  --not --notes --numbered --numstat --objects --oneline --parents --patch --patch-with-stat --patience --pickaxe-all
  --pickaxe-regex --pretty --pretty=layout --quiet --raw --regexp-ignore-case --relative --relative?=text
  --relative-date --remotes --remotes?=text --remove-empty --reverse --right-only --root --shortstat --show-pulls
  --simplify-by-decoration --simplify-merges --since=text --skip=number --source --sparse --staged --stat --stat?=text
  --stat-width=number --submodule --submodule?=name --summary --tags --tags?=text --text --topo-order --unified=number
  --until=text --walk-reflogs --word-diff --word-diff?=name --word-diff-regex=text --ws-error-highlight=name --no-walk
  --check --include-untracked --only-untracked`;

const branches = `-a -r -v -vv -i --all --remotes --verbose --show-current --list --merged --no-merged --contains
  --merged?=text --no-merged?=text --contains?=text --no-contains?=text --points-at?=text --sort=layout
  --format=layout --column --no-column --color --color?=name --no-color --abbrev=number --no-abbrev --ignore-case`;

const ofTrees = '-s=text --source=text -b=text -B=text -c=text -C=text --orphan=text';

/**
 * git. A repository's configuration can name programs that git runs and files that it reads, which `repositoryFinding` judges. An
 * option that enables such a program, or adds configuration, is not harmless.
 */
export const git: readonly ProgramRow[] = [
  program('git status', {
    options: `-s -b -v -z -u -u?=name --short --branch --long --verbose --porcelain --porcelain?=name --show-stash
      --ahead-behind --no-ahead-behind --untracked-files --untracked-files?=name --ignored --ignored?=name
      --no-renames --renames --column --no-column`,
    operands: 'place*',
    yes: `git status ¦ git status -sb ¦ git status --porcelain=v1 src ¦ cd src && git status ¦ git -C src status ¦
      git --no-pager status`,
    no: `git -c core.fsmonitor=x status ¦ git --git-dir=x status ¦ git --exec-path=x status ¦ git -C /etc status ¦
      git --config-env=a=B status ¦ git --work-tree=/ status ¦ GIT_DIR=x git status ¦ git -p status ¦
      git status --porc ¦ git -C.. status`,
  }),
  program('git log, git whatchanged, git rev-list, git reflog show', {
    options: history,
    operands: 'revision*',
    is: 'digits',
    yes: `git log ¦ git log --oneline -5 ¦ git log -n 5 --stat ¦ git log --pretty=format:'%h %s' -10 ¦
      git log -p -- src/a.ts ¦ git log main..HEAD ¦ git log --since='2 weeks ago' --author=me ¦
      git log --graph --all --decorate ¦ git log -S foo -- src ¦ git log -L 1,5:src/a.ts ¦ git rev-list --count HEAD ¦
      git log --oneline -5 | head ¦ git log -1 --format=%H ¦ git log origin/main..HEAD@{1}`,
    no: `git log --output=x ¦ git log --outp=x ¦ git log --ext-diff -p ¦ git log --textconv -p ¦
      git log --show-signature ¦ git log --format=%G? ¦ git log --pretty='%h %GS' ¦ git diff -- '.e*' ¦
      git diff -- ':(glob)**/*.pem' ¦ git log -p -- .env ¦ git log -L 1,5:.env ¦ git log > out ¦ git log *`,
  }),
  program(`git diff, git show, git diff-tree, git diff-index, git diff-files, git stash show, git range-diff`, {
    options: history,
    operands: 'revision*',
    is: 'digits',
    yes: `git diff ¦ git diff --stat ¦ git diff HEAD~1 -- src ¦ git diff --cached --name-only ¦
      git diff main...feature ¦ git show HEAD ¦ git show HEAD:src/a.ts ¦ git show --stat HEAD~2 ¦ git diff -U5 a b ¦
      git stash show -p ¦ git diff-tree --no-commit-id --name-only -r HEAD ¦ git show -s --format='%an' ¦ git diff -w`,
    no: `git diff --output=a ¦ git diff --ext-diff ¦ git diff --textconv ¦ git diff --no-index /etc/passwd a ¦
      git show HEAD:.env ¦ git show HEAD:config/.env.production ¦ git diff -- ../../etc ¦ git diff -o x ¦
      git show --outpu=x ¦ git show --output x`,
  }),
  program('git shortlog', {
    options: `-s -n -e -c --summary --numbered --email --committer --all --no-merges --since=text --until=text
      --group=text --author=text`,
    operands: 'revision*',
    yes: 'git shortlog -sn ¦ git shortlog -sne --all ¦ git shortlog -s HEAD~5..',
    no: 'git shortlog --output=x ¦ git shortlog > a',
  }),
  program('git branch', {
    options: branches,
    does: [movesBranch, changesRepository],
    is: 'loses-work',
    yes: `git branch ¦ git branch -a ¦ git branch -vv ¦ git branch --show-current ¦ git branch --contains=abc ¦
      git branch -r --sort=-committerdate`,
    no: `git branch new ¦ git branch -d a ¦ git branch -D a ¦ git branch -m a ¦ git branch --edit-description ¦
      git branch -f a b ¦ git branch -u x ¦ git branch --show-curr`,
  }),
  program(`git branch --list, git branch -l, git branch --merged, git branch --no-merged, git branch --contains`, {
    options: branches,
    operands: 'text*',
    yes: `git branch --list 'a*' ¦ git branch --merged main ¦ git branch --contains abc`,
    no: 'git branch --list -D a ¦ git branch --merged -d x',
  }),
  program('git tag', {
    options: '-n?=number -n --sort=layout --column --no-column --format=layout',
    does: [movesBranch, changesRepository],
    is: 'loses-work',
    yes: 'git tag ¦ git tag --sort=-creatordate ¦ git tag -n5',
    no: 'git tag v1 ¦ git tag -d v1 ¦ git tag -a v1 ¦ git tag -f v1',
  }),
  program('git tag -l, git tag --list, git tag --points-at, git tag --contains, git tag --merged', {
    options: '-n?=number -n --sort=layout --column --format=layout -i --contains --merged',
    operands: 'text*',
    yes: `git tag -l 'v*' ¦ git tag --points-at HEAD ¦ git tag --list ¦ git tag --contains abc`,
    no: 'git tag -l -d v1 ¦ git tag -l -F x',
  }),
  program('git remote', {
    options: '-v --verbose',
    does: [changesRepository],
    yes: 'git remote ¦ git remote -v',
    no: 'git remote add a b ¦ git remote show origin ¦ git remote update ¦ git remote -v update',
  }),
  program('git remote get-url', {
    options: '--all --push',
    operands: 'name',
    yes: 'git remote get-url origin',
    no: 'git remote get-url ./a',
  }),
  program('git config --get, git config --get-all, git config --get-regexp, git config get', {
    options: '--global --local --system --show-origin --show-scope --bool --int --name-only -z --all',
    operands: 'text',
    yes: 'git config --get user.name ¦ git config --get-regexp remote ¦ git config get user.email',
    no: `git config user.name me ¦ git config --unset a ¦ git config --get a b --file x ¦ git config --get -f x a ¦
      git config core.pager sh ¦ git config set a b ¦ git config -e`,
  }),
  program('git config', {
    options: '--global --local --system --get --get-all --show-origin --bool --int',
    operands: 'key',
    runs: `${actingSettings} --rename-section rename-section`,
    does: [changesRepository],
    is: 'loses-work runs-any',
    yes: 'git config user.name ¦ git config --global --get user.name ¦ git config --global user.email',
    no: 'git config edit ¦ git config list extra more ¦ git config alias.x "!sh"',
  }),
  program('git config --list, git config -l, git config list', {
    options: '--global --local --system --show-origin --show-scope --name-only -z',
    yes: 'git config --list ¦ git config -l --show-origin',
    no: 'git config --list --file=x ¦ git config -l -f x',
  }),
  program('git stash list', {
    options: history,
    is: 'digits',
    yes: 'git stash list',
    no: 'git stash ¦ git stash drop ¦ git stash pop ¦ git stash list x',
  }),
  program('git reflog', {
    options: '--all --oneline --date=text -n=number --no-abbrev --relative-date',
    is: 'digits loses-work',
    yes: 'git reflog ¦ git reflog -10',
    no: 'git reflog expire --all ¦ git reflog delete a ¦ git reflog expire',
  }),
  program('git worktree list, git submodule status, git notes list, git bisect log', {
    options: '--porcelain -v -z --verbose --recursive --cached',
    yes: 'git worktree list ¦ git submodule status ¦ git worktree list --porcelain',
    no: `git worktree add a ¦ git submodule foreach ls ¦ git submodule update ¦ git bisect run make ¦ git notes add`,
  }),
  program('git rev-parse', {
    options: `--git-dir --show-toplevel --abbrev-ref --abbrev-ref?=name --short --short?=number --verify -q --quiet
      --is-inside-work-tree --is-bare-repository --is-inside-git-dir --show-prefix --show-cdup --absolute-git-dir
      --git-common-dir --symbolic-full-name --branches --tags --remotes --all --is-shallow-repository`,
    operands: 'revision*',
    yes: `git rev-parse HEAD ¦ git rev-parse --abbrev-ref HEAD ¦ git rev-parse --show-toplevel ¦
      git rev-parse --short HEAD ¦ git rev-parse '@{u}'`,
    no: 'git rev-parse --parseopt ¦ git rev-parse > x',
  }),
  program('git ls-files', {
    options: `-c -d -m -o -i -s -t -u -v -z --cached --deleted --modified --others --ignored --stage --unmerged
      --exclude-standard --error-unmatch --full-name --directory --eol --abbrev -x=glob --exclude=glob --deduplicate
      --no-empty-directory`,
    operands: 'place*',
    yes: `git ls-files ¦ git ls-files '*.ts' ¦ git ls-files -o --exclude-standard ¦ git ls-files src | head`,
    no: 'git ls-files --with-tree=x ¦ git ls-files -X /etc/passwd ¦ git ls-files /etc',
  }),
  program('git ls-tree', {
    options: '-d -r -t -l -z --long --name-only --name-status --full-name --full-tree --abbrev',
    operands: 'revision*',
    yes: 'git ls-tree HEAD ¦ git ls-tree -r --name-only HEAD src',
    no: 'git ls-tree HEAD > a',
  }),
  program('git blame, git annotate', {
    options: `-L=revision -l -t -s -e -f -n -p -w -b -c -M -C --root --show-email --show-name --show-number
      --porcelain --line-porcelain --date=text --since=text --ignore-rev=text --abbrev=number`,
    operands: 'revision*',
    loads: '--contents --ignore-revs-file -S',
    is: 'abbreviates',
    yes: 'git blame a.ts ¦ git blame -L 1,10 src/a.ts ¦ git blame -w HEAD~3 -- a.ts',
    no: `git blame .env ¦ git blame --contents=/etc/passwd a ¦ git blame --contents /etc/passwd a ¦ git blame -S x a`,
  }),
  program('git grep', {
    options: `-i -I -n -l -L -c -w -v -h -H -E -G -P -F -o -p -W -q -z -A=number -B=number -C=number -e=text -a
      --cached --untracked --ignore-case --line-number --count --name-only --files-with-matches --word-regexp
      --extended-regexp --fixed-strings --perl-regexp --heading --break --show-function --function-context --color
      --no-color --max-depth=number -m=number --and --or --not --all-match`,
    operands: 'text revision*',
    instead: '-e',
    runs: '-O',
    yes: `git grep foo ¦ git grep -n foo -- src ¦ git grep -nE 'a|b' ¦ git grep -l foo HEAD ¦ git grep foo -- '*.ts'`,
    no: `git grep -O foo ¦ git grep -Osh foo ¦ git grep --open-files-in-pager=sh foo ¦ git grep --open-f=sh foo ¦
      git grep -f /etc/x a ¦ git grep KEY -- .env ¦ git grep --textconv x ¦ git grep --ext-grep x ¦ git grep foo *`,
  }),
  program('git describe', {
    options: `--all --tags --long --dirty --always --abbrev=number --match=text --exact-match --contains
      --first-parent --exclude=text`,
    operands: 'revision*',
    yes: 'git describe --tags ¦ git describe --tags --always --dirty',
    no: 'git describe > a',
  }),
  program('git cat-file', {
    options: '-p -t -s -e',
    operands: 'revision*',
    runs: '--filters',
    is: 'abbreviates',
    yes: 'git cat-file -p HEAD ¦ git cat-file -t abc ¦ git cat-file -p HEAD:src/a.ts',
    no: 'git cat-file --textconv HEAD:a ¦ git cat-file --filters HEAD:a ¦ git cat-file -p HEAD:.env',
  }),
  program('git merge-base, git name-rev, git cherry', {
    options: '-a -v --all --is-ancestor --fork-point --octopus --name-only --tags --abbrev',
    operands: 'revision*',
    yes: 'git merge-base main HEAD ¦ git cherry -v main',
    no: 'git merge-base > a',
  }),
  program('git for-each-ref, git show-ref', {
    options: `--format=layout --sort=layout --count=number --points-at=text --merged=text --no-merged=text
      --contains=text --heads --tags --branches --head -d -s --hash --abbrev --verify -q --quiet --dereference`,
    operands: 'text*',
    yes: `git for-each-ref --format='%(refname)' refs/heads ¦ git show-ref --heads ¦
      git for-each-ref --sort=-committerdate --count=5`,
    no: `git for-each-ref --shell --exec x ¦ git for-each-ref --stdin ¦ git for-each-ref --format='%(signature)' ¦
      git for-each-ref --sort=signature`,
  }),
  program('git symbolic-ref', {
    options: '-q --short --quiet',
    operands: 'revision',
    yes: 'git symbolic-ref --short HEAD ¦ git symbolic-ref refs/remotes/origin/HEAD',
    no: 'git symbolic-ref HEAD refs/heads/x ¦ git symbolic-ref -d HEAD',
  }),
  program('git hash-object', {
    options: '-t=name --no-filters --stdin',
    operands: 'path*',
    yes: 'git hash-object src/a.ts ¦ git hash-object -t blob a b ¦ git hash-object --stdin < a',
    no: `git hash-object -w a ¦ git hash-object --path=x a ¦ git hash-object --stdin-paths ¦ git hash-object .env ¦
      git hash-object /etc/passwd ¦ git hash-object --literally a`,
  }),
  program('git count-objects', {
    options: '-v -H --verbose --human-readable',
    yes: 'git count-objects -vH',
    no: 'git count-objects x',
  }),
  program('git check-ignore, git check-attr', {
    options: '-v -q -n -a --verbose --quiet --non-matching --no-index --all',
    operands: 'place*',
    yes: 'git check-ignore -v a ¦ git check-ignore dist',
    no: 'git check-ignore --stdin < /etc/passwd ¦ git check-ignore /etc',
  }),
  program('git version, git --version', {
    options: '--build-options',
    yes: 'git --version ¦ git version',
    no: 'git --version --exec-path=x',
  }),
  program('git --exec-path, git --html-path, git --man-path', {yes: 'git --exec-path', no: 'git --exec-path=x log'}),
  program('git', {
    runs: `--upload-pack --receive-pack --exec --extcmd --ext-diff --textconv --open-files-in-pager --exec-path
      --config-env --template ext::* ${actingSettings.replaceAll(/\S+/gu, '-c=$&')}`,
    writes: '--output',
    loads: '--git-dir --work-tree',
    does: [unknownInRepository],
    wraps: {options: 'foreach run --exec -x'},
    can: 'run programs by its configuration, rewrite history and push',
    is: 'text verbs restores abbreviates',
  }),
  program('git merge, git cherry-pick, git revert', {
    options: '-m=text -X=text -S=text -x=text -C=text',
    runs: '-s*/* --strategy=*/*',
    does: [changesRepository],
    is: 'data',
  }),
  program('git pull', {like: 'git merge', does: [fetchesFromMachine]}),
  program('git rebase', {
    options: '-s=text -X=text -C=text',
    runs: '-s*/* --strategy=*/* -x',
    does: [changesRepository],
    is: 'data',
  }),
  program('git send-email', {
    runs: '--sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd --smtp-server-option',
    is: 'abbreviates',
  }),
  program('git instaweb, git daemon, git hook', {
    runs: 'run --httpd -d --browser -b --access-hook --*-filter* --setup',
  }),
  program('git filter-branch', {like: 'git instaweb', does: [rewritesHistory]}),
  program('git commit', {
    options: '-m=text -c=text -C=text -S=text -u=text',
    loads: '-t --template -F --file',
    does: [changesRepository],
    is: 'data abbreviates',
  }),
  program('git clone', {edits: '* named', runs: '-u -c --config', loads: '--reference', does: [fetchesFromMachine]}),
  program('git difftool, git mergetool', {runs: '-x -t --tool', is: 'abbreviates'}),
  program('git archive', {writes: '-o --output-directory', does: [fetchesFromMachine]}),
  program('git format-patch', {like: 'git archive'}),
  program('git bisect', {runs: 'run foreach', does: [changesRepository], is: 'runs-any'}),
  program('git submodule', {runs: 'run foreach', does: [changesRepository]}),
  program('git bisect run, git submodule foreach', {is: 'runs-words'}),
  program('svn', {
    options: '-c=text -F=text -m=text -r=text -x=text',
    runs: '--diff-cmd --diff3-cmd --editor-cmd --config-option*',
    loads: '--config-dir',
    does: [unknownInRepository],
    is: 'subcommands restores abbreviates',
  }),
  program('hg', {
    runs: '--config --ssh -e --remotecmd -t --tool -p --program',
    writes: '-o --output',
    loads: '-R --repository --cwd --debugger',
    does: [unknownInRepository],
    is: 'subcommands text restores',
  }),
  program('git mv', {
    edits: '* !-n !--dry-run',
    options: '-f:force --force:force',
    operands: 'rename*',
    does: [effectRule('destructive', 'can overwrite files', {otherwise: 'moves files'})],
  }),
  program('git reset', {
    edits: '. --hard --merge --keep',
    does: [
      effectRule('destructive', 'discards uncommitted changes', {when: /^--hard$|^--merge$|^--keep$/u}),
      changesRepository,
    ],
    is: 'data loses-work',
  }),
  program('git clean', {
    edits: '* !-n !--dry-run',
    options: '-e=glob --exclude=glob',
    does: [
      effectRule('local-change', 'lists what it would delete', {
        when: /^(?:-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/u,
        reach: 'repository',
      }),
      effectRule('destructive', 'deletes untracked files'),
    ],
    is: 'loses-work',
  }),
  program('git checkout', {
    edits: '* named',
    options: ofTrees,
    does: [
      effectRule('destructive', 'can discard uncommitted changes', {when: /^(?:--|\.|-f|--force|\S*\/|\S+\.\w+)/u}),
      changesRepository,
    ],
    is: 'data loses-work',
  }),
  program('git restore', {
    edits: '* !--staged !-S --worktree -W',
    options: ofTrees,
    does: [effectRule('destructive', 'discards uncommitted changes')],
    is: 'data loses-work',
  }),
  program('git switch', {
    options: ofTrees,
    does: [
      effectRule('destructive', 'discards uncommitted changes', {when: /^(?:-f|--force|--discard-changes)$/u}),
      changesRepository,
    ],
    is: 'data',
  }),
  program('git stash drop, git stash clear', {does: [effectRule('destructive', 'deletes stashed changes')]}),
  program('git push', {
    does: [
      effectRule('destructive', 'overwrites or deletes commits on another machine', {
        when: /^(?:-\w*[fd]|--force.*|--delete|--mirror|--prune|\+\S+|:\S+)$/u,
      }),
      effectRule('external', 'sends commits to another machine'),
    ],
  }),
  program('git filter-repo, git gc, git prune, git update-ref, git reflog expire', {does: [rewritesHistory]}),
  program('git reflog delete', {does: [rewritesHistory]}),
  program('git rm', {
    edits: '* !--cached !-n !--dry-run',
    does: [
      effectRule('local-change', 'removes files from the index', {when: /^--cached$/u, reach: 'repository'}),
      effectRule('destructive', 'deletes files'),
    ],
    is: 'loses-work',
  }),
  program('git worktree remove, git worktree prune, git submodule deinit, git remote remove', {
    does: [effectRule('destructive', 'removes part of the repository')],
  }),
  program('git fetch, git ls-remote, git remote update, git remote show, git submodule update', {
    does: [fetchesFromMachine],
  }),
  program('git add, git init, git notes', {does: [changesRepository], is: 'data'}),
  program('git apply, git am', {edits: '. * !--check !--stat !--numstat !--cached', does: [changesRepository]}),
  program('git stash', {edits: '. *', does: [changesRepository], is: 'data loses-work'}),
  program('git worktree', {edits: 'add', does: [changesRepository], is: 'loses-work'}),
  program('fossil, bzr, cvs, p4', {does: [unknownInRepository]}),
  program('git-lfs', {does: [unknownInRepository], is: 'subcommands'}),
];
