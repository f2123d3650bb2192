import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {bash, judgeOnDisk} from '../support/judging.ts';

const base = mkdtempSync(join(tmpdir(), 'weft-shown-'));

beforeAll(() => {
  for (const root of ['plain', 'secret']) {
    for (const name of [
      'README.md',
      'src/a.ts',
      'docs/x.md',
      'conf.d/x',
      '.git/HEAD',
      '.git/config',
      'node_modules/x/test.pem',
    ])
      write(join(base, root, name));
  }
  write(join(base, 'secret/.env'));
  write(join(base, 'secret/pkg/.env.local'));
});

afterAll(() => {
  rmSync(base, {recursive: true, force: true});
});

function write(path: string): void {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, 'PASSWORD=hunter2-sesame\n');
}

async function decision(root: string, command: string): Promise<string> {
  const judge = judgeOnDisk(join(base, root), join(base, 'home'), {read: () => ({kind: 'missing'})});
  return (await judge.assess(bash(command), 'default', new AbortController().signal)).decision;
}

const commands = (text: string): readonly string[] => text.split('\n').flatMap(line => line.trim() || []);

const searchesReshaped = commands(String.raw`
  grep -rh PASSWORD . | rev
  grep -rho 'PASSWORD=.....' .
  git grep -o PASS.....
  git grep PASSWORD | rev
  git grep --color PASS
  grep -rn PASSWORD . | sed 's/./&_/g'
  grep -rn PASSWORD . | awk '{print substr($0,1,9)}'
  grep -rn PASSWORD . | tr a-z b-za
  grep -rn PASSWORD . | cut -d: -f2
  grep -rhn PASSWORD . | cut -d: -f1
  grep -rn PASSWORD . | fold -w 5
  grep -rn PASSWORD . | grep -o 'PASS.....'
  grep -r --color=always hun .
  rg --hidden -o 'PASS.*' .
  rg -uu PASSWORD | rev
  rg --hidden -r x 'PASS'
  rg --hidden --json PASS
  find . -type f | xargs grep -h PASSWORD | rev
  find . -type f -exec grep -ho PASS.... {} +
  find . -type f -exec grep -q PASS {} \; -exec grep PASS {} \; | rev
  find . -type f -exec grep PASS {} + | rev
  git ls-files | xargs grep -ho PASS....
  grep -rd recurse PASS . | rev
  grep -d recurse -o PASS. .
  grep -rno X pkg
  grep -rn PASS . | xargs -n1 echo
  grep -r -A 3 -o PASS
  grep -ro -e PASS pkg docs
  grep -roh PASS docs pkg
  grep -rh PASS . --include='*' -o
`);

const patchesReshaped = commands(String.raw`
  git show HEAD | xxd
  git log -p | cut -c1-20
  git show stash@{0} | rev
  git diff --cached | rev
  git diff | rev
  git stash show -p | rev
  git show | base64
  git log -p | head -c 300; ls
  git log -p | tail -c 300
  git show | (head -3; rev)
  (git show; ls) | rev
  { git show; } | rev
  git show | head | rev
  git show | while read -r l; do echo "$l" | cut -c3-; done
  for i in 1 2; do git show; done | rev
  x=$(git show); echo $x | rev
  echo "$(git show)" | rev
  rev <(git show)
  rev <<< "$(git show)"
  git show --word-diff-regex=.
  git cat-file -p abc123 | rev
  git grep PASSWORD HEAD | rev
  git log -U3 | rev
  git log -L1,2:a.txt | rev
  git log --stat -p | rev
  git show -sp | rev
  git diff-tree -p HEAD | rev
  git diff-index -p HEAD | rev
  git reflog -p | rev
  git stash list -p | rev
  git status -v | rev
  git diff --check | rev
  timeout 5 git show | rev
  git -C pkg show | rev
  git show | sort | uniq | rev
  git log -p --all | strings | cut -c3-
  git diff HEAD~1 HEAD -- . | rev
  git show HEAD -- pkg | rev
  git log -p --full-diff -- src/a.ts | rev
  git log -p -- conf.d | rev
  git show |& rev
  git show 2>&1 | rev
  git log -p | column -t
  git show | iconv -f utf-8 -t utf-16
  git show | od -c
  git show | paste -s
  git show | awk -F= '{print $2}'
  git show | jq -R .
  cd docs && git show | rev
  git show HEAD --stat -U1 | rev
  git log -1 -p --format= | cut -c2-9
`);

const shownPlainly = commands(String.raw`
  grep -rn PASSWORD .
  grep -rh PASSWORD .
  grep -rn PASSWORD . | head
  grep -rn PASSWORD . | grep -v node_modules | sort | uniq -c
  grep -rn PASSWORD . | wc -l
  grep -rn PASSWORD . | cut -d: -f1 | sort | uniq -c | sort -rn
  grep -rn PASSWORD . | awk -F: '{print $1}' | sort -u
  grep -rl PASSWORD . | rev
  grep -rc PASSWORD . | cut -d: -f2
  git diff
  git diff | head -50
  git log -p | head
  git show | grep foo
  git show HEAD | cat
  git diff | sed -n '1,200p'
  git log -p | awk 'NR<=200'
  git diff | head -c 4000
  git diff --stat | tail -1 | awk '{print $4}'
  git log --oneline | cut -c1-60
  git log --format='%h %s' | awk '{print $1}'
  git show --stat | cut -c1-50
  git show --name-only --format= | sed 's/x/y/'
  git show HEAD:src/a.ts | cut -c1-50
  git diff HEAD~1 -- src/a.ts | cut -c1-80
  git log -p -- src/a.ts | rev
  [ -n "$(git diff)" ] && echo dirty
  test -z "$(git status --porcelain)"
  for f in $(git diff --name-only); do wc -l "$f"; done
  git diff | wc -l
  git diff | grep -c '^+'
  grep -rhoE 'import .*' src
  grep -rhoE 'import .*' --include='*.ts' .
  grep -rho x . --exclude='.env*'
  rg -o 'import .*'
  rg -o x -tts
  rg -n foo | cut -c1-100
  cat src/a.ts | rev
  ls | rev
  find . -name '*.ts' | xargs grep -ho foo
  find src -name '*.ts' -exec grep -ho foo {} +
  git ls-files | cut -d/ -f1 | sort -u
  git status -s | awk '{print $2}'
  git branch | sed 's/^..//'
  git grep -l foo | cut -d/ -f1
  git blame README.md | cut -c1-20
  git stash list | cut -d: -f1
  git diff --name-status | cut -f2
  git cat-file -p HEAD | sed 's/x/y/'
  git ls-tree -r HEAD | cut -f2
  git log -1 --format=%cd | cut -c1-10
`);

describe('what would show secrets in a form in which they are not recognised', () => {
  test.each(searchesReshaped)('%s asks where files of secrets are', async command => {
    expect([await decision('secret', command), await decision('plain', command)]).toEqual(['ask', 'allow']);
  });

  test.each(patchesReshaped)('%s asks, whatever the folder holds now', async command => {
    expect([await decision('secret', command), await decision('plain', command)]).toEqual(['ask', 'ask']);
  });

  test.each(shownPlainly)('%s does not ask', async command => {
    expect([await decision('secret', command), await decision('plain', command)]).toEqual(['allow', 'allow']);
  });
});
