import {program, type ProgramRow} from '../program-table.ts';
import {editsInPlace, unknownEffect} from './effect-rules.ts';

const ofAwk = {
  options: `-F=text -v=text --field-separator=text --assign=script -f=code --file=code -e=script --source=script
    -i=program --include=program -l=program --load=program`,
  operands: 'awk path*',
  instead: '-f --file -e --source',
  does: [unknownEffect],
  is: 'runs-given converts abbreviates',
  yes: `awk '{print $1}' a ¦ awk -F: '{print $1, $2}' a ¦ awk 'NR==1' a ¦ awk 'NR>=5 && NR<=10' a ¦
    awk '/foo/{print $2}' a ¦ awk '{s+=$1} END {print s}' a ¦ awk '$3 > 100 {print $1}' a ¦ awk -v n=3 'NR==n' a ¦
    awk '{print $1 " | " $2}' a ¦ awk '/a|b/ {print}' a ¦ awk '{printf "%s\\n", $1}' a ¦ awk '!seen[$0]++' a ¦
    awk '{ if ($1 > 5) print $2 }' a ¦ awk 'length($0) > 100' a`,
  no: `awk 'BEGIN{system("id")}' ¦ awk '{print > "out"}' a ¦ awk '{print $1 >> "out"}' a ¦ awk '{print | "sh"}' a ¦
    awk '"id" | getline x' a ¦ awk -f script a ¦ awk '{while ((getline l < "/etc/passwd") > 0) print l}' a ¦
    awk '@include "x"' a ¦ awk 'BEGIN{print ENVIRON["KEY"]}' ¦ awk 'BEGIN{ARGV[1]="/etc/passwd";ARGC=2}{print}' a ¦
    awk '/"/ {print "x" | "sh"} /"/' a ¦ awk -i inplace '{print}' a ¦ awk '{print}' /etc/passwd ¦
    awk -e 'BEGIN{system(1)}' a`,
} as const;

