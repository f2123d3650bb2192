// @module-tag long
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say, type Answer} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {openScene, scriptedKey, toldResults} from '../support/scene.ts';
import {putFile} from '../support/put-file.ts';

/** Random looking, and the same in every run. */
function letters(seed: number, length: number): string {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789';
  let state = seed * 2_654_435_761 + 1;
  let text = '';
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += alphabet.charAt(Math.floor(state / 65_536) % alphabet.length);
  }
  return text;
}

const capitals = (seed: number, length: number): string => letters(seed, length).toUpperCase();
const hex = (seed: number, length: number): string =>
  Buffer.from(letters(seed, length)).toString('hex').slice(0, length);
const keyLines = (seed: number, lines: number): readonly string[] =>
  Array.from({length: lines}, (_, at) => letters(seed + at, at === lines - 1 ? 24 : 64));

/** In files whose form gives them away, wherever they lie. */
const inFiles = {
  'src/aws.ts': [`AKIA${capitals(1, 16)}`],
  'src/github.ts': [`ghp_${letters(2, 36)}`, `github_pat_${letters(3, 22)}_${letters(4, 59)}`, `gho_${letters(5, 36)}`],
  'config/gitlab.yml': [`glpat-${letters(6, 20)}`],
  'docs/slack.md': [`xoxb-${hex(7, 12)}-${letters(7, 24)}`, `xoxp-1234567890-${letters(8, 24)}`],
  'src/stripe.js': [`sk_live_${letters(9, 24)}`, `rk_test_${letters(10, 24)}`, `whsec_${letters(11, 32)}`],
  'src/models.py': [`sk-proj-${letters(12, 48)}`, `sk-ant-api03-${letters(13, 80)}`, `sk-${letters(14, 40)}7a`],
  'src/google.go': [`AIza${letters(15, 35)}`, `GOCSPX-${letters(16, 28)}`],
  'src/packages.txt': [`npm_${letters(17, 34)}42`, `pypi-AgEIcHlwaS5vcmc${letters(18, 60)}`],
  'src/jwt.txt': [`eyJ${letters(19, 30)}.eyJ${letters(20, 60)}.${letters(21, 43)}`],
  'src/mail.rb': [`SG.${letters(22, 22)}.${letters(23, 43)}`],
  'src/hub.py': [`hf_${letters(24, 34)}`],
} as const;

/** Beside names that say what they are. */
const assigned = {
  'src/settings.json': ['"password": "', `${letters(30, 14)}9z`, '",'],
  'src/config.ts': ["const apiKey = '", `${letters(31, 30)}1`, "';"],
  'deploy/app.yaml': ['  client_secret: ', `${letters(32, 26)}3`, ''],
  'deploy/run.sh': ['export SESSION_SECRET=', letters(33, 30), ''],
  'src/call.http': ['Authorization: Bearer ', letters(34, 40), ''],
  'src/basic.http': [
    'Authorization: Basic ',
    Buffer.from(`user:${letters(35, 12)}`)
      .toString('base64')
      .slice(0, 24),
    '',
  ],
  'src/database.ts': ['const url = "postgres://app:', letters(36, 16), '@db.example.com/app";'],
  'src/aws.ini': ['aws_secret_access_key = ', letters(37, 40), ''],
} as const;

/** Of no form at all: known because of where they stand. */
const inEnvFile = {
  PLAIN_PHRASE: 'seventeen quiet lanterns',
  SIGNING_SALT: 'n0t-4-pattern-at-all',
  DATABASE_URL: 'mysql://root:Tr0ub4dor-and-3@localhost/shop',
  QUOTED: `it's "quoted" $HOME \`x\``,
  NESTED_KEY: 'zebra-crossing-41',
} as const;
const inEnvironment = {
  OPENAI_API_KEY: `sk-env-${letters(50, 20)}`,
  MY_SERVICE_TOKEN: 'walrus-carpenter-cabbages',
  BUILD_PASSWORD: 'kings-and-sealing-wax-88',
} as const;
const committed = {FORMER_API_TOKEN: letters(60, 32)} as const;
const pem = keyLines(70, 6);
const ssh = keyLines(80, 5);

