import {grantingSettings} from '../../../../src/config/settings-schema.ts';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {bash, judgeOnDisk} from '../support/judging.ts';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'weft-patterns-')));
const work = join(home, 'work');
const folders = [join(home, '.config/weft'), join(home, '.local/share/weft')];

for (const folder of [...folders, join(work, '.weft')]) {
  mkdirSync(folder, {recursive: true});
  writeFileSync(join(folder, 'settings.json'), '{}');
}

afterAll(() => rmSync(home, {recursive: true, force: true}));

const judge = judgeOnDisk(work, home, {
  rules: {allow: [], ask: [], deny: []},
  blockCommand: () => 'bash',
  weftFolders: {folders, variables: {HOME: home}, grantingSettings},
});

/** Everyday commands. A text that is no path, such as a regular expression, stands at `§`. `@` is a line end. */
const commands = String.raw`
sed -i 's/§/x/' t.txt
sed -i 's/x/§/' t.txt
sed -E -i.bak 's#§#x#g' t.txt
sed -i -e 's|§|y|' -e '/§/d' t.txt
sed --in-place '/§/d' t.txt
sed -i "s,§,y," t.txt
sed -n '/§/p' t.txt
sed '/§/d' t.txt > out.txt
sed -i '/§/a added' t.txt
sed -i '/^§$/c\changed' t.txt
sed -i '$a §' t.txt
sed -i '1i§' t.txt
awk '/§/' t.txt > out.txt
awk '/§/ {print $1}' t.txt > out.txt
awk '$0 ~ "§" {print > "o.txt"}' t.txt
gawk -i inplace '{gsub(/§/, "y")} 1' t.txt
jq '.a | test("§")' a.json > o.json
jq --arg k '§' '.a=$k' a.json > o.json
perl -pi -e 's/§/x/' t.txt
perl -i -pe 's|§|x|g' t.txt
perl -0pi -e 's/§/x/s' t.txt
perl -ne 'print if /§/' t.txt > o.txt
ruby -pi -e 'gsub(/§/, "x")' t.txt
python3 -c "import re; print(re.sub(r'§', 'x', open('t.txt').read()))"
python3 -c 'import re; s = open("t.txt").read(); open("t.txt", "w").write(re.sub(r"§", "x", s))'
node -e 'console.log("a".replace(/§/, "x"))'
node -e 'const fs = require("fs"); fs.writeFileSync("t.txt", fs.readFileSync("t.txt", "utf8").replace(/§/g, "x"))'
node -p '"a".match(/§/)'
python3 - <<'E'@import re@print(re.sub(r'§', 'x', 'y'))@E
node - <<'E'@console.log("a".replace(/§/, "x"))@E
php -r 'echo preg_replace("/§/", "x", "y");'
deno eval 'console.log(/§/.test("x"))'
npx tsx -e 'console.log(/§/.test("x"))'
grep -rn '§' src > out.txt
grep -E '§' t.txt | sort -u > out.txt
grep -c '§' t.txt || echo none > out.txt
rg '§' src > out.txt
rg -n '§' src | head -3 | tee out.txt
git grep -n '§' > out.txt
find . -name '§' -print > out.txt
find . -regex '§' > out.txt
find src -name '*.ts' -not -path '§' > out.txt
find src -name '*.ts' | xargs grep -l '§' > out.txt
find src -name '*.ts' -exec sed -i 's/§/x/' {} +
find src -name '*.ts' | xargs sed -i 's/§/x/'
fd '§' src > out.txt
git log --grep='§' > out.txt
git log --format='§' -1 > out.txt
git log -S'§' --oneline > out.txt
git log -G '§' > out.txt
git commit -m '§'
git commit --message='§'
git commit -am '§'
git commit -m 'a' -m '§'
git tag -a v1 -m '§'
git branch --list '§'
git stash push -m '§'
git stash -m '§'
git diff -G'§' > out.txt
git diff -I'§' > out.txt
git for-each-ref --format='§' > out.txt
git notes add -m '§'
git merge --no-ff x -m '§'
git revert --no-edit HEAD~1 && git commit --amend -m '§'
gh pr create --title a --body '§'
gh issue list --search '§'
npm test -- -t '§'
npx vitest run -t '§'
npx jest --testNamePattern='§'
npx mocha --grep '§'
node --test --test-name-pattern='§'
pytest -k '§'
cargo test '§'
go test -run '§' ./...
go test -run='§' ./...
mvn -Dtest='§' test
./gradlew test --tests '§'
make VAR='§'
docker ps --format '§'
docker ps --filter 'name=§'
docker run --rm -e X='§' node node -v
kubectl get pods -o jsonpath='§'
kubectl get pods -o custom-columns='§'
curl -s -H 'X-A: §' http://localhost:3000/
curl -s -d '{"a":"§"}' http://localhost:3000/
curl -s 'http://localhost:3000/?a=§'
echo '§' > notes.txt
echo "§" >> notes.txt
printf '§\n' >> notes.txt
cat > notes.txt <<'E'@§@E
cat <<'E' > notes.txt@a @§@E
tee notes.txt <<'E'@§@E
export X='§'; npm test
X='§' npm test
X='§'; echo "$X" > out.txt
test "$x" = '§' && npm test
[[ "$x" == '§' ]] && npm test
case "$x" in '§') npm test;; esac
diff -I '§' a.txt b.txt > out.txt
rename 's/§/x/' a.txt
tar --exclude='§' -czf a.tgz src
rsync -a --exclude='§' src/ out/
zip -r a.zip src -x '§'
sqlite3 app.db "select * from t where x like '§'"
psql -c "select * from t where x ~ '§'"
mysql -e "select * from t where x rlike '§'"
bash -c "grep '§' t.txt > out.txt"
sh -c "sed -i 's/§/x/' t.txt"
ls | grep '§' | tee out.txt
ls src | grep -v '§' | xargs touch
npm pkg set 'scripts.x=§'
npm run lint -- --ignore-pattern '§'
npx eslint --ext .ts --rule '§' src
npx prettier --write --log-level '§' src
yq -i '.a = "§"' a.yml
cut -d'§' -f1 t.txt > out.txt
tr '§' 'x' < t.txt > out.txt
expr "$x" : '§' > out.txt
awk -F'§' '{print $2}' t.txt > out.txt
npm test 2>&1 | grep -E '§' | tee out.txt
timeout 60 npm test -- -t '§'
time sed -i 's/§/x/' t.txt
env A=b sed -i 's/§/x/' t.txt
nice sed -i 's/§/x/' t.txt
for f in a.ts b.ts; do sed -i 's/§/x/' "$f"; done
while read -r l; do echo "$l" | sed 's/§/x/'; done < t.txt > out.txt
sd '§' 'x' t.txt
comby '§' 'x' -i t.txt
ast-grep run -p '§' -r 'x' -U src
npx replace-in-file '/§/g' 'x' t.txt
ssh-keygen -R '§'
tmux new -d 'grep "§" t.txt'
watch -n1 'grep "§" t.txt'
crontab -l | grep '§'
ps aux | grep '§' | tee out.txt
journalctl --grep='§' > out.txt
npx depcheck --ignores='§'
npx c8 --exclude='§' npm test
npx nyc --include '§' npm test
ffmpeg -i a.mp4 -vf '§' b.mp4
convert a.png -annotate +1+1 '§' b.png
npx ts-node -e 'console.log("§")'
perl -e 'print "§"' > out.txt
perl -lane 'print $F[0] if $_ =~ m{§}' t.txt > out.txt
ed -s t.txt <<'E'@g/§/d@w@E
ex -sc '%s/§/x/|x' t.txt
vim -es -c '%s/§/x/' -c wq t.txt
`
  .trim()
  .split('\n')
  .map(line => line.replaceAll('@', '\n'));

