import {program, type ProgramRow} from '../program-table.ts';
import {deletesFoundFiles} from './effect-rules.ts';

const shared = `-A=number -B=number -C=number -c -e=text -F -f=path -H -i -l -m=number -n -o -q -s -v -w -x
  --after-context=number --before-context=number --context=number --count --regexp=text --fixed-strings --file=path
  --with-filename --ignore-case --files-with-matches --max-count=number --line-number --only-matching --quiet
  --invert-match --word-regexp --line-regexp --color --color=text --no-filename --no-messages`;

/** Search programs. They read whole folders, as weft's own search does. weft asks if they name a file with secrets. */
export const search: readonly ProgramRow[] = [
  program('grep, egrep, fgrep, zgrep', {
    options: `${shared}
      -E -G -P -a -b -d=name -D=name -h -I -L -r -T -U -y -z --basic-regexp --extended-regexp --perl-regexp --text
      --binary-files?=name --recursive --include=glob --exclude=text --exclude-dir=text --files-without-match
      --byte-offset --line-buffered --null --label?=text`,
    operands: 'text path*',
    instead: '-e -f --regexp --file',
    is: 'data shows digits any-option',
    yes: `grep foo a ¦ grep -rn foo src ¦ grep -rn 'foo bar' src --include='*.ts' ¦
      grep -rn foo . --exclude-dir=node_modules ¦ grep -c foo a b ¦ grep -A 3 -B3 foo a ¦ grep -e foo -e bar a ¦
      grep -E "a|b" a ¦ grep -5 foo a ¦ grep -rl foo src | head ¦ ps aux | grep node ¦ grep -v '^#' a`,
    no: `grep -R foo . ¦ grep foo /etc/passwd ¦ grep -f /etc/passwd a ¦ grep KEY .env ¦ grep -r KEY --include=.env . ¦
      grep -rn foo .. ¦ grep foo $FILES ¦ grep "$PATTERN" a ¦ grep -r x ~ ¦ grep -e x -r . /etc`,
  }),
  program('rg', {
    options: `${shared}
      -E=name -g=glob -I -j=number -M=number -N -P -S -T=name -t=name -U -u -a -b -p -r=text -. -0 --type=name
      --type-not=name --glob=glob --iglob=glob --hidden --no-ignore --no-ignore-vcs --files --files-without-match
      --json --line-number --no-line-number --heading --no-heading --multiline --multiline-dotall --pcre2 --smart-case
      --case-sensitive --sort=name --sortr=name --stats --trim --type-list --unrestricted --vimgrep --type-add=glob
      --column --no-column --max-depth=number --max-columns=number --max-filesize=text --replace=text --count-matches
      --passthru --null --text --no-messages --threads=number --include-zero --one-file-system --no-config`,
    operands: 'text path*',
    instead: '-e -f --regexp --file --files --type-list',
    runs: '--pre --hostname-bin',
    scripts: '--pre --hostname-bin',
    is: 'data walks shows',
    yes: `rg foo ¦ rg -n foo src ¦ rg -tts 'a b' src ¦ rg -g '*.ts' foo ¦ rg --files ¦ rg --files src ¦
      rg -l foo | head -5 ¦ rg -uu foo src ¦ rg -e foo -e bar ¦ rg foo -A3 -B 3 ¦ rg --files -g '!node_modules'`,
    no: `rg --pre sh foo ¦ rg --pre=sh foo ¦ rg --hostname-bin=sh foo ¦ rg -z foo ¦ rg --search-zip foo ¦ rg -L foo ¦
      rg --follow foo ¦ rg foo /etc ¦ rg foo .. ¦ rg foo * ¦ rg -f /etc/passwd a ¦ rg KEY .env ¦ rg KEY -g '.env*' ¦
      rg --hyperlink-format=x foo ¦ rg --type-add 'x:*.env' -tx KEY ¦ rg -g *.ts foo`,
  }),
  program('fd, fdfind', {
    options: `-H -I -u -a -p -g -F -i -s -0 -1 -l -e=name -E=glob -t=name -d=number -S=text --hidden --no-ignore
      --absolute-path --full-path --glob --extension=name --exclude=glob --type=name --max-depth=number
      --min-depth=number --size=text --changed-within=text --max-results=number --color=name`,
    operands: 'text place*',
    runs: '-x -X --exec --exec-batch',
    does: [deletesFoundFiles],
    wraps: {options: '-x --exec -X --exec-batch'},
    can: 'run programs',
    is: 'data walks',
    yes: `fd foo ¦ fd -e ts ¦ fd -t f '\\.ts$' src ¦ fd --hidden foo`,
    no: 'fd foo -x rm ¦ fd -X rm ¦ fd --exec rm ¦ fd foo /etc ¦ fd -L foo ¦ fd foo * ¦ fd --exec-batch rm',
  }),
  program('which, type, whereis, whatis, apropos', {
    options: '-a -t -p -P -s --all',
    operands: 'name*',
    is: 'data',
    yes: 'which node ¦ type -a python3 ¦ which node npm',
    no: `which ./a ¦ whereis -f x ¦ which $X`,
  }),
  program('find, gfind', {
    options: `-print -print0 -ls -depth -d -prune -o -or -a -and -not -empty -readable -writable -executable -mount
      -xdev -true -false -daystart -nouser -nogroup -noleaf -nowarn -quit -noignore_readdir_race -name=text -iname=text
      -path=text -ipath=text -wholename=text -iwholename=text -regex=text -iregex=text -regextype=text -type=text
      -xtype=text -size=text -mtime=text -mmin=text -atime=text -amin=text -ctime=text -cmin=text -maxdepth=text
      -mindepth=text -perm=text -user=text -group=text -uid=text -gid=text -links=text -inum=text -lname=text
      -ilname=text -fstype=text -printf=text -newermt=text -newerct=text -newerat=text -used=text -newer=place
      -anewer=place -cnewer=place -samefile=place`,
    runs: '-exec -execdir -ok -okdir',
    writes: '-fprint -fprint0 -fls -fprintf',
    edits: '-delete',
    does: [deletesFoundFiles],
    wraps: {options: '-exec -execdir -ok -okdir'},
    can: 'run programs and delete files',
    is: 'data restores own-words',
  }),
  program('ag, ack', {runs: '--pager', loads: '--ackrc', is: 'data walks shows'}),
];