const secrets: readonly string[] = [
  ...Object.values(inFiles).flat(),
  ...Object.values(assigned).map(([, secret]) => secret),
  ...Object.values(inEnvFile),
  ...Object.values(inEnvironment),
  ...Object.values(committed),
  ...pem.slice(0, -1),
  ...ssh.slice(0, -1),
  'Tr0ub4dor-and-3',
  scriptedKey,
];

function plant(work: string): void {
  const put = (path: string, text: string): void => putFile(join(work, path), text);
  for (const [path, values] of Object.entries(inFiles))
    put(path, `first line\n${values.map(value => `use ${value} here`).join('\n')}\n`);
  for (const [path, [before, value, after]] of Object.entries(assigned))
    put(path, `# settings\n${before}${value}${after}\nlast\n`);
  const {QUOTED, NESTED_KEY, ...top} = inEnvFile;
  put(
    '.env',
    `${Object.entries(top)
      .map(([name, value]) => `${name}="${value}"`)
      .join('\n')}\nPORT=3000\nNODE_ENV=production\n`,
  );
  put('.env.local', `QUOTED=${QUOTED}\n`);
  put('packages/api/.env', `NESTED_KEY=${NESTED_KEY}\n`);
  put('certs/server.pem', `-----BEGIN RSA PRIVATE KEY-----\n${pem.join('\n')}\n-----END RSA PRIVATE KEY-----\n`);
  put(
    'docs/key.txt',
    `a key:\n-----BEGIN OPENSSH PRIVATE KEY-----\n${ssh.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`,
  );
  put('old.txt', `FORMER_API_TOKEN=${committed.FORMER_API_TOKEN}\n`);
  const git = (...words: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
      cwd: work,
      stdio: 'ignore',
    });
  };
  git('init', '-q');
  git('add', '-f', 'old.txt', '.env');
  git('commit', '-qm', 'first');
  put('old.txt', 'nothing any more\n');
  git('commit', '-qam', 'second');
}

const bash = (command: string): Answer => call('Bash', {command});
const placeholder = (request: ReceivedRequest, name: string): string =>
  new RegExp(`\\[\\[secret:${name}:[0-9a-f]+\\]\\]`, 'u').exec(JSON.stringify(request.body.messages))?.[0] ??
  `no ${name}`;

const files = [
  ...Object.keys(inFiles),
  ...Object.keys(assigned),
  '.env',
  '.env.local',
  'packages/api/.env',
  'certs/server.pem',
  'docs/key.txt',
];

/** Every way by which a file's text comes to the model, then what uses placeholders. */
const steps: readonly ((request: ReceivedRequest) => Answer)[] = [
  ...files.map(path => () => call('Read', {file_path: path})),
  () => call('Read', {file_path: 'docs/key.txt', offset: 4, limit: 2}),
  () => call('Grep', {pattern: '[A-Za-z0-9]{8}', path: '.', output_mode: 'content'}),
  () => bash(`cat ${files.join(' ')}`),
  () => bash('env; tr "\\0" "\\n" < /proc/$PPID/environ'),
  () => bash('git log -p --all; git show HEAD~1:old.txt; git show HEAD:.env'),
  () =>
    bash(
      'base64 .env; base64 -w0 certs/server.pem; echo; base64 docs/key.txt; printf %s "$(sed -n s/NESTED_KEY=//p packages/api/.env)" | base64',
    ),
  () => bash('while read -r line; do printf "%s" "${line%%=*}"; sleep 0.02; printf "=%s\\n" "${line#*=}"; done < .env'),
  () => bash('for n in $(seq 1 150); do cat .env .env .env .env .env .env .env .env .env .env; done'),
  () => bash('cat .env src/*.ts >&2; exit 3'),
  () => bash('python3 -c "import json;print(json.dumps(open(\'.env.local\').read()))" || true'),
  () => call('Edit', {file_path: 'packages/api/.env', old_string: 'NOT_THERE', new_string: 'x'}),
  request =>
    call('Edit', {
      file_path: 'deploy/run.sh',
      old_string: `export SESSION_SECRET=${placeholder(request, 'SESSION_SECRET')}\nlast`,
      new_string: `export SESSION_SECRET=${placeholder(request, 'SESSION_SECRET')}\nexport PORT=1\nlast`,
    }),
  request => call('Write', {file_path: 'made.txt', content: `<${placeholder(request, 'PLAIN_PHRASE')}>\n`}),
  request =>
    bash(
      `printf '%s|' ${placeholder(request, 'QUOTED')} "${placeholder(request, 'QUOTED')}" '${placeholder(request, 'QUOTED')}' > received.txt; cat received.txt`,
    ),
  request =>
    call('Bash', {
      command: `cat .env src/*.ts; printf %s "${placeholder(request, 'QUOTED')}" > typed.txt; read -r line; echo "got $line"`,
      run_in_background: true,
    }),
  request => call('BashInput', {block_id: 'b1', input: placeholder(request, 'NESTED_KEY'), mode: 'line'}),
  () => call('BashOutput', {block_id: 'b1', delay: 'completion'}),
  () => bash('echo "[[secret:NEVER_SEEN:0123456789abcdef]]" > wrong.txt'),
  () => say('Done.'),
];

