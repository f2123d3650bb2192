import {grantingSettings} from '../../../../src/config/settings-schema.ts';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Action} from '../../../../src/actions/catalogue.ts';
import type {PermissionMode} from '../../../../src/domain/risk.ts';
import {action, bash, edit, judgeOnDisk, parsedRules} from '../support/judging.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'weft-own-')));
const home = join(base, 'me');
const work = join(home, 'work');
const config = join(home, '.config/weft');
const data = join(home, '.local/share/weft');

beforeAll(() => {
  for (const path of [
    join(data, 'trust.json'),
    join(data, 'weft.db'),
    join(home, 'dotfiles/weft/settings.json'),
    join(work, 'src/a.ts'),
    join(work, 'weft/settings.json'),
    join(work, '.weft/settings.json'),
    join(work, 'conf/local.json'),
    join(home, 'notes.md'),
  ]) {
    mkdirSync(dirname(path), {recursive: true});
    writeFileSync(path, '{}');
  }
  mkdirSync(config, {recursive: true});
  symlinkSync('../../dotfiles/weft/settings.json', join(config, 'settings.json'));
  symlinkSync('../conf/local.json', join(work, '.weft/settings.local.json'));
  symlinkSync(data, join(work, 'shared'));
});

afterAll(() => rmSync(base, {recursive: true, force: true}));

interface Given {
  readonly allow?: readonly string[];
  readonly mode?: PermissionMode;
  readonly root?: string;
  readonly folders?: readonly string[];
}

async function decide(
  subject: Action,
  {allow = [], mode = 'default', root = work, folders = [config, data]}: Given,
): Promise<string> {
  const judge = judgeOnDisk(root, home, {
    rules: {allow: parsedRules(...allow), ask: [], deny: []},
    blockCommand: () => 'bash',
    weftFolders: {folders, variables: {HOME: home, XDG_DATA_HOME: join(home, '.local/share')}, grantingSettings},
  });
  return (await judge.assess(subject, mode, new AbortController().signal)).decision;
}

const inHome = {root: home};
const edits: readonly (readonly [Given, string])[] = [
  [inHome, '.local/share/weft/trust.json'],
  [inHome, '.local/share/weft/new/file'],
  [inHome, '.config/weft/settings.json'],
  [inHome, 'dotfiles/weft/settings.json'],
  [inHome, 'work/../.local/share/weft/trust.json'],
  [inHome, '.LOCAL/Share/weft/trust.json'],
  [inHome, '~/.local/share/weft/checkpoints/x'],
  [inHome, '.local/share/we\u200bft/trust.json'],
  [{root: join(home, 'dotfiles')}, 'weft/settings.json'],
  [{}, 'conf/local.json'],
  [{}, 'shared/trust.json'],
  [{}, '.weft/settings.json'],
  [{folders: [join(work, 'kept')]}, 'kept/trust.json'],
  [{folders: [work]}, 'trust.json'],
  [{folders: [work]}, 'weft.db-wal'],
  [{folders: [work]}, 'blocks/1.json'],
];

