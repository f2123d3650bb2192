import {program, type ProgramRow} from '../program-table.ts';

/** Programs of the coreutils and their like that list files and folders, or print dates and words. */
export const coreutils: readonly ProgramRow[] = [
  program('ls, dir, vdir', {
    flags:
      '-a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -1 -w=number -I=glob ' +
      '--all --almost-all --author --escape --directory --classify --file-type --full-time --group-directories-first --human-readable ' +
      '--si --inode --numeric-uid-gid --literal --no-group --reverse --recursive --size --color --color?=text --sort?=text --time?=text ' +
      '--time-style?=text --format?=text --indicator-style?=text --ignore?=glob --hide?=glob --width?=number --block-size?=text',
    operands: ['place'],
    anyOption: 'harmless',
    match: ['ls', 'ls -la', 'ls -la src', 'ls --color=never *.ts', 'ls -d */', 'ls -lt | head'],
    notMatch: ['ls /etc', 'ls ~', 'ls ../..', 'ls --hyperlink', 'ls $DIR', 'ls > out'],
  }),
  program('cat, tac', {
    flags:
      '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting',
    operands: ['path'],
    anyOption: 'harmless',
    match: ['cat a.ts', 'cat -n src/a.ts b.ts', 'cat -A a', 'cat', 'cat < a.ts', 'cat src/*.ts'],
    notMatch: ['cat /etc/passwd', 'cat .env', 'cat .e*', 'cat ~/.ssh/id_rsa', 'cat a > b', 'cat link/key', 'cat id_*'],
  }),
  program('nl', {
    flags: '-b=text -n=name -s=text -w=number -v=number -i=number -p',
    operands: ['path'],
    anyOption: 'harmless',
    match: ['nl a', 'nl -ba a', 'nl -b a -w 3 src/a.ts'],
    notMatch: ['nl .env', 'nl /etc/passwd'],
  }),
  program('head, tail', {
    flags: '-n=number -c=number -q -v -z --lines=number --bytes=number --quiet --silent --verbose --zero-terminated',
    operands: ['path'],
    digits: 'a number',
    anyOption: 'harmless',
    match: [
      'head a',
      'head -20 a b',
      'tail -n +5 a',
      'head -n5 a',
      'head --lines=3 a',
      'tail -c 100 a',
      'head -n -5 a',
    ],
    notMatch: ['tail -f a', 'head .env.local', 'tail --pid=1 a', 'head --line=3 a', 'tail -n x a'],
  }),
  program('wc', {
    flags: '-c -m -l -L -w --bytes --chars --lines --max-line-length --words',
    operands: ['place'],
    anyOption: 'harmless',
    match: ['wc -l a.ts', 'wc a b', 'wc -lw src/*.ts', 'wc -l *'],
    notMatch: ['wc --files0-from=x', 'wc -l /etc/passwd'],
  }),
  program('stat', {
    flags: '-L -f -t -x -c=text -s --dereference --file-system --terse --format?=text --printf?=text',
    operands: ['place'],
    anyOption: 'harmless',
    match: ['stat a', "stat -c '%s %n' a", 'stat --printf=%a a'],
    notMatch: ['stat /etc/shadow'],
  }),
  program('du', {
    flags:
      '-a -b -c -h -H -k -l -m -s -S -x -0 -d=number --all --bytes --total --human-readable --max-depth=number --si --summarize ' +
      '--apparent-size --exclude?=glob --time --one-file-system',
    operands: ['place'],
    anyOption: 'harmless',
    match: ['du -sh .', 'du -sh *', 'du -h --max-depth=1', 'du -d 1 src'],
    notMatch: ['du -sh /', 'du --files0-from=x', 'du -X x'],
  }),
  program('df', {
    flags: '-a -h -H -i -k -l -T -P --human-readable --inodes --local --print-type --total -t=text',
    operands: ['place'],
    match: ['df -h', 'df -h .'],
    notMatch: ['df --sync', 'df -h /'],
  }),
  program('file', {
    flags: '-b -i -I -L -h -k -N -p -r --brief --mime --mime-type --mime-encoding --dereference --no-dereference',
    operands: ['place'],
    match: ['file a', 'file --mime-type src/a.ts', 'file ./*'],
    notMatch: ['file -C -m x', 'file -z a', 'file -f list', 'file *'],
  }),
  program('basename, dirname', {
    flags: '-a -s=text -z --multiple --suffix=text --zero',
    operands: ['text'],
    anyOption: 'harmless',
    match: ['basename /a/b.ts .ts', 'dirname src/a.ts', 'basename "$(pwd)"'],
    notMatch: ['basename a > b', 'basename "$SECRET"'],
  }),
  program('realpath, readlink', {
    flags: '-e -f -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing --canonicalize-missing --no-newline',
    operands: ['place'],
    match: ['realpath src', 'readlink -f a'],
    notMatch: ['realpath /etc/passwd'],
  }),
  program('pwd', {flags: '-L -P', match: ['pwd', 'pwd -P'], notMatch: ['pwd -x']}),
  program('true, false, :', {operands: ['text'], anyOption: 'harmless', match: ['true', ':'], notMatch: [': > a']}),
  program('exit, break, continue, wait', {
    operands: ['number', 'none'],
    match: ['exit 1', 'exit $?'],
    notMatch: ['exit a b', 'wait -n'],
  }),
  program('sleep', {
    operands: ['number'],
    match: ['sleep 1', 'sleep 0.5'],
    notMatch: ['sleep $(make)'],
  }),
  program('expr', {
    operands: ['text'],
    anyOption: 'harmless',
    match: ['expr 1 + 2', "expr length 'abc'"],
    notMatch: ['expr 1 > a', 'expr $SECRET : x'],
  }),
  program('seq', {
    flags: '-w -s=text -f=text --equal-width --separator=text',
    operands: ['number'],
    match: ['seq 1 10', 'seq -w 1 3'],
    notMatch: ['seq $X'],
  }),
  program('date', {
    flags:
      '-u -R -I -I?=text -d=text -j --utc --date=text --iso-8601 --iso-8601?=text --rfc-3339?=text --rfc-email -r=place',
    operands: ['format', 'none'],
    match: ['date', "date '+%Y-%m-%d'", 'date -u +%s', "date -d '1 day ago' +%F"],
    notMatch: ['date -s 12:00', 'date 010112002026', 'date --set=x', 'date -f a'],
  }),
  program('cal', {
    flags: '-3 -1 -y -m -j',
    operands: ['number'],
    match: ['cal', 'cal 2026'],
    notMatch: ['cal --x'],
  }),
  program('md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum, cksum, md5, shasum', {
    flags: '-b -t -z -a=number --binary --text --tag',
    operands: ['place'],
    match: ['sha256sum a', 'md5sum src/*.ts', 'shasum -a 256 a', 'cksum a'],
    notMatch: ['sha256sum -c list', 'md5sum /etc/shadow', 'sha256sum *'],
  }),
  program('cmp', {
    flags: '-b -l -s -n=number --print-bytes --verbose --quiet --silent',
    operands: ['path'],
    match: ['cmp a b', 'cmp -s a b'],
    notMatch: ['cmp a /etc/passwd'],
  }),
  program('tree', {
    flags:
      '-a -d -f -i -p -s -h -u -g -D -F -q -N -r -t -c -U -n -C -A -S -x -L=number -P=glob -I=glob --dirsfirst --filelimit=number ' +
      '--noreport --prune --gitignore --du --si --charset=text --sort?=text --inodes --matchdirs --ignore-case',
    operands: ['place'],
    match: ['tree', 'tree -L 2', "tree -L 2 -I 'node_modules|dist' src", 'tree -a --dirsfirst'],
    notMatch: ['tree -o out', 'tree /', 'tree -R -H x', 'tree -l'],
  }),
];