const textsBelow = (folder: string): string =>
  readdirSync(folder, {withFileTypes: true, recursive: true})
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

test(
  'no secret reaches the model, the disk, stdout or the debug log; commands and edits get the real ones',
  {timeout: 120_000},
  async () => {
    await using scene = await openScene(
      (request, number) => steps[number - 1]?.(request) ?? say('The script is over.'),
    );
    plant(scene.place.work);
    writeFileSync(join(scene.place.work, 'AGENTS.md'), `Use the token ${inFiles['src/github.ts'][0]}.\n`);
    const finished = await scene.run(
      [
        '--prompt',
        `Look around. My key is ${inFiles['src/stripe.js'][0]}.`,
        ...'--permission-mode bypassPermissions --output-format stream-json --include-partial-messages --verbose'.split(
          ' ',
        ),
        '--debug',
        '--record',
        join(scene.place.home, 'recording.jsonl'),
      ],
      {environment: inEnvironment},
    );
    expect(finished.code).toBe(0);
    expect(scene.server.requests.length).toBe(steps.length);

    const listed = (await scene.run(['sessions', 'list', '--json'])).stdout;
    const ids = [...listed.matchAll(/"id": *"([^"]*)"/gu)].map(([, id = '']) => id);
    expect(ids).toHaveLength(1);
    const exported = await Promise.all(ids.map(async id => (await scene.run(['sessions', 'export', id])).stdout));
    const seen = {
      requests: JSON.stringify(scene.server.requests.map(({body}) => body)),
      stdout: finished.stdout,
      stderr: finished.stderr,
      exported: [listed, ...exported].join('\n'),
      // Its home: the database, recordings, outputs of commands.
      disk: textsBelow(scene.place.home),
    };
    const leaks = Object.entries(seen).flatMap(([where, text]) =>
      secrets.flatMap(secret =>
        [secret, JSON.stringify(secret).slice(1, -1), JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)]
          .filter(form => text.includes(form))
          .map(form => `${where}: ${form}`),
      ),
    );
    expect([...new Set(leaks)]).toEqual([]);
    const decoded = [...seen.requests.matchAll(/[A-Za-z0-9+/]{16,}/gu)].flatMap(([run]) =>
      [0, 1, 2, 3].map(at => Buffer.from(run.slice(at), 'base64').toString('latin1')),
    );
    expect(secrets.filter(secret => decoded.some(text => text.includes(secret.slice(0, 12))))).toEqual([]);
    expect(secrets.length).toBeGreaterThanOrEqual(40);

    expect(scene.read('received.txt')).toBe(`${inEnvFile.QUOTED}|`.repeat(3));
    expect(scene.read('typed.txt')).toBe(inEnvFile.QUOTED);
    expect(scene.read('made.txt')).toBe(`<${inEnvFile.PLAIN_PHRASE}>\n`);
    expect(scene.read('deploy/run.sh')).toBe(
      `# settings\nexport SESSION_SECRET=${assigned['deploy/run.sh'][1]}\nexport PORT=1\nlast\n`,
    );
    expect(() => scene.read('wrong.txt')).toThrow('ENOENT');
    expect(toldResults(scene.server.requests.at(-1))[0]).toContain('weft no longer knows');
  },
);

test('the model reads a prompt that ends as a secret may begin', {tags: 'smoke'}, async () => {
  const ask = call('Bash', {command: 'printf "Name a"; cat', wait_until_completion: false});
  await using scene = await openScene([ask, say('Done.')]);
  await scene.run(['--prompt', 'x', '--allowed-tools', 'Bash']);
  expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('Name a')]);
});