describe('edits of what weft keeps are asked about', () => {
  test.each(edits)('%j %s', async (given, path) => {
    const tries: readonly Given[] = [
      {mode: 'acceptEdits'},
      {mode: 'bypassPermissions'},
      {allow: ['Edit', 'Write']},
      {allow: ['Edit(*)']},
      {allow: ['Edit(**)', 'Edit(~/**)', 'Edit(/**)']},
    ];
    const subjects = [
      edit(path),
      action('ApplyPatch', {patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch`}),
    ];
    for (const each of tries)
      for (const subject of subjects) expect(await decide(subject, {...given, ...each})).toBe('ask');
  });

  test.each<[Given, string]>([
    [{}, 'src/a.ts'],
    [{}, 'weft/settings.json'],
    [{}, 'settings.json'],
    [{}, 'trust.json'],
    [inHome, 'notes.md'],
    [inHome, '.local/share/other/trust.json'],
    [inHome, 'dotfiles/weft/other.json'],
    [inHome, 'work/weft/trust.json'],
    [{folders: [work]}, 'src/a.ts'],
    [{folders: [work]}, 'AGENTS.md'],
    [{folders: [home]}, 'src/a.ts'],
    [{folders: [home]}, 'trust.json'],
  ])('%j %s is an ordinary edit', async (given, path) => {
    for (const each of [{mode: 'acceptEdits'}, {mode: 'bypassPermissions'}, {allow: ['Edit']}] as const)
      expect(await decide(edit(path), {...given, ...each})).toBe('allow');
  });

  test('a rule that names the place lets it through', async () => {
    expect(await decide(edit('~/.config/weft/commands/x.md'), {allow: ['Edit(~/.config/weft/**)']})).toBe('allow');
    expect(await decide(edit('.weft/settings.json'), {allow: ['Edit(.weft/**)']})).toBe('allow');
  });
});

const touching: readonly (readonly [Given, string])[] = [
  ...[
    'echo x > ~/.local/share/weft/trust.json',
    'echo x >> "$HOME/.local/share/weft/trust.json"',
    'echo x > "$XDG_DATA_HOME/weft/trust.json"',
    'echo x > ${XDG_DATA_HOME}/weft/trust.json',
    'd=~/.local/share/weft; echo x > $d/trust.json',
    'echo x | tee ~/.config/weft/settings.json',
    'tee -a ~/.config/weft/settings.json < src/a.ts',
    'cp src/a.ts ~/.config/weft/settings.json',
    'cp -t ~/.config/weft src/a.ts',
    'cp src/a.ts ~/.config/weft',
    'cp -r weft ~/.config/',
    'cp -r x/. ~/.local/share',
    'cp src/a.ts shared/trust.json',
    'install -m 600 src/a.ts ~/.local/share/weft/trust.json',
    'rsync -a x/ ~/.config/',
    'mv src/a.ts ~/.config/weft/settings.json',
    'mv ~/.local/share/weft /tmp/x',
    'mv ~/.local/share /tmp/x',
    'mv ~/.local .',
    'mv weft ~/.config',
    'rm -rf ~/.local/share/weft',
    'rm -rf ~/.local/share',
    'rm -rf ~/.loc*',
    'rm -rf ~',
    'rm -rf /',
    'rm -rf ../.local/share/weft',
    'rm -rf ~/.local/share/w?ft',
    'rm ~/.local/share/weft/*.json',
    'rm -r shared/../weft/trust.json',
    'sudo rm -rf ~/.local/share/weft',
    'env -i rm -rf ~/.local/share/weft',
    "bash -c 'rm -rf ~/.local/share/weft'",
    "sh -c 'echo x > $HOME/.config/weft/settings.json'",
    'cd ~/.local/share/weft && rm trust.json',
    'cd ~/.local && cd share/weft && echo x > trust.json',
    'cd && rm -rf .local',
    '(cd ~/.config/weft; sed -i s/a/b/ settings.json)',
    'pushd ~/.config/weft; make',
    'ln -s ~/.local/share/weft x',
    'ln ~/.local/share/weft/trust.json x',
    'ln -sf src/a.ts ~/.config/weft/settings.json',
    'ln -sfn src ~/.config/weft',
    'truncate -s 0 ~/.local/share/weft/trust.json',
    'dd if=src/a.ts of=' + join(data, 'trust.json'),
    'sed -i s/a/b/ ~/.config/weft/settings.json',
    'perl -pi -e s/a/b/ ~/.config/weft/settings.json',
    `python3 -c "open('${data}/trust.json','w')"`,
    `node -e 'fs.writeFileSync(os.homedir()+"/.local/share/weft/trust.json","")'`,
    `python3 -c "import shutil,os; shutil.rmtree(os.path.expanduser('~/.local/share'))"`,
    'sqlite3 ~/.local/share/weft/weft.db "delete from sessions"',
    'find ~/.local/share/weft -delete',
    'find ~ -name trust.json -delete',
    'find ~/.local -name trust.json -exec rm {} +',
    'find ~/.local/share/weft -name "*.json" | xargs rm',
    'echo ~/.local/share/weft/trust.json | xargs rm',
    'for f in ~/.local/share/weft/*; do rm "$f"; done',
    'bash <<E\nrm ~/.local/share/weft/trust.json\nE',
    'echo "rm -rf ~/.local/share/weft" | sh',
    'tar xf a.tar -C ~',
    'tar -xzf a.tgz -C ~/.local/share',
    'unzip a.zip -d ~/.config',
    'chmod -R 777 ~/.local',
    'touch ~/.local/share/weft/trust.json',
    'mv ~/.local/share{,.bak}',
    `python3 - <<E\nopen('${data}/trust.json', 'w')\nE`,
    'yq -i .a=1 ~/.config/weft/settings.json',
    'sh -c \'rm -rf "$1"\' _ ~/.local',
    'bash -c "cd ~/.local/share/weft && rm trust.json"',
    'cd "$(dirname ~/.local/share/weft/trust.json)" && rm trust.json',
    'prlimit --msgqueue=5 ./x',
    'ulimit -q 5; ./x',
    'git -C ~/.config/weft init',
    'git config --file ~/.config/weft/settings.json a.b c',
    'curl -o ~/.config/weft/settings.json http://x',
    'vim ~/.config/weft/settings.json',
    'echo x > /proc/self/root' + join(data, 'trust.json'),
    'echo x > conf/local.json',
    'mv src/a.ts conf/local.json',
    "python3 -c \"open('.weft/settings.json','w')\"",
    'weft permissions trust --yes',
    'weft permissions add allow Bash',
    'weft permissions remove deny Read',
    'weft permissions untrust',
    'weft --cwd x permissions trust --yes',
    'weft config set permissionMode acceptEdits',
    'weft config set permissions.allow \'["Bash"]\' --local',
    'weft config unset permissions.deny',
    'weft config set baseUrl http://x',
    'npx weft permissions trust --yes',
    'node bin/weft.js permissions trust --yes',
    './node_modules/.bin/weft permissions trust --yes',
    'env -i weft permissions trust --yes',
    'setsid weft permissions trust --yes',
    '(setsid weft permissions trust --yes &)',
    "bash -c 'weft permissions trust --yes'",
    "echo 'weft permissions trust --yes' | at now",
    'w=weft; $w permissions trust --yes',
    'tmux new -d "weft permissions trust --yes"',
    'at now <<E\nweft permissions trust --yes\nE',
    'yes | weft permissions trust',
    'weft permissions --cwd . add allow Bash',
    'echo x > ${XDG_DATA_HOME:-/x}/weft/trust.json',
    'echo x > ${XDG_DATA_HOME%/}/weft/trust.json',
    'echo x > ${XDG_CONFIG_HOME:-$HOME/.config}/weft/settings.json',
    'D=~/.local/sha; echo x > ${D}re/weft/trust.json',
    'export D=../.config; E=$D/weft; cp src/a.ts $E/settings.json',
    'cd ~/.config; for f in weft/*; do echo x > $f; done',
    'env -C ~/.config/weft touch settings.json',
    'env --chdir=../.config/weft touch settings.json',
    'find ~ -name trust.json | xargs rm',
    "find .. -name '*.json' -print0 | xargs -0 sed -i s/a/b/",
    "find ~ -name '.loc*' -exec rm -rf {} +",
    'find ~ -type f | while read -r f; do rm "$f"; done',
    'rm $(find .. -name trust.json)',
    'grep -rl folders ~/.local | xargs sed -i s/a/b/',
    'sed -i s/a/b/ $(grep -Rl allow ~/.config)',
    'rg -l --hidden folders ~ | xargs rm',
    'rg -l folders ~/.local | xargs sed -i s/a/b/',
    'ls -a ~/.config | xargs -I{} rm -rf ~/.config/{}',
    'cd ~/.config && ls | xargs rm -rf',
    'git mv ~/.config x',
    `python3 -c "import os; open(os.environ['XDG_DATA_HOME']+'/weft/trust.json','w')"`,
    `python3 -c "(Path.home()/'.config'/'weft'/'settings.json').write_text('')"`,
    "node -e \"fs.writeFileSync(path.join(os.homedir(), '.local', 'share', 'weft', 'trust.json'), '')\"",
    "node -e 'fs.rmSync(`${process.env.HOME}/.config/weft`)'",
    "python3 <<'E'\nos.remove(os.path.join(os.path.expanduser('~'), '.config', 'weft', 'settings.json'))\nE",
    'sed -i s/a/b/ .*/*',
    'echo .*/* | xargs touch',
    'A=(.*/*); touch "${A[@]}"',
    "bash -c 'touch .*/*'",
    "X='.*/*'; touch $X",
    "X='.*/*' sh -c 'touch $X'",
    "sh -c 'touch $1' _ '.*/*'",
    "f() { touch $1; }; f '.*/*'",
    "eval touch '.*/*'",
    "echo 'touch .*/*' | sh",
    'cat <<E | bash\ntouch .*/*\nE',
    "xargs -I{} sh -c 'touch {}' <<< '.*/*'",
    "read -r f <<< '.*/*'; touch $f",
    'for f in .*/*; do echo x > $f; done',
    'if [[ a =~ (.) ]]; then touch .*/*; fi',
    "find . -name '.*' -delete",
    "find . -path './.*/*' -exec touch {} +",
    "npx prettier --write '.*/settings.json'",
    "npx rimraf '.we*'",
    "perl -pi -e 's/a=.*/b/' .*/*",
    'perl -e \'for (<.*/*>) { open(F, ">", $_) }\'',
    "perl -e '`touch .*/*`'",
    "python3 -c \"import glob;[open(f,'w') for f in glob.glob('.*/*')]\"",
    'node -e \'fs.globSync(".*/*").forEach(f => fs.writeFileSync(f, ""))\'',
    'awk \'BEGIN{print "touch .*/*" | "sh"}\'',
    "sed -i '1e touch .*/*' t.txt",
    "sed -i 's/a/b/w .weft/settings.json' t.txt",
    'env -S \'sh -c "touch .*/*"\'',
  ].map(command => [{}, command] as const),
  ...[
    'tar xf a.tar',
    'git clean -fdx',
    'rm -rf .local',
    'rm -rf .',
    'find . -delete',
    'rm -rf dotfiles',
    'unzip -o a.zip',
    'tar xof a.tar',
    'ls -A | xargs rm -rf',
  ].map(command => [inHome, command] as const),
  [{folders: [join(work, 'kept')]}, 'rm -rf *'],
  [{folders: [join(work, 'kept')]}, 'mv kept x'],
];

test('a command that names more files than are looked up is asked about', async () => {
  const names = Array.from({length: 4100}, (_, at) => `f${String(at)}`);
  expect(await decide(bash(`touch ${names.join(' ')}`), {allow: ['Bash']})).toBe('ask');
});

test('variables that stand for themselves again and again take no time', async () => {
  const command = `A=${'$A'.repeat(8)}; echo x | xargs ${'$A'.repeat(8)}`;
  expect(await decide(bash(command), {allow: ['Bash']})).toBe('allow');
});

describe('commands that touch what weft keeps are asked about', () => {
  test.each(touching)('%j %s', async (given, command) => {
    for (const each of [{allow: ['Bash']}, {allow: ['Bash(*)']}, {mode: 'bypassPermissions'}] as const)
      expect([each, await decide(bash(command), {...given, ...each})]).toEqual([each, 'ask']);
  });

  test('rules for parts, or with a pattern that covers more, do not let them through', async () => {
    for (const allow of [['Bash(rm:*)'], ['Bash(echo:*)', 'Edit'], ['Bash(* *)'], ['Bash(r*)']]) {
      expect(await decide(bash('rm -rf ~/.local/share/weft'), {allow})).toBe('ask');
      expect(await decide(bash('echo x > ~/.local/share/weft/trust.json'), {allow})).toBe('ask');
    }
    expect(await decide(bash('echo x > .git/hooks/pre-commit'), {allow: ['Bash(echo:*)', 'Edit']})).toBe('ask');
  });

  test.each([
    'cat ~/.config/weft/settings.json',
    'cat ~/.config/weft/settings.json && npm test',
    'grep -n allow ~/.config/weft/settings.json | wc -l',
    'ls -la ~/.local/share/weft; make',
    'jq .permissions ~/.config/weft/settings.json',
    'cp ~/.config/weft/settings.json /tmp/backup.json',
    'rsync -a ~/.config/weft/ /tmp/backup/',
    'tar czf /tmp/backup.tgz ~/.config/weft',
    "bash -c 'cat ~/.config/weft/settings.json'",
    'less ~/.config/weft/settings.json',
    'npm test',
    'npm run build -- --out dist',
    'rm -rf dist node_modules',
    'rm -rf ./*',
    'find . -name "*.tmp" -delete',
    'git clean -fdx',
    'git add -A && git commit -m "weft permissions trust asks now"',
    'git commit -m "$(date): protect ~/.local/share/weft/trust.json"',
    'tar xf a.tar',
    'unzip a.zip',
    'cp -r src lib',
    'cp -r src ~/backup',
    'cp a.txt ~',
    'mv a.txt ~/',
    'mv src/a.ts src/b.ts',
    'mkdir -p ~/.local/share/other && touch ~/.local/share/other/trust.json',
    'rm -rf ~/.local/share/other',
    'chmod 700 ~',
    'echo x > weft/settings.json',
    'sed -i s/a/b/ weft/settings.json',
    'ln -s ~/.local/bin/tool tool',
    'python3 manage.py migrate',
    'docker run --rm -v "$PWD:/w" node npm ci',
    'weft config get model',
    'weft config list --json',
    'weft config set theme dark',
    'weft permissions check "rm x"',
    'weft permissions list',
    'weft sessions list',
    'weft --prompt "explain weft permissions"',
    'grep -rn "weft permissions trust" README.md',
    'npm run weft-config set x',
    'for f in src/*.ts; do prettier --write "$f"; done',
    'cat list | xargs rm',
    'weft permissions check "rm -rf /"',
    'weft --prompt "explain weft permissions trust and rm -rf ~"',
    'D=build; rm -rf "$D" && mkdir "$D"',
    'for d in dist out; do rm -rf "$d"; done',
    'find ~ -name "*.orig" | xargs rm',
    'find . -type f -name "*.ts" -exec prettier --write {} +',
    'rm $(find src -name "*.js")',
    'grep -rl foo src | xargs sed -i s/foo/bar/',
    'env -C src touch a.ts',
    'git clean -n',
    `node -e "console.log(process.env.HOME, path.join('src', 'a.ts'))"`,
  ])('%s passes under a rule for all commands', async command => {
    expect(await decide(bash(command), {allow: ['Bash']})).toBe('allow');
  });

  test.each([
    'find . -name "*.o" -delete',
    'find . -type d -name node_modules -prune -exec rm -rf {} +',
    'git clean -n',
    'tar xf a.tar -C work',
    'rm -rf work/dist .cache',
    'rsync -a work/ backup/',
    'ls work | xargs -I{} rm -rf work/{}',
    'rg -l foo | xargs sed -i s/a/b/',
    'fd -e md . | xargs prettier --write',
    'git mv work old',
  ])('%s passes where the workspace is the home folder', async command => {
    expect(await decide(bash(command), {...inHome, allow: ['Bash']})).toBe('allow');
  });

  test('the very command may be allowed', async () => {
    const command = 'sed -i s/a/b/ ~/.config/weft/settings.json';
    expect(await decide(bash(command), {allow: [`Bash(${command})`]})).toBe('allow');
  });
});

const typed = (input: string): Action => action('BashInput', {block_id: 'b1', input, mode: 'line'});

test('what is typed into a running shell is a command, too', async () => {
  const given = {allow: ['BashInput']};
  expect(await decide(typed('rm -rf ~/.local/share/weft'), given)).toBe('ask');
  expect(await decide(typed('weft permissions trust --yes'), given)).toBe('ask');
  expect(await decide(typed('npm test'), given)).toBe('allow');
});
