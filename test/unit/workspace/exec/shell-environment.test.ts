import {expect, test} from 'vitest';
import {shellEnvironment} from '../../../../src/workspace/exec/shell-environment.ts';

const run = {runTag: 'tag', channel: 'pipes', environment: 'inherited'} as const;

/** What is left of `given`, all set to `x`, when everything is taken away that an empty environment gets too. */
function kept(given: readonly string[]): readonly string[] {
  const added = shellEnvironment({inherited: {}, userSet: {}, passedThrough: [], roots: []}, run);
  const environment = shellEnvironment(
    {inherited: Object.fromEntries(given.map(name => [name, 'x'])), userSet: {}, passedThrough: [], roots: []},
    run,
  );
  return Object.keys(environment).filter(name => added[name] === undefined);
}

test('keys and other secrets are withheld', () => {
  expect(
    kept([
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_SESSION_TOKEN',
      'CLIENT_SECRET',
      'DB_PASSWORD',
      'DJANGO_SECRET_KEY',
      'GH_TOKEN',
      'GITHUB_TOKEN',
      'GROQ_API_KEY',
      'OPENAI_API_KEY',
      'OPENAI_KEY',
      'PASSWORD',
      'SIGNING_PRIVATE_KEY',
      'SIGNING_SECRET',
      'TOKEN',
      'my_api_key',
    ]),
  ).toEqual([]);
});

test("our own variables, npm's for its scripts, and what a shell would act on are withheld", () => {
  expect(
    kept([
      'BASHOPTS',
      'BASH_ENV',
      'CDPATH',
      'ENV',
      'INIT_CWD',
      'NODE_COMPILE_CACHE',
      'OLDPWD',
      'WEFT_HOME',
      '_',
      'npm_command',
      'npm_config_prefix',
      'npm_execpath',
      'npm_lifecycle_event',
      'npm_node_execpath',
      'npm_package_json',
    ]),
  ).toEqual([]);
});

test("a folder that only looks like a repository has no say over git; the user's own configuration stays", () => {
  const inherited = {GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'me'};
  expect(shellEnvironment({inherited, userSet: {}, passedThrough: [], roots: []}, run)).toMatchObject({
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'me',
    GIT_CONFIG_KEY_1: 'safe.bareRepository',
    GIT_CONFIG_VALUE_1: 'explicit',
  });
});

test('the rest stays', () => {
  const names = [
    'AWS_ACCESS_KEY_ID',
    'AWS_PROFILE',
    'CI',
    'HOME',
    'MONKEY',
    'NODE_OPTIONS',
    'NPM_CONFIG_REGISTRY',
    'NPM_CONFIG_USERCONFIG',
    'PASSWORD_STORE_DIR',
    'PATH',
    'SSH_AUTH_SOCK',
    'TOKENIZERS_PARALLELISM',
    'npm_proxy',
  ];
  expect(kept(names)).toEqual(names);
  expect(kept([])).toEqual([]);
});

test('nothing waits for a person, and the run is marked', () => {
  const {PAGER, TERM, GIT_TERMINAL_PROMPT, EDITOR, WEFT_ACTIVE, WEFT_RUN, NOTHING} = shellEnvironment(
    {
      inherited: {PAGER: 'less', TERM: 'xterm', EDITOR: 'vi', NOTHING: undefined},
      userSet: {},
      passedThrough: [],
      roots: [],
    },
    run,
  );
  expect({PAGER, TERM, GIT_TERMINAL_PROMPT, EDITOR, WEFT_ACTIVE, WEFT_RUN, NOTHING}).toEqual({
    PAGER: 'cat',
    TERM: 'dumb',
    GIT_TERMINAL_PROMPT: '0',
    EDITOR: 'true',
    WEFT_ACTIVE: '1',
    WEFT_RUN: 'tag',
    NOTHING: undefined,
  });
});

test('what the user wants commands to have comes before what weft sets or withholds', () => {
  const userSet = {GH_TOKEN: 'mine', PAGER: 'less', WEFT_RUN: 'not mine'};
  const {GH_TOKEN, PAGER, WEFT_RUN} = shellEnvironment(
    {inherited: {GH_TOKEN: 'given'}, userSet, passedThrough: [], roots: []},
    run,
  );
  expect({GH_TOKEN, PAGER, WEFT_RUN}).toEqual({GH_TOKEN: 'mine', PAGER: 'less', WEFT_RUN: 'tag'});
});

test('secrets that the user lists are passed on, and no others', () => {
  const inherited = {GH_TOKEN: 'a', NPM_TOKEN: 'b'};
  const {GH_TOKEN, NPM_TOKEN} = shellEnvironment({inherited, userSet: {}, passedThrough: ['GH_TOKEN'], roots: []}, run);
  expect({GH_TOKEN, NPM_TOKEN}).toEqual({GH_TOKEN: 'a', NPM_TOKEN: undefined});
});

const language = (inherited: Readonly<Record<string, string>>): string | undefined =>
  shellEnvironment({inherited, userSet: {}, passedThrough: [], roots: []}, run)['LANG'];

test('text has a language, pipes have no forced colours', () => {
  expect([language({}), language({LANG: 'de_DE.UTF-8'}), language({LC_ALL: 'C'}), language({LANG: ''})]).toEqual([
    expect.stringContaining('UTF-8'),
    'de_DE.UTF-8',
    undefined,
    expect.stringContaining('UTF-8'),
  ]);
  expect(kept(['FORCE_COLOR', 'CLICOLOR_FORCE', 'COLORTERM', 'COLUMNS', 'NO_COLOR'])).toEqual(['NO_COLOR']);
});

test('in a terminal pagers are off, and editors and prompts are the user’s own', () => {
  const {PAGER, TERM, EDITOR, GIT_EDITOR, GIT_TERMINAL_PROMPT} = shellEnvironment(
    {inherited: {PAGER: 'less', TERM: 'dumb', EDITOR: 'vi'}, userSet: {}, passedThrough: [], roots: []},
    {runTag: 'tag', channel: 'terminal', environment: 'inherited'},
  );
  expect({PAGER, TERM, EDITOR, GIT_EDITOR, GIT_TERMINAL_PROMPT}).toEqual({
    PAGER: 'cat',
    TERM: 'xterm-256color',
    EDITOR: 'vi',
    GIT_EDITOR: undefined,
    GIT_TERMINAL_PROMPT: undefined,
  });
});