/** Programs that turn text into other text on their standard output. */
export const textPrograms: readonly ProgramRow[] = [
  program('sort', {
    options: `-b -d -f -g -h -i -M -n -r -R -s -u -V -z -c -C -m -k=text -t=text --ignore-leading-blanks
      --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --month-sort --numeric-sort
      --reverse --stable --unique --version-sort --zero-terminated --key=text --field-separator=text --check
      --sort?=text -o=output --output=output`,
    operands: 'path*',
    runs: '--compress-program',
    scripts: '--compress-program',
    is: 'data abbreviates',
    yes: 'sort a ¦ sort -u a b ¦ sort -t, -k2,2n a ¦ sort -rn ¦ sort -k 2 a ¦ sort ./*.txt',
    no: `sort -o out a ¦ sort --compress-program=sh a ¦ sort -T /x a ¦ sort --compress-prog=sh a ¦ sort -oa a ¦
      sort * ¦ sort a -uo b`,
  }),
  program('uniq', {
    options: `-c -d -D -i -u -z -f=number -s=number -w=number --count --repeated --ignore-case --unique
      --skip-fields=number`,
    operands: 'path write',
    is: 'data',
    yes: 'uniq -c ¦ uniq a ¦ sort a | uniq -c | sort -rn',
    no: 'uniq a b ¦ uniq *',
  }),
  program('cut', {
    options: `-b=text -c=text -d=text -f=text -n -s -z --bytes=text --characters=text --delimiter=text --fields=text
      --only-delimited --complement --output-delimiter=text`,
    operands: 'path*',
    is: 'data converts any-option',
    yes: `cut -d: -f1 a ¦ cut -d ' ' -f 2- ¦ cut -c1-10 a`,
    no: 'cut -d: -f1 /etc/passwd',
  }),
  program('tr', {
    options: '-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1',
    operands: 'text*',
    is: 'data converts any-option',
    yes: `tr -d '\\n' ¦ tr a-z A-Z ¦ tr ',' '\\n'`,
    no: 'tr a b < /etc/passwd',
  }),
  program('paste', {
    options: '-d=text -s -z --delimiters=text --serial',
    operands: 'path*',
    is: 'data any-option',
    yes: 'paste -sd, a ¦ paste a b ¦ paste -sd+ -',
    no: 'paste a .env',
  }),
  program('comm', {
    options: '-1 -2 -3 -z --check-order --nocheck-order --total --output-delimiter?=text',
    operands: 'path*',
    is: 'data',
    yes: 'comm -12 a b ¦ comm -23 <(sort a) <(sort b)',
    no: 'comm a /etc/passwd ¦ comm <(make) a',
  }),
  program('join', {
    options: `-a=number -e=text -i -j=number -o=text -t=text -v=number -1=number -2=number --header --check-order
      --nocheck-order`,
    operands: 'path*',
    is: 'data',
    yes: 'join a b ¦ join -t, -1 2 -2 1 a b',
    no: 'join a /etc/passwd',
  }),
  program('fold, fmt, expand, unexpand, rev', {
    options: '-b -s -u -w=number -t=text -i --spaces --width=number --tabs=text',
    operands: 'path*',
    is: 'data converts digits',
    yes: 'fold -w 80 a ¦ rev a ¦ fold -sw 80 ¦ expand -t 4 a',
    no: 'fold a > b',
  }),
  program('column', {
    options: '-t -x -n -e -s=text -c=number -N=text -o=text -J --table --separator=text --columns=number',
    operands: 'path*',
    is: 'data',
    yes: `column -t ¦ column -t -s ',' a`,
    no: 'column -t /etc/passwd',
  }),
  program('od, hexdump, hd', {
    options: '-a -b -c -C -d -o -x -v -A=text -t=text -j=number -N=number -n=number -s=number',
    operands: 'path*',
    is: 'data converts',
    yes: 'od -c a ¦ hexdump -C a ¦ od -An -tx1 a ¦ hexdump -C -n 64 a',
    no: 'hexdump -f fmt a ¦ od -c /dev/mem',
  }),
  program('xxd', {
    options: '-b -e -i -p -r -u -c=number -g=number -l=number -s=number',
    operands: 'path write',
    is: 'data converts',
    yes: 'xxd a ¦ xxd -l 64 a',
    no: 'xxd a b ¦ xxd -r a b',
  }),
  program('iconv', {
    options: '-c -s -l -f=text -t=text --from-code=text --to-code=text --list --silent',
    operands: 'path*',
    writes: '-o --output',
    is: 'data converts abbreviates',
    yes: `iconv -f utf-8 -t ascii a ¦ iconv -f latin1 -t UTF-8//TRANSLIT a ¦ iconv -l ¦ iconv --from-code=UTF-16 a`,
    no: `iconv -f utf-8 -t ascii -o b a ¦ iconv --output=b a ¦ iconv -f utf-8 .env ¦ iconv -f utf-8 /etc/passwd`,
  }),
  program('strings', {
    options: '-a -f -n=number -t=text -e=text --all --bytes=number',
    operands: 'file*',
    is: 'data digits',
    yes: 'strings a ¦ strings -n 8 a',
    no: 'strings /dev/mem ¦ strings @list ¦ strings .env',
  }),
  program('base64, base32', {
    options: '-d -D -i -w=number --decode --ignore-garbage --wrap=number',
    operands: 'path*',
    is: 'data converts',
    yes: 'base64 a ¦ base64 -d ¦ base64 -w0 a',
    no: 'base64 .env ¦ base64 -o out a',
  }),
  program('diff', {
    options: `-a -b -B -c -d -e -E -i -N -n -p -q -r -s -t -T -u -w -y -Z -U=number -C=number -W=number -x=glob
      -I=text -L=text --brief --recursive --unified --unified?=number --context?=number --new-file --text
      --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --side-by-side
      --suppress-common-lines --report-identical-files --width=number --minimal --no-dereference --label=text --color
      --color?=text --exclude=glob --strip-trailing-cr --show-c-function`,
    operands: 'path*',
    runs: '--diff-program --pager',
    writes: '-o --output',
    is: 'data shows digits abbreviates',
    yes: 'diff a b ¦ diff -u a b ¦ diff -rq src lib ¦ diff <(sort a) <(sort b) ¦ diff -U3 a b ¦ diff -y a b',
    no: 'diff -l a b ¦ diff a /etc/passwd ¦ diff --to-file=/etc/x a ¦ diff <(make) a ¦ diff a .env',
  }),
  program('sed, gsed', {
    options: `-n -E -r -s -u -z -e=sed --quiet --silent --regexp-extended --expression=sed --separate --null-data
      --sandbox --posix --debug -f=program --file=program -i?=edit --in-place?=edit`,
    operands: 'sed path*',
    instead: '-e --expression -f --file',
    does: [editsInPlace, unknownEffect],
    is: 'converts',
    can: 'change files and run programs',
    yes: `sed -n '1,20p' a ¦ sed -n 5p a ¦ sed 's/a/b/g' a ¦ sed -e 's/a/b/' -e '/x/d' a ¦ sed -n '/foo/,/bar/p' a ¦
      sed -n '$=' a ¦ sed -E 's#(a|b)#x#' a ¦ sed '1,5d;s/ *$//' a ¦ sed -n -e '10,20p' -e '30q' a ¦
      sed ':a;N;$!ba;s/\\n/ /g' a`,
    no: `sed -i 's/a/b/' a ¦ sed --in-place 's/a/b/' a ¦ sed -n '1w out' a ¦ sed 's/a/b/w out' a ¦ sed 's/a/id/e' a ¦
      sed '1e id' a ¦ sed 'e' a ¦ sed -f script a ¦ sed -n '1r /etc/passwd' a ¦ sed --in-pl 's/a/b/' a ¦ sed -ni p a ¦
      sed -n p /etc/passwd ¦ sed 's/a/b/;w out' a ¦ sed "s/a/$x/" a ¦ sed '/a/{s/b/c/;w out\n}' a ¦
      sed 's/x/y/\nw out' a ¦ sed -n p *`,
  }),
  program('awk, gawk', {
    ...ofAwk,
    runs: '-E --exec -o/* -o..* -p/* -p..* -d/* -d..*',
    writes: '--pretty-print --profile --dump-variables',
  }),
  program('mawk, nawk', {...ofAwk}),
  program('jq, gojq', {
    options: `-r -c -n -s -S -e -R -j -a -C -M --raw-output --compact-output --null-input --slurp --sort-keys
      --exit-status --raw-input --join-output --color-output --monochrome-output --tab --arg==text --argjson==text
      --seq --stream`,
    operands: 'jq path*',
    loads: '-f --from-file -L --library-path',
    is: 'data shows own-words',
    yes: `jq --arg k a '.[$k]' a.json ¦ jq . a.json ¦ jq -r '.scripts | keys[]' package.json ¦
      cat package.json | jq .scripts ¦ jq '.a > 1' a`,
    no: `jq -n env ¦ jq -n '$ENV.KEY' ¦ jq -f prog a ¦ jq --rawfile x /etc/passwd . a ¦ jq . .env ¦
      jq 'import "x" as y; .' a`,
  }),
  program('yq', {
    options: '-r -P -o=name -p=name -M -C -N --raw-output',
    operands: 'document*',
    runs: '-s --split-exp',
    writes: '-s --split-exp',
    loads: '-f --from-file -L --split-exp-file',
    is: 'data own-words',
    yes: `yq '.a' a.yml ¦ yq -r .version a.yml ¦ yq e .a a.yml`,
    no: `yq -i '.a=1' a.yml ¦ yq 'load("/etc/passwd")' a.yml ¦ yq -n 'env(KEY)' ¦ yq -s .a a.yml ¦
      yq e 'load("/etc/passwd")' a.yml ¦ yq a.yml 'env(KEY)' ¦ yq 'system("id")' a.yml`,
  }),
  program('man', {
    operands: 'name*',
    runs: '-P --pager -H --html',
    loads: '-C --config-file',
    is: 'data pages own-words abbreviates',
    yes: 'man ls ¦ man 5 crontab',
    no: 'man --html=sh ls ¦ man -P sh ls ¦ man ./a ¦ man -H ls',
  }),
  program('gsort', {
    options: '-k=text -t=text -S=text -T=text',
    runs: '--compress-program',
    writes: '-o --output',
    is: 'abbreviates',
  }),
  program('shuf', {options: '-i=text -n=text', writes: '-o --output', is: 'data abbreviates'}),
];
