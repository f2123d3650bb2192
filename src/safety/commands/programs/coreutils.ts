import {effectRule, targetOptions, program, type ProgramRow} from '../program-table.ts';
import {changesFiles, deletesFiles, overwritesFiles, overwritesWhenUnpacking, packsFiles} from './effect-rules.ts';

const ofCopy = {
  runs: '--strip-program',
  does: [
    effectRule('destructive', 'can overwrite files', {
      when: /^-\w*f|^--force/u,
      reach: 'puts-files',
      otherwise: 'copies files',
    }),
    effectRule('local-change', 'changes files', {reach: 'puts-files'}),
  ],
  is: 'data restores copies abbreviates',
} as const;

/** Programs that list, read, copy, move and delete files and folders, or print dates and words. */
export const coreutils: readonly ProgramRow[] = [
  program('ls, dir, vdir', {
    options: `-a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -1
      -w=number -I=glob --all --almost-all --author --escape --directory --classify --file-type --full-time
      --group-directories-first --human-readable --si --inode --numeric-uid-gid --literal --no-group --reverse
      --recursive --size --color --color?=text --sort?=text --time?=text --time-style?=text --format?=text
      --indicator-style?=text --ignore?=glob --hide?=glob --width?=number --block-size?=text`,
    operands: 'place*',
    is: 'data shows any-option',
    yes: 'ls ¦ ls -la ¦ ls -la src ¦ ls --color=never *.ts ¦ ls -d */ ¦ ls -lt | head',
    no: `ls /etc ¦ ls ~ ¦ ls ../.. ¦ ls --hyperlink ¦ ls $DIR ¦ ls > out`,
  }),
  program('cat, tac', {
    options: `-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank
      --show-tabs --show-nonprinting`,
    operands: 'path*',
    is: 'data shows any-option',
    yes: 'cat a.ts ¦ cat -n src/a.ts b.ts ¦ cat -A a ¦ cat ¦ cat < a.ts ¦ cat src/*.ts',
    no: 'cat /etc/passwd ¦ cat .env ¦ cat .e* ¦ cat ~/.ssh/id_rsa ¦ cat a > b ¦ cat link/key ¦ cat id_*',
  }),
  program('nl', {
    options: '-b=text -n=name -s=text -w=number -v=number -i=number -p',
    operands: 'path*',
    is: 'data any-option',
    yes: 'nl a ¦ nl -ba a ¦ nl -b a -w 3 src/a.ts',
    no: 'nl .env ¦ nl /etc/passwd',
  }),
  program('head, tail', {
    options: `-n=number -c=number -q -v -z --lines=number --bytes=number --quiet --silent --verbose --zero-terminated`,
    operands: 'path*',
    is: 'data shows digits any-option',
    yes: 'head a ¦ head -20 a b ¦ tail -n +5 a ¦ head -n5 a ¦ head --lines=3 a ¦ tail -c 100 a ¦ head -n -5 a',
    no: 'tail -f a ¦ head .env.local ¦ tail --pid=1 a ¦ head --line=3 a ¦ tail -n x a',
  }),
  program('wc', {
    options: '-c -m -l -L -w --bytes --chars --lines --max-line-length --words',
    operands: 'place*',
    is: 'data shows any-option',
    yes: 'wc -l a.ts ¦ wc a b ¦ wc -lw src/*.ts ¦ wc -l *',
    no: 'wc --files0-from=x ¦ wc -l /etc/passwd',
  }),
  program('stat', {
    options: '-L -f -t -x -c=text -s --dereference --file-system --terse --format?=text --printf?=text',
    operands: 'place*',
    is: 'data shows any-option',
    yes: `stat a ¦ stat -c '%s %n' a ¦ stat --printf=%a a`,
    no: 'stat /etc/shadow',
  }),
  program('du', {
    options: `-a -b -c -h -H -k -l -m -s -S -x -0 -d=number --all --bytes --total --human-readable --max-depth=number
      --si --summarize --apparent-size --exclude?=glob --time --one-file-system`,
    operands: 'place*',
    is: 'data any-option',
    yes: 'du -sh . ¦ du -sh * ¦ du -h --max-depth=1 ¦ du -d 1 src',
    no: 'du -sh / ¦ du --files0-from=x ¦ du -X x',
  }),
  program('df', {
    options: '-a -h -H -i -k -l -T -P --human-readable --inodes --local --print-type --total -t=text',
    operands: 'place*',
    is: 'data',
    yes: 'df -h ¦ df -h .',
    no: 'df --sync ¦ df -h /',
  }),
  program('file', {
    options: `-b -i -I -L -h -k -N -p -r --brief --mime --mime-type --mime-encoding --dereference --no-dereference`,
    operands: 'place*',
    is: 'data shows',
    yes: 'file a ¦ file --mime-type src/a.ts ¦ file ./*',
    no: 'file -C -m x ¦ file -z a ¦ file -f list ¦ file *',
  }),
  program('basename, dirname', {
    options: '-a -s=text -z --multiple --suffix=text --zero',
    operands: 'text*',
    is: 'data shows any-option',
    yes: `basename /a/b.ts .ts ¦ dirname src/a.ts ¦ basename "$(pwd)"`,
    no: `basename a > b ¦ basename "$SECRET"`,
  }),
  program('realpath, readlink', {
    options: `-e -f -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing --canonicalize-missing --no-newline`,
    operands: 'place*',
    is: 'data shows',
    yes: 'realpath src ¦ readlink -f a',
    no: 'realpath /etc/passwd',
  }),
  program('pwd', {options: '-L -P', is: 'data', yes: 'pwd ¦ pwd -P', no: 'pwd -x'}),
  program('true, false, :', {operands: 'text*', is: 'data own-words any-option', yes: 'true ¦ :', no: ': > a'}),
  program('exit, break, continue, wait', {
    operands: 'number',
    is: 'data variables',
    yes: `exit 1 ¦ exit $?`,
    no: 'exit a b ¦ wait -n',
  }),
  program('sleep', {operands: 'number*', is: 'data', yes: 'sleep 1 ¦ sleep 0.5', no: `sleep $(make)`}),
  program('expr', {
    operands: 'text*',
    is: 'data own-words any-option',
    yes: `expr 1 + 2 ¦ expr length 'abc'`,
    no: `expr 1 > a ¦ expr $SECRET : x`,
  }),
  program('seq', {
    options: '-w -s=text -f=text --equal-width --separator=text',
    operands: 'number*',
    is: 'data',
    yes: 'seq 1 10 ¦ seq -w 1 3',
    no: `seq $X`,
  }),
  program('date', {
    options: `-u -R -I -I?=text -d=text -j --utc --date=text --iso-8601 --iso-8601?=text --rfc-3339?=text --rfc-email
      -r=place`,
    operands: 'format',
    runs: '-s --set',
    does: [effectRule('unknown', 'sets the clock of this machine', {when: /^(?:-[A-Za-z]*s|--s)/u, reach: 'machine'})],
    is: 'data',
    yes: `date ¦ date '+%Y-%m-%d' ¦ date -u +%s ¦ date -d '1 day ago' +%F`,
    no: 'date -s 12:00 ¦ date 010112002026 ¦ date --set=x ¦ date -f a',
  }),
  program('cal', {options: '-3 -1 -y -m -j', operands: 'number*', yes: 'cal ¦ cal 2026', no: 'cal --x'}),
  program('md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum, cksum, md5, shasum', {
    options: '-b -t -z -a=number --binary --text --tag',
    operands: 'place*',
    is: 'data shows',
    yes: 'sha256sum a ¦ md5sum src/*.ts ¦ shasum -a 256 a ¦ cksum a',
    no: 'sha256sum -c list ¦ md5sum /etc/shadow ¦ sha256sum *',
  }),
  program('cmp', {
    options: '-b -l -s -n=number --print-bytes --verbose --quiet --silent',
    operands: 'path*',
    is: 'data shows',
    yes: 'cmp a b ¦ cmp -s a b',
    no: 'cmp a /etc/passwd',
  }),
  program('tree', {
    options: `-a -d -f -i -p -s -h -u -g -D -F -q -N -r -t -c -U -n -C -A -S -x -L=number -P=glob -I=glob --dirsfirst
      --filelimit=number --noreport --prune --gitignore --du --si --charset=text --sort?=text --inodes --matchdirs
      --ignore-case`,
    operands: 'place*',
    writes: '-o',
    is: 'data own-words',
    yes: `tree ¦ tree -L 2 ¦ tree -L 2 -I 'node_modules|dist' src ¦ tree -a --dirsfirst`,
    no: 'tree -o out ¦ tree / ¦ tree -R -H x ¦ tree -l',
  }),
  program('tar, gtar, bsdtar', {
    options: '-f=text -C=text -T=text -X=text -b=text',
    runs: `--to-command --use-compress-program -I --checkpoint-action --info-script --new-volume-script -F
      --rsh-command --rmt-command -P --absolute-names`,
    writes: '--index-file',
    scripts: '--to-command --use-compress-program --rsh-command --info-script -I -F',
    does: [overwritesWhenUnpacking, packsFiles],
    edits: '.C -x --extract --get',
    can: 'run programs and overwrite files',
    is: 'data restores unpacks converts abbreviates',
  }),
  program('cpio, unar, 7z, 7za, 7zz, pax, unrar', {
    options: '-C=text -D=text -E=text -F=text -H=text -I=text -R=text',
    runs: '--rsh-command --rmt-command',
    writes: '-O',
    edits: '.oDC x e -i -r -p --extract',
    does: [overwritesWhenUnpacking],
    is: 'restores unpacks converts abbreviates',
  }),
  program('zip', {runs: '-TT --unzip-command', edits: '*', does: [packsFiles], is: 'data converts'}),
  program('rm', {
    options: '-r:deep -R:deep --recursive:deep -d:folders --dir:folders',
    operands: 'remove*',
    does: [deletesFiles],
    can: 'delete any file',
    is: 'data removes',
  }),
  program('rmdir', {operands: 'remove-empty*', does: [deletesFiles], is: 'data removes'}),
  program('unlink', {operands: 'remove*', does: [deletesFiles], is: 'data removes'}),
  program('shred', {
    options: '-u:folders --remove:folders -n=number --iterations=number -s=number --size=number --random-source=path',
    operands: 'shred*',
    does: [deletesFiles],
    is: 'data removes',
  }),
  program('trash', {does: [deletesFiles], is: 'data removes'}),
  program('grm, srm, trash-put, rimraf, del-cli, del, wipe', {does: [deletesFiles], is: 'removes'}),
  program('split', {
    options: '-a=text -b=text -C=text -l=text -n=text -t=text',
    runs: '--filter',
    writes: '--additional-suffix',
    edits: '* named',
    does: [changesFiles],
    is: 'data abbreviates',
  }),
  program('cp, gcp', {
    ...ofCopy,
    options: `${targetOptions} -r:deep -R:deep --recursive:deep -a:deep --archive:deep -n:keeps --no-clobber:keeps
      --update?=when`,
    operands: 'source* target',
  }),
  program('install, ginstall', {
    ...ofCopy,
    options: `${targetOptions} -m=text -o=text -g=text --mode=text --owner=text --group=text -d:keeps --directory:keeps`,
    operands: 'source* target',
  }),
  program('ditto', {...ofCopy, options: '-g=text -m=text -o=text -S=text -t=text'}),
  program('patch', {
    options: '-b=text -D=text -F=text -g=text -p=text -V=text',
    runs: '-e --ed',
    writes: '-o --output -r --reject-file -B -Y -z',
    loads: '-d --directory -i --input',
    edits: '.d * !--dry-run',
    does: [changesFiles],
    is: 'restores writes abbreviates',
  }),
  program('dc', {options: '-e=text', runs: '*!*', loads: '-f --file'}),
  program('mv, gmv', {
    options: `${targetOptions} -n:keeps --no-clobber:keeps --update?=when`,
    operands: 'from* target',
    does: [effectRule('destructive', 'can overwrite files', {reach: 'puts-files', otherwise: 'moves files'})],
    is: 'data restores moves',
  }),
  program('ln', {
    options: `${targetOptions} -f:force --force:force -n:no-links --no-dereference:no-links`,
    operands: 'link* target',
    does: [
      effectRule('destructive', 'can overwrite files', {
        when: /^-\w*f|^--force/u,
        reach: 'puts-files',
        otherwise: 'makes links',
      }),
      changesFiles,
    ],
    is: 'data restores links',
  }),
  program('truncate', {
    options: '-s=number --size=number -r=path --reference=path',
    operands: 'truncate*',
    does: [overwritesFiles],
    is: 'data writes',
  }),
  program('tee', {
    options: '-a:append --append:append',
    operands: 'overwrite*',
    does: [overwritesFiles],
    is: 'data fed writes',
  }),
  program('sponge', {does: [effectRule('destructive', 'overwrites files')], is: 'data fed writes'}),
  program('dd', {
    operands: 'of=overwrite*',
    does: [
      effectRule('destructive', 'overwrites a file or a disk', {
        when: /^of=/u,
        reach: 'puts-files',
        otherwise: 'creates files',
      }),
    ],
    can: 'overwrite any file',
    is: 'data',
  }),
  program('chmod, chown, chgrp', {
    does: [
      effectRule('destructive', 'changes permissions of many files', {when: /^(?:-\w*R|--recursive)/u}),
      changesFiles,
    ],
    can: 'change the rights of any file',
    is: 'data rights',
  }),
  program('unzip', {
    edits: '.d * !-l !-p !-t !-v !-Z',
    does: [overwritesWhenUnpacking],
    is: 'data restores unpacks converts own-words',
  }),
  program('mkdir', {options: '-m=text --mode=text', operands: 'create*', does: [changesFiles], is: 'data writes'}),
  program('touch', {
    options: '-d=text --date=text -r=path --reference=path -t=text',
    operands: 'create*',
    does: [changesFiles],
    is: 'data writes',
  }),
  program('mkfifo', {does: [changesFiles], is: 'data writes'}),
  program('mktemp, csplit', {edits: '* named', does: [changesFiles], is: 'data'}),
  program('gzip, gunzip, bzip2, xz', {
    edits: '* named !-c !-l !-t !--stdout !--list !--test',
    does: [packsFiles],
    is: 'data converts',
  }),
  program('zstd, unzstd, lz4, unlz4, brotli, lzma, unlzma, unxz, bunzip2, lzop, compress, uncompress', {
    writes: '-o --output --output-dir-flat',
    edits: '* named !-c !-l !-t !--stdout !--list !--test',
    does: [packsFiles],
    is: 'data converts',
  }),
  program('newgrp', {is: 'input'}),
  program('ps', {is: 'data own-words'}),
  program('dos2unix, unix2dos', {edits: '*', is: 'data'}),
  program('locate, sync, rgrep, return, shift, tsort, ptx, factor, sum, numfmt', {is: 'data'}),
  program('pr, sort-keys, tldr', {is: 'data'}),
  program('rename', {is: 'moves'}),
  program('chcon', {is: 'rights'}),
];
