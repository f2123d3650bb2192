import {ruleKinds} from '../../../../src/actions/catalogue.ts';
import {describe, expect, test} from 'vitest';
import {wrapperBeginnings} from '../../../../src/safety/commands/layers.ts';
import {bash, judge} from '../support/judging.ts';
import {broadRuleProblem} from '../../../../src/safety/rules/suggested-rules.ts';
import {parseRule} from '../../../../src/safety/rules/permission-rule.ts';

const broad = (text: string): string | undefined => {
  const rule = parseRule(text, ruleKinds);
  if (rule.tag === 'failed') throw new Error(rule.error.message);
  return broadRuleProblem(rule.value);
};

test.each([
  ['Bash', 'it allows every command'],
  ['Bash(*)', 'it allows every command'],
  ['Bash(*:*)', 'it allows any program'],
  ['Bash(ba*)', 'it allows any program'],
  ['Bash(bash:*)', 'bash runs whatever it is given'],
  ['Bash(/bin/bash -c:*)', 'bash runs whatever it is given'],
  ['Bash("sh" -c *)', 'sh runs whatever it is given'],
  ['Bash(python3.12:*)', 'python3.12 runs whatever it is given'],
  ['Bash(node -e:*)', 'node runs whatever it is given'],
  ['Bash(sudo:*)', 'sudo runs any other program'],
  ['Bash(env *)', 'env runs any other program'],
  ['Bash(npm exec:*)', 'npm exec runs any other program'],
  ['Bash(npx:*)', 'npx runs any other program'],
  ['Bash(docker run:*)', 'docker run runs any other program'],
  ['Bash(git submodule foreach:*)', 'git submodule foreach runs any other program'],
  ['Bash(trap:*)', 'trap runs whatever it is given'],
  ['Bash(git:*)', 'git can run programs by its configuration, rewrite history and push'],
  ['Bash(find:*)', 'find can run programs and delete files'],
])('%s: %s', (rule, reason) => {
  expect(broad(rule)).toBe(reason);
});

test.each([
  'Bash(git status:*)',
  'Bash(npm test)',
  'Bash(npm run:*)',
  'Bash(python manage.py:*)',
  'Bash(node scripts/build.js:*)',
  'Bash(sudo apt update)',
  'Bash(bash)',
  'Bash(constructor:*)',
  'Bash(__proto__ x:*)',
  'Edit',
  'Read(**)',
  'WebFetch(domain:example.com)',
])('%s is not', rule => {
  expect(broad(rule)).toBeUndefined();
});

test.each([
  'docker compose run web',
  'docker compose exec web',
  'podman run image',
  'kubectl exec pod --',
  'oc rsh pod',
  'lxc exec c',
  'apptainer exec x',
  'flatpak run',
  'vagrant ssh -c',
  'gcloud compute ssh x --command',
  'gh codespace ssh',
  'gh alias set x',
  'sops exec-env x',
  'consul lock x',
  'nix run',
  'mix cmd',
  'npm explore a --',
  'npm config set x',
  'ansible all -a',
  'concurrently',
  'pwsh -c',
  'chronic',
  'corepack pnpm exec',
  'watchexec',
  'mpirun',
  'lerna exec',
  'composer exec',
  'opam exec --',
  'stack exec --',
  'pixi run',
  'rvm do',
  'chruby-exec 3 --',
  'run0',
  'shx',
])('no open rule is offered for %s, or its breadth is told', async beginning => {
  for (const program of ['frobnicate', 'make test']) {
    const {detail} = await judge(bash(`${beginning} ${program}`));
    const open = detail.rules.filter(rule => rule.endsWith(':*)'));
    for (const rule of open) expect(rule).toContain(program.split(' ')[0]);
  }
  const [name = '', subcommand = ''] = beginning.split(' ');
  const told = [name, `${name} ${subcommand}`.trim()].map(words => broad(`Bash(${words}:*)`));
  const covered = await Promise.all(
    [name, `${name} ${subcommand}`.trim()].map(async words => {
      const {decision} = await judge(bash(`${beginning} rm -rf src`), {allow: [`Bash(${words}:*)`]});
      return decision === 'allow';
    }),
  );
  for (const [at, isCovered] of covered.entries()) if (isCovered) expect(told[at]).toBeDefined();
});

