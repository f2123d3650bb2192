import {globSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {allPrograms} from '../../../../src/safety/commands/known-programs.ts';

/** Names of programs that are words of weft's own in all files, such as `read` for how a path is used. */
const plainWords = named(
  'command read write file code test host more last open skill service alias script cut as true false export which while',
);

function named(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** Where programs are named outside of their rows, and why. A file may name fewer. */
const exceptions: readonly {readonly why: string; readonly files: Readonly<Record<string, string>>}[] = [
  {
    why: 'the name is a word of weft or of another language here',
    files: {
      'safety/commands/check-kinds.ts': 'bundle eslint install watch',
      'safety/commands/checks.ts': 'bundle cat cd eslint eval exit install popd printf return set tail tee watch',
      'safety/commands/changed-paths.ts': 'awk git parallel rename sed source tar tree xargs',
      'safety/commands/effects.ts': 'rename shred source truncate',
      'safety/commands/only-reads.ts': 'awk jq sed',
      'safety/rules/allow-rule-scope.ts': 'awk exec sed',
      'safety/held-back.ts': 'view',
      'safety/judge.ts': 'history',
      'safety/outside/decoded-forms.ts': 'base64',
      'safety/rules/permission-rule.ts': 'source',
      'safety/secrets/anchors.ts': 'base64',
      'safety/secrets/find-secrets.ts': 'base64',
      'safety/secrets/placeholders.ts': 'base64',
      'safety/secrets/redactor.ts': 'id',
      'safety/secrets/secret-forms.ts': 'az base64 env',
      'safety/secrets/secret-handover.ts': 'screen',
      'safety/secrets/secret-name.ts': 'env pass pwd',
      'safety/secrets/contextual-secrets.ts': 'base64 pass passwd pwd set',
      'safety/shell/expansion.ts': 'xterm',
    },
  },
  {
    why: 'the shell itself is read: what moves it, takes over its input, or prints text that is known',
    files: {
      'safety/commands/analyze-command.ts': 'cat cd echo xargs',
      'safety/rules/matching-rule.ts': 'cd git',
      'safety/rules/deny-rule-bypass.ts': 'at batch eval git parallel source trap xargs',
      'safety/shell/second-reading.ts': 'ls',
    },
  },
  {
    why: 'the arguments are a language of their own, which a row cannot say',
    files: {
      'safety/commands/command-finding.ts': 'git',
      'safety/commands/overlay-eligibility.ts': 'env',
      'safety/commands/judge-invocation.ts':
        'builtin cd diff dir env find git gtimeout ls nice stdbuf time timeout vdir xargs',
      'safety/commands/layers.ts': 'concurrently cross-env-shell env eval git hyperfine parallel ssh tmux trap watch',
      'safety/commands/programs-in-arguments.ts':
        'bun cargo docker exec git go gsed info install kill less ls nerdctl npm pnpm podman ps rm sed ssh top view wait yarn',
      'safety/commands/risks.ts': 'curl http httpie https mkfs nc ncat netcat ping telnet time timeout wget',
      'safety/commands/special-programs.ts': 'echo find gfind git printenv printf ps',
      'safety/paths/git-repository.ts': 'cat diff gpg http ssh',
      'workspace/impact/git-impact.ts': 'git rm tree',
      'workspace/impact/make-impact.ts': 'find git rsync',
    },
  },
  {
    why: 'the beginning of a name: the dynamic loader has many',
    files: {'safety/rules/begins-with-wrapper.ts': 'ld'},
  },
  {
    why: 'a finder that follows names, lines or data from one program to the next',
    files: {
      'safety/commands/command-paths.ts':
        'ack ag cd cp dd declare diff find git grep local parallel perl pushd readonly rg rgrep rsync sed tar typeset ugrep xargs zip',
      'safety/commands/command-output.ts': 'diff egrep fd fdfind find git grep head ls rg sort tail uniq',
      'safety/commands/sent-data.ts': 'cd declare env printenv pushd set sh typeset',
      'safety/commands/secret-output.ts':
        'awk cat diff egrep fgrep find gawk gfind git grep head less mawk nl rg sed sort tac tail uniq wc zgrep',
      'safety/commands/uploads.ts':
        'aws az cp curl doctl gh git glab heroku mv netlify openssl rsync socat su supabase sync vercel wrangler',
      'safety/outside/files-run.ts': 'git perl',
      'safety/outside/outside-evidence.ts': 'diff git tee',
      'safety/outside/outside-reasons.ts': 'gh git glab hg jj rename',
      'safety/outside/text-source.ts': 'cd diff echo git grep history init mkdir printf pushd rm set sleep',
      'safety/paths/weft-file-changes.ts':
        'at batch cp ditto eval fd fdfind find git ls mount mv parallel prlimit rm rsync sed set ulimit umount unset unzip weft',
    },
  },
];

const programs = new Set(allPrograms.flatMap(({names}) => names.split(',').map(name => name.trim())));

/** The strings of a source, and the choices in its regular expressions, that are names of programs. */
function namesIn(path: string): readonly string[] {
  const code = readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import [\s\S]*?;$/gmu, '');
  const strings = [...code.matchAll(/'([^'\n]*)'/gu)].map(([, text = '']) => text);
  const choices = [...code.matchAll(/\^\(\?:([\w.|+-]+)\)\$/gu)].flatMap(([, text = '']) => text.split('|'));
  return [...new Set([...strings, ...choices])].filter(
    text => text.length > 1 && programs.has(text) && !plainWords.has(text),
  );
}

test('programs are named in their rows, and elsewhere only where it is said why', () => {
  const allowed = new Map(
    exceptions.flatMap(({files}) => Object.entries(files).map(([path, words]) => [path, named(words)] as const)),
  );
  const files = globSync(['src/safety/**/*.ts', 'src/workspace/impact/*.ts']).filter(
    path => !path.includes('/commands/programs/'),
  );
  expect(files.length).toBeGreaterThan(50);
  const others = files.flatMap(path =>
    namesIn(path)
      .filter(name => allowed.get(path.replace('src/', ''))?.has(name) !== true)
      .map(name => `${path}: ${name}`),
  );
  expect(others).toEqual([]);
});
