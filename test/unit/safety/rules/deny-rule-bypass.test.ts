import {describe, expect, test} from 'vitest';
import {bash, judge} from '../support/judging.ts';

const deny = ['Bash(git push:*)', 'Bash(rm:*)', 'Read(secret/**)'];

describe('with rules that deny, in every mode', () => {
  test.each([
    'X=rm; $X y',
    '$(echo rm) y',
    'eval "$(echo rm y)"',
    'bash -c "$x"',
    'echo rm y | sh',
    'printf "rm y" | bash -s',
    'echo cm0geA== | base64 -d | sh',
    "bash <<< 'rm y'",
    'sh <(echo rm y)',
    'echo rm | xargs -I{} {} y',
    'echo rm y | xargs env',
    'echo "rm y" | xargs sh -c',
    'alias l=rm; l y',
    'git $(echo push)',
    'git $x',
    'git -c alias.x=push x',
    'echo push | xargs git',
    'f() { rm=1; }; f',
    'grep -r x .',
    'tar cf - .',
    'ls secret',
    "find . -name key -exec cat {} ';'",
  ])('%s cannot be told and asks', async command => {
    const decisions = [
      await judge(bash(command), {deny}),
      await judge(bash(command), {deny, mode: 'bypassPermissions'}),
      await judge(bash(command), {deny, mode: 'bypassPermissions', allow: ['Bash']}),
      await judge(bash(command), {deny, allow: ['Bash']}),
    ].map(({decision}) => decision);
    expect(decisions).toEqual(['ask', 'ask', 'ask', 'ask']);
  });

  test.each([
    'hash -p /bin/rm x; x y',
    'vim -c "!rm x" -c q',
    'echo "rm y" > x.sh; sh x.sh',
    'echo "rm y" > x.sh && chmod +x x.sh && ./x.sh',
    'printf "rm y" >> a/x.sh; bash ./a/x.sh',
    "ftp <<< '!rm x'",
    "newgrp <<< 'rm x'",
    "test -v 'a[$(rm x)]'",
    "printf -v 'a[$(rm x)]' y",
    "unset 'a[`rm x`]'",
    'IFS=,; c=rm,x; $c',
    'git-push',
    '/usr/lib/git-core/git-push origin',
    'git config alias.p push',
    'git config --global alias.p push && git p',
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p',
    `GIT_CONFIG_PARAMETERS="'alias.p=push'" git p`,
    'vim "+!rm x"',
    '. <(echo rm x)',
    'source /dev/stdin <<< "rm x"',
    'docker exec web sh -c "cd /x && rm y"',
    'docker run --entrypoint rm image x',
    'expect -c "spawn rm x"',
    'perl -e \'system("rm", "x")\'',
    'python3 -c \'import os; os.system("rm x")\'',
    'node -e \'require("child_process").execSync("rm x")\'',
    'awk \'BEGIN{system("rm x")}\'',
    "sed '1e rm x' a",
    "make -f - <<< 'all:; rm x'",
    "make --eval='all:;rm x'",
    'make SHELL=/bin/rm x',
    'git bisect run /bin/rm x',
    'git difftool -x rm HEAD',
    'git clone -u "rm x" a b',
    'git clone --upload-pack="rm x" a b',
    'git push --receive-pack=rm a',
    'git grep -O/bin/rm x',
    "git config alias.z '!rm x'",
    "git clone 'ext::rm x' y",
    'wget --use-askpass=rm x',
    'man -P rm ls',
    "sqlite3 a '.shell rm x'",
    'gdb -batch -ex "shell rm x"',
    'env A=rm sh -c "$A x"',
    'ssh -o ProxyCommand="rm x" host',
    "crontab - <<< '* * * * * rm x'",
    'echo \'import os; os.system("rm x")\' | python3',
    'scp -S rm a b:',
    'zip -T -TT rm a.zip b',
    'gcc -wrapper rm,x a.c',
    'go test -exec rm ./...',
    'cargo --config build.rustc-wrapper=rm build',
    'tar cf a --checkpoint=1 --checkpoint-action=exec=rm b',
    'emacs --batch --eval \'(shell-command "rm x")\'',
    'tmux new-session -d "rm x"',
    'socat - EXEC:"rm x"',
    'nc -e /bin/rm host 1',
    'mytool --run rm',
    "less '+!rm x' f",
    "GIT_SSH_COMMAND='rm x' git fetch",
    "EDITOR='rm x' git commit",
    "LESSOPEN='|rm x' less f",
    "make -f <(echo 'all:; rm x')",
    'echo rm x | at now',
    "at now <<< 'rm x'",
    "sed 's/.*/rm x/e' f",
    'cmake -E rm x',
    'docker compose exec web rm x',
    'kubectl exec pod -- rm x',
    "psql -c '\\! rm x'",
  ])('%s names what is forbidden and asks', async command => {
    const decisions = [
      await judge(bash(command), {deny, mode: 'bypassPermissions'}),
      await judge(bash(command), {deny, allow: ['Bash']}),
    ].map(({decision}) => decision);
    expect(decisions).not.toContain('allow');
  });

  test.each([
    'git -c alias.z="!rm x" z',
    'ssh -t h "cd a; rm x"',
    'pipx run rm x',
    'screen -dm rm x',
    "rsync -avze 'rm x' a b:",
    'arch -x86_64 rm x',
    'tar xf a --to-command="rm x"',
    'tar xf a --to-command=rm',
    'tar -I rm -xf a',
    'rsync -e rm a b:',
    'rsync -e "rm x" a b:',
    'sort --compress-program=rm a',
    'sort --compress-prog rm a',
    'fd -x rm',
    'fd . -X rm -f',
    'rg --pre rm x',
    'rg --pre=/bin/rm x',
    'npm exec -c "rm x"',
    'npm exec -- rm x',
    'npx -c "rm x"',
    'systemd-run rm x',
    'systemd-run --user --wait rm x',
    '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
    '/lib/ld-musl-x86_64.so.1 /bin/rm x',
    'ssh-agent rm x',
    'setarch x86_64 rm x',
    'setarch x86_64 -R rm x',
    'linux64 rm x',
    'choom -n 500 -- rm x',
    'flock /tmp/l rm x',
    "flock /tmp/l -c 'rm x'",
    "script -qc 'rm x' /dev/null",
    "su -c 'rm x'",
    "watch 'rm x'",
    'busybox rm x',
    'uv run rm x',
    'chrt -b 0 rm x',
    'valgrind rm x',
    'bwrap --bind / / rm x',
    'dbus-run-session -- rm x',
    'parallel rm ::: a',
    "bash <<'E'\nrm x\nE",
    "cat > s.sh <<'E'\nrm x\nE\nsh s.sh",
    "cat > s.sh <<'E'\nrm x\nE\n./s.sh",
    "python3 - <<'E'\nrm x\nE",
    'sudo -u x rm y',
    'find . -exec rm {} +',
    'case a in a) rm y;; esac',
    'git submodule foreach git push',
    "git submodule foreach 'git push'",
    "git rebase -x 'git push' HEAD~1",
    'git bisect run git push',
    'ssh host rm y',
    'x=rm; $x y',
    'for p in ls rm; do $p y; done',
    'x=secret; cat $x/key',
    'cd secret && cat key',
  ])('%s is denied', async command => {
    expect((await judge(bash(command), {deny, mode: 'bypassPermissions'})).decision).toBe('deny');
  });

  test.each([
    'npm test',
    'git commit -m "$(cat notes)"',
    'for f in a b; do node $f; done',
    'bash build.sh --fast',
    'node a.js $X',
    'ls | xargs wc -l',
  ])('%s, of which it can be told, goes on in bypassPermissions', async command => {
    const given = {deny: ['Bash(git push:*)', 'Bash(rm:*)'], mode: 'bypassPermissions' as const};
    expect((await judge(bash(command), given)).decision).toBe('allow');
  });

  test.each([
    "cat <<'EOF'\nrm x\nEOF",
    "cat > notes.md <<'EOF'\nfirst\nrm -rf build\ngit push\nEOF",
    "cat > notes.md <<'EOF' && git add notes.md\nrm x\nEOF",
    'cat <<EOF\nrm x\nEOF',
    "tee a.sh <<'EOF'\n#!/bin/sh\nrm x; git push\nEOF",
    'git commit -m "first\nrm x\ngit push"',
    'git commit -m "stop using rm; git push later"',
    "git commit -F - <<'EOF'\nrm x\nEOF",
    'git log --grep="rm x"',
    'git tag -a v1 -m "git push"',
    'echo "a; rm x"',
    'echo "(rm x)" > a',
    'printf "%s\\n" "rm x" > a',
    'grep -rn "rm x" src > a',
    "sed -i 's/rm x/mv x/' a",
    'git rm x',
    'git checkout rm',
    'docker rm x',
    'docker image rm x',
    'npm rm x',
    'npm install rm',
    'npm run test -- --grep "rm"',
    'command -v rm',
    'psql -c "select rm from t"',
    'docker-compose rm -f',
    'gcloud storage rm gs://a',
    'aws s3 rm s3://a/b',
    'npm run rm',
    'make rm',
    'mkdir rm',
    'cp a rm',
    'node rm.js',
    'node src/rm/a.js',
    'gcc -marm a.c',
    'timeout 5 mkdir rm',
    'sudo -u root mkdir rm',
    'docker run --rm image ls',
    'curl -d "rm x" https://example.org',
    'rg rm src',
    'pytest tests/rm',
    'git stash push',
    'gh pr create --title "remove" --body "say it"',
  ])('%s, which takes it for text, goes on', async command => {
    const given = {deny: ['Bash(git push:*)', 'Bash(rm:*)']};
    expect(await judge(bash(command), {...given, mode: 'bypassPermissions'})).toMatchObject({decision: 'allow'});
    expect((await judge(bash(command), {...given, allow: ['Bash']})).decision).toBe('allow');
  });

  test('a here-document in a text that cannot be read for sure asks', async () => {
    const command = "cat <<'EOF'\nrm x\nEOF\necho $((x+1))";
    expect((await judge(bash(command), {deny, mode: 'bypassPermissions'})).decision).toBe('ask');
  });

  test('without a rule for commands nothing changes', async () => {
    expect((await judge(bash('$(echo rm) y'), {mode: 'bypassPermissions'})).decision).toBe('allow');
  });
});