describe('no rule for a wrapper lets any program through', () => {
  const inner = ['make', 'make test', 'npm run lint', 'frobnicate x', 'nice foo', 'timeout 5 git log'];

  test.each(wrapperBeginnings())('%s', async wrapper => {
    const offered = await Promise.all(
      inner.map(async command => (await judge(bash(`${wrapper} ${command}`))).detail.rules),
    );
    const named = wrapper.replace(/ 1$/u, '');
    const kept = [`Bash(${named}:*)`, `Bash(${named} *)`, `Bash(${named.split(' ')[0] ?? ''}:*)`];
    for (const rule of new Set([...offered.flat(), ...kept])) {
      for (const beginning of [wrapper, `sudo ${wrapper}`, `${wrapper} -x`]) {
        const {decision} = await judge(bash(`${beginning} rm -rf src`), {allow: [rule]});
        expect({rule, beginning, decision}).toEqual({rule, beginning, decision: 'ask'});
      }
    }
  });

  test.each([
    [
      'perf stat npm run lint',
      ['Bash(perf stat npm run lint)', 'Bash(perf stat npm run lint:*)', 'Bash(perf stat npm run:*)'],
    ],
    ['conda run pytest -x', ['Bash(conda run pytest -x)', 'Bash(conda run pytest:*)']],
    ['timeout 5 git fetch', ['Bash(timeout 5 git fetch)', 'Bash(timeout 5 git fetch:*)']],
    ['cross-env A=1 vitest run', ['Bash(cross-env A=1 vitest run)', 'Bash(cross-env A=1 vitest:*)']],
    ["cross-env 'A=*' vitest run", ["Bash(cross-env 'A=*' vitest run)"]],
    ['firejail curl x', ['Bash(firejail curl x)']],
    ['direnv exec . rm x', ['Bash(direnv exec . rm x)']],
    ['sudo npm run lint', ['Bash(sudo npm run lint)']],
    ['xargs npm run lint', ['Bash(xargs npm run lint)']],
    [
      'aws-vault exec p -- npm run lint',
      ['aws-vault exec p -- npm run lint', 'aws-vault exec p -- npm run lint:*', 'aws-vault exec p -- npm run:*'].map(
        rule => `Bash(${rule})`,
      ),
    ],
    ['doppler run -- make test', ['Bash(doppler run -- make test)', 'Bash(doppler run -- make test:*)']],
    // What weft does not know may run a command too.
    ['distrobox enter x -- make', ['Bash(distrobox enter x -- make)']],
    ['lxc exec x make', ['Bash(lxc exec x make)']],
    ['docker exec web make', ['Bash(docker exec web make)']],
    ['kubectl exec pod -- make', ['Bash(kubectl exec pod -- make)']],
    ['git submodule foreach make', ['Bash(git submodule foreach make)', 'Bash(git submodule:*)']],
    ['git bisect run make', ['Bash(git bisect run make)']],
    ["trap 'make clean' EXIT", ["Bash(trap 'make clean' EXIT)"]],
  ])('%s is offered as %j', async (command, rules) => {
    expect((await judge(bash(command))).detail.rules).toEqual(rules);
  });

  test.each([
    ['Bash(git submodule foreach:*)', 'git submodule foreach rm -rf src'],
    ['Bash(git submodule:*)', 'git submodule foreach --recursive "rm -rf src"'],
    ['Bash(git bisect:*)', 'git bisect run rm -rf src'],
    ['Bash(git:*)', 'git -C . bisect run rm -rf src'],
    ['Bash(trap:*)', "trap 'rm -rf src' EXIT"],
    ['Bash(hyperfine:*)', "hyperfine 'rm -rf src'"],
  ])('%s, kept earlier, does not allow %s', async (rule, command) => {
    expect((await judge(bash(command), {allow: [rule]})).decision).toBe('ask');
  });

  test.each([
    ['Bash(git submodule foreach make)', 'git submodule foreach make'],
    ['Bash(git submodule:*)', 'git submodule update --init'],
    ['Bash(git bisect:*)', 'git bisect good'],
    ['Bash(perf stat make:*)', 'perf stat make test'],
    ['Bash(npx -y prettier:*)', 'npx -y prettier --write .'],
    ['Bash(uv run --frozen pytest:*)', 'uv run --frozen pytest -- -k x'],
    ['Bash(sudo -E make:*)', 'sudo -E make test'],
    ['Bash(ssh host:*)', 'ssh host uptime'],
    ['Bash(conda:*)', 'conda install x'],
    ['Bash(git cherry-pick:*)', 'git cherry-pick -x abc'],
    ['Bash(mise run:*)', 'mise run build'],
    ['Bash(bash:*)', 'bash build.sh'],
  ])('%s allows %s', async (rule, command) => {
    expect((await judge(bash(command), {allow: [rule]})).decision).toBe('allow');
  });
});