/** Texts of regular expressions and messages. Some parts of them look like patterns of hidden files. */
const texts = [
  'version=.*',
  'a>.*',
  '.*',
  ': .*',
  '.*=.*',
  '<.*>',
  '(.*)',
  '.?',
  'a|.*',
  '{.*}',
  '"key": ".*"',
  '/* x */',
  'to=.*$',
  'a,.*',
  '.[a-z]*=.*',
];

describe('a text that is no path does not look like a change of the settings', () => {
  test.each(['acceptEdits', 'bypassPermissions'] as const)('in the mode %s', async mode => {
    const asked: string[] = [];
    let at = 0;
    for (const written of commands) {
      for (let each = 0; each < 3; each += 1) {
        const text = texts[(at += 1) % texts.length] ?? '';
        const command = written.replaceAll('§', () => text);
        const {reasons} = await judge.assess(bash(command), mode, new AbortController().signal);
        if (reasons.some(({kind}) => kind === 'weft-files')) asked.push(command);
      }
    }
    expect(commands.length * 3).toBeGreaterThan(400);
    expect(asked).toEqual([]);
  });
});

test('scripts that only change lines may name the settings', async () => {
  for (const command of [
    "sed -i 's#.weft/settings.json#settings#' README.md",
    "sed -i -e '/\\.weft/d' -e 's/a=.*/b/' .gitignore",
  ])
    expect((await judge.assess(bash(command), 'acceptEdits', new AbortController().signal)).reasons).not.toContainEqual(
      expect.objectContaining({kind: 'weft-files'}),
    );
});