test('no secret in colored output reaches the model, the live output or the file of the output', async () => {
  const aws = `AKIA${capitals(1, 16)}`;
  const bearer = letters(34, 40);
  const password = letters(36, 16);
  const colored = [
    String.raw`\033[34mPASSWORD\033[0m=hunter2secretvalue`,
    String.raw`\033[1m"password"\033[0m: \033[32m"swordfish\033[1m7trombone"\033[0m`,
    String.raw`id ${aws.slice(0, 9)}\033[31m${aws.slice(9)}\033[0m`,
    String.raw`\033[36mAuthorization\033[0m: \033[1mBearer \033[33m${bearer}\033[0m`,
    String.raw`\033]8;;https://app:${password}@db.example.com/\033\\link\033]8;;\033\\`,
  ].join(String.raw`\n`);
  const fill = 'for n in $(seq 1 900); do echo "line $n of the report that nobody reads"; done';
  const script = `${fill}; printf '${colored}\\n' > c; cat c; while IFS= read -r -n 7 part || [ -n "$part" ]; do printf %s "$part"; done < c; ${fill}`;
  await using scene = await openScene((request, number) => {
    if (number === 1) return call('Bash', {command: 'bash ./print'});
    const [file = ''] = /\/[^\s"';\]]*\/weft-output-[^\s"';\]]*/u.exec(toldResults(request)[0] ?? '') ?? [];
    return number === 2 ? call('Read', {file_path: file, offset: 895, limit: 20}) : say('Done.');
  });
  writeFileSync(join(scene.place.work, 'print'), script);
  const finished = await scene.run(
    '--prompt x --permission-mode bypassPermissions --output-format stream-json --include-partial-messages --verbose'.split(
      ' ',
    ),
  );
  const requests = JSON.stringify(scene.server.requests.map(({body}) => body));
  const read = toldResults(scene.server.requests[2])[0] ?? '';
  expect(read).toContain('[[secret:AWS_ACCESS_KEY_ID:');
  expect(read).toContain('line 900 of the report');
  const seen = {requests, stdout: finished.stdout, disk: textsBelow(scene.place.home)};
  const parts = ['hunter2secret', 'swordfish', '7trombone', aws.slice(0, 9), aws.slice(9), bearer, password];
  expect(
    Object.entries(seen).flatMap(([where, text]) =>
      parts.filter(part => text.includes(part)).map(part => `${where}: ${part}`),
    ),
  ).toEqual([]);
});

test('what is left out of much output is hidden when it is read', async () => {
  const secret = 'hunter2secretvalue';
  const print = `yes 'PASSWORD=${secret} for the token of the user' | head -n 200000; echo the end`;
  await using scene = await openScene((request, number) => {
    if (number === 1) return call('Bash', {command: 'bash ./print'});
    const [file = ''] = /\/[^\s"';\]]*\/weft-output-[^\s"';\]]*/u.exec(JSON.stringify(request.body.messages)) ?? [];
    const reads = [
      call('Read', {file_path: file, offset: 100_000, limit: 20}),
      call('Grep', {pattern: 'PASSWORD', path: file, output_mode: 'content', head_limit: 5}),
      bash(`sed -n 100000,100020p ${file}`),
      bash(`stat -c %a ${file} "$(dirname ${file})"`),
    ];
    return reads[number - 2] ?? say('Done.');
  });
  writeFileSync(join(scene.place.work, 'print'), print);
  const finished = await scene.run(
    '--prompt x --permission-mode bypassPermissions --output-format stream-json --include-partial-messages --verbose --debug'.split(
      ' ',
    ),
  );
  const results = scene.server.requests.slice(1).map(request => toldResults(request)[0] ?? '');
  const exported = await scene.run(['sessions', 'export', finished.stdout.match(/"session_id":"([^"]*)"/u)?.[1] ?? '']);
  expect(results.slice(1, 4).map(result => result.match(/\[\[secret:PASSWORD:/gu)?.length)).toEqual([20, 5, 21]);
  expect(results[0]).toContain('the end');
  expect(results[4]).toContain('600\n700');
  const seen = [JSON.stringify(scene.server.requests.map(({body}) => body)), finished, exported].map(part =>
    JSON.stringify(part),
  );
  expect(seen.map(text => text.includes(secret))).toEqual([false, false, false]);
});