describe('options of a forbidden command in another order', () => {
  const forbidden = ['Bash(rm -rf:*)', 'Bash(git reset --hard:*)', 'Bash(git checkout --:*)'];
  test.each([
    'rm -fr x',
    'rm -r -f x',
    'rm -Rf x',
    'rm x -rf',
    'rm -rfv x',
    'rm --recursive --force x',
    'git reset HEAD --hard',
    'git reset -q --hard',
    'git -C a reset HEAD~1 --hard',
    'git checkout HEAD -- a',
  ])('%s asks', async command => {
    expect((await judge(bash(command), {deny: forbidden, allow: ['Bash']})).decision).toBe('ask');
  });

  test.each(['rm -f x', 'rm -r x', 'rm -r -- -f', 'git reset --soft HEAD~1', 'git reset HEAD -- a', 'git checkout a'])(
    '%s is let through',
    async command => {
      expect((await judge(bash(command), {deny: forbidden, allow: ['Bash']})).decision).toBe('allow');
    },
  );
});

test.each([
  'cargo test rm',
  'pytest -k rm',
  'jest -t rm',
  'vitest run -t "rm"',
  'docker build -t rm .',
  'gcc rm.c -o rm',
  'eslint --rule rm',
  'echo "rm" > notes.txt; node build.js',
])('%s does not run what Bash(rm:*) denies', async command => {
  expect((await judge(bash(command), {deny: ['Bash(rm:*)'], allow: ['Bash']})).decision).toBe('allow');
});
