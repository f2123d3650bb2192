import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
  type FolderTrust,
  mergeSettings,
  preferencesOf,
  type SettingsLayer,
} from '../../../src/config/merge-settings.ts';
import {permissionModes} from '../../../src/domain/risk.ts';

const file = (source: 'user' | 'project' | 'local' | 'given', content: unknown): SettingsLayer => ({
  source,
  path: `/${source}.json`,
  text: typeof content === 'string' ? content : JSON.stringify(content),
});
const from = (source: string, value: unknown): object => ({value, source, path: `/${source}.json`});
const byDefault = (value: unknown): object => ({value, source: 'default', path: ''});
/** What counts where nobody chose. */
const unchosen = {
  mcpServers: {},
  harnesses: {},
  models: {},
  headers: {},
  providers: {},
  fallbackModel: byDefault([]),
  memoryCeiling: byDefault(1024),
  keepSessions: byDefault({days: 90, gigabytes: 2}),
  updateCheck: byDefault('daily'),
  compaction: byDefault('ask'),
  cacheTtl: byDefault('5m'),
  editorMode: byDefault('emacs'),
  tui: byDefault('inline'),
  theme: byDefault('auto'),
  notify: byDefault('off'),
  accessible: byDefault(false),
  bellOn: byDefault([]),
  verbosity: byDefault('summary'),
  statusLine: byDefault('none'),
};
const nothing = {
  ...unchosen,
  model: undefined,
  provider: undefined,
  baseUrl: undefined,
  permissionMode: byDefault('default'),
  sandbox: byDefault('auto'),
  allowLocalBinding: byDefault(false),
  loopGuard: byDefault(true),
  selfReports: byDefault(false),
  permissions: {allow: [], ask: [], deny: []},
  env: {},
  passEnv: [],
  checks: [],
  requireChecks: [],
  plugins: [],
  hooks: [],
};

const merge = (layers: readonly SettingsLayer[], trust: FolderTrust = 'never') =>
  mergeSettings(layers, {trust, userRules: []});

describe('mergeSettings', () => {
  test('without any layer gives the defaults', () => {
    expect(merge([])).toEqual({
      tag: 'ok',
      value: {
        settings: nothing,
        warnings: [],
        trustRequests: [],
        withheldRules: [],
        hookCommands: [],
        withheldHooks: [],
        projectServers: [],
        projectPlugins: [],
      },
    });
    expect(merge([file('user', ' \n'), file('project', '\ufeff{}')])).toEqual({
      tag: 'ok',
      value: {
        settings: nothing,
        warnings: [],
        trustRequests: [],
        withheldRules: [],
        hookCommands: [],
        withheldHooks: [],
        projectServers: [],
        projectPlugins: [],
      },
    });
  });

  test('the strongest layer wins, rules add up, and each value tells where it came from', () => {
    expect(
      merge([
        {source: 'flags', values: {model: 'flag', permissions: {allow: ['Read']}}},
        file('local', {permissions: {deny: ['Bash(rm:*)']}}),
        file('project', {permissions: {ask: ['Edit']}}),
        file('user', {
          model: 'user',
          provider: 'openai',
          baseUrl: 'http://localhost:1/v1',
          permissionMode: 'acceptEdits',
          permissions: {allow: ['Grep'], deny: ['WebFetch']},
          env: {A: '1', B: '2'},
          passEnv: ['NPM_TOKEN'],
        }),
        file('given', {env: {B: '3'}}),
      ]),
    ).toEqual({
      tag: 'ok',
      value: {
        settings: {
          ...unchosen,
          model: {value: 'flag', source: 'flags', path: ''},
          provider: from('user', 'openai'),
          baseUrl: from('user', 'http://localhost:1/v1'),
          permissionMode: from('user', 'acceptEdits'),
          sandbox: byDefault('auto'),
          allowLocalBinding: byDefault(false),
          loopGuard: byDefault(true),
          selfReports: byDefault(false),
          permissions: {
            allow: [from('user', 'Grep'), {value: 'Read', source: 'flags', path: ''}],
            ask: [from('project', 'Edit')],
            deny: [from('user', 'WebFetch'), from('local', 'Bash(rm:*)')],
          },
          env: {A: from('user', '1'), B: from('given', '3')},
          passEnv: [from('user', 'NPM_TOKEN')],
          checks: [],
          requireChecks: [],
          plugins: [],
          hooks: [],
        },
        warnings: [],
        trustRequests: [],
        withheldRules: [],
        hookCommands: [],
        withheldHooks: [],
        projectServers: [],
        projectPlugins: [],
      },
    });
  });

  test('a preference is that of the strongest layer that says it, be it false or an empty list', () => {
    const merged = merge([
      file('user', {accessible: true, bellOn: ['done'], theme: 'dark', verbosity: 'full'}),
      file('project', {accessible: false, bellOn: []}),
      {source: 'flags', values: {accessible: undefined, tui: 'fullscreen', theme: undefined}},
    ]);
    expect(merged.tag === 'ok' && merged.value.settings).toEqual({
      ...nothing,
      accessible: from('project', false),
      bellOn: from('project', []),
      theme: from('user', 'dark'),
      verbosity: from('user', 'full'),
      tui: {value: 'fullscreen', source: 'flags', path: ''},
    });
    expect(merged.tag === 'ok' && preferencesOf(merged.value.settings)).toEqual({
      editorMode: 'emacs',
      tui: 'fullscreen',
      theme: 'dark',
      notify: 'off',
      verbosity: 'full',
      accessible: false,
      bellOn: [],
      statusLine: 'none',
    });
  });

  test("the status line command is the user's, also in a trusted folder", () => {
    const statusLine = {type: 'command', command: 'mine'} as const;
    const theirs = {...statusLine, command: 'theirs'};
    const merged = merge([file('user', {statusLine}), file('project', {statusLine: theirs})], 'trusted');
    expect(merged.tag === 'ok' && [merged.value.settings.statusLine, merged.value.warnings]).toEqual([
      from('user', statusLine),
      ['/project.json: "statusLine" is ignored: only your own settings can say which command prints your status line.'],
    ]);
  });

  test.each([
    ['effort', 'max', 'use the effort max'],
    ['fallbackModel', ['haiku', 'm'], 'let haiku, m answer if the model fails'],
    ['models', {m: {contextWindow: 1000}}, 'say what the model m costs and can do'],
    [
      'providers',
      {mine: {baseUrl: 'https://x.example/v1'}},
      'send the conversation, and your key, to https://x.example/v1 for the provider mine',
    ],
    [
      'checks',
      [{name: 'unit', command: 'node run.js', paths: ['src/**', 'test/**']}],
      'count node run.js as the check unit, which depends only on src/**, test/**',
    ],
    ['wireApi', 'chat', 'speak the protocol chat with the model'],
    ['allowLocalBinding', true, "let commands in the sandbox reach this machine's own ports"],
  ])('a project asks for its %s', (key, value, text) => {
    const merged = merge([file('project', {[key]: value})]);
    expect(merged.tag === 'ok' && merged.value.trustRequests).toEqual([from('project', text)]);
    expect(merged.tag === 'ok' && merged.value.settings).toEqual(nothing);
  });

  const acting = {
    model: 'm',
    baseUrl: 'https://evil.example',
    provider: 'openai',
    env: {PATH: '/evil'},
    passEnv: ['GH_TOKEN'],
    plugins: ['tools'],
    permissionMode: 'acceptEdits',
    permissions: {allow: ['Bash'], deny: ['Read(.env)']},
  };
  const wishes = [
    'use the model m',
    'send the conversation, and your key, to https://evil.example',
    'choose the provider openai',
    'run commands with PATH=/evil',
    'give commands your variable GH_TOKEN',
    'use the commands, agents, skills, hooks and servers of the plugin tools',
    'allow without asking: Bash',
    'start in the mode acceptEdits',
  ];
  const keys = '"model", "baseUrl", "provider", "env", "passEnv", "plugins", "permissions.allow", "permissionMode"';

  for (const source of ['project', 'local'] as const) {
    test.each([
      ['never', 'this folder is not trusted'],
      ['changed', 'its settings changed since you trusted the folder'],
    ] as const)(`a ${source} file of a folder trusted %s can not act`, (trust, why) => {
      expect(merge([file(source, acting)], trust)).toEqual({
        tag: 'ok',
        value: {
          settings: {
            ...nothing,
            permissions: {allow: [], ask: [], deny: [from(source, 'Read(.env)')]},
          },
          warnings: [`/${source}.json: ${keys} are ignored: ${why} (review and trust it: weft permissions trust).`],
          trustRequests: wishes.map(wish => from(source, wish)),
          withheldRules: [from(source, 'Bash')],
          hookCommands: [],
          withheldHooks: [],
          projectServers: [],
          projectPlugins: ['tools'],
        },
      });
    });

    test(`a ${source} file of a trusted folder acts`, () => {
      expect(merge([file(source, acting)], 'trusted')).toEqual({
        tag: 'ok',
        value: {
          settings: {
            ...unchosen,
            model: from(source, 'm'),
            baseUrl: from(source, 'https://evil.example'),
            provider: from(source, 'openai'),
            permissionMode: from(source, 'acceptEdits'),
            sandbox: byDefault('auto'),
            allowLocalBinding: byDefault(false),
            loopGuard: byDefault(true),
            selfReports: byDefault(false),
            permissions: {allow: [from(source, 'Bash')], ask: [], deny: [from(source, 'Read(.env)')]},
            env: {PATH: from(source, '/evil')},
            passEnv: [from(source, 'GH_TOKEN')],
            checks: [],
            requireChecks: [],
            plugins: [from(source, 'tools')],
            hooks: [],
          },
          warnings: [],
          trustRequests: wishes.map(wish => from(source, wish)),
          withheldRules: [],
          hookCommands: [],
          withheldHooks: [],
          projectServers: [],
          projectPlugins: ['tools'],
        },
      });
    });
  }

  test.each(['user', 'project', 'local', 'given'] as const)('a %s file cannot choose that nothing is asked', source => {
    const warning = '"permissionMode" is ignored: only the flag --permission-mode can choose bypassPermissions.';
    for (const trust of ['never', 'trusted'] as const) {
      expect(merge([file(source, {permissionMode: 'bypassPermissions'})], trust)).toEqual({
        tag: 'ok',
        value: {
          settings: nothing,
          warnings: [`/${source}.json: ${warning}`],
          trustRequests: [],
          withheldRules: [],
          hookCommands: [],
          withheldHooks: [],
          projectServers: [],
          projectPlugins: [],
        },
      });
    }
  });

  test('a project that wants commands outside of the sandbox has to be trusted with each of them', () => {
    const merged = merge([file('project', {sandbox: {enabled: true, excludedCommands: ['docker']}})], 'never');
    if (merged.tag === 'failed') throw new Error(merged.error.message);
    expect(merged.value.trustRequests.map(({value}) => value)).toEqual([
      'run commands in the sandbox: auto',
      'run outside of the sandbox: Bash(docker:*)',
    ]);
    expect(merged.value.settings.sandbox).toEqual(byDefault('auto'));
  });

  test.each(['project', 'local'] as const)('a %s file cannot say how a harness is started, trusted or not', source => {
    const mine = {mine: {command: 'my-agent', args: ['--acp'], env: {}}};
    for (const trust of ['never', 'trusted'] as const) {
      const merged = merge(
        [file('user', {harnesses: mine}), file(source, {harnesses: {mine: {command: 'evil'}}})],
        trust,
      );
      if (merged.tag === 'failed') throw new Error(merged.error.message);
      expect(merged.value.settings.harnesses).toEqual({mine: {value: mine.mine, source: 'user', path: '/user.json'}});
      expect(merged.value.warnings).toEqual([
        `/${source}.json: "harnesses" is ignored: only your own settings can say how harnesses are started.`,
      ]);
    }
  });

  test.each(['project', 'local'] as const)(
    'a %s file cannot say which command prints the key, trusted or not',
    source => {
      for (const trust of ['never', 'trusted'] as const) {
        const merged = merge(
          [file('user', {keyCommand: 'mine'}), file(source, {keyCommand: 'evil', keyCommandTtlMs: 1})],
          trust,
        );
        if (merged.tag === 'failed') throw new Error(merged.error.message);
        expect(merged.value.settings.keyCommand).toEqual({value: 'mine', source: 'user', path: '/user.json'});
        expect(merged.value.settings.keyCommandTtlMs).toBeUndefined();
        expect(merged.value.warnings).toEqual([
          `/${source}.json: "keyCommand" is ignored: only your own settings can say which command prints your key.`,
          `/${source}.json: "keyCommandTtlMs" is ignored: only your own settings can say how long your key is kept.`,
        ]);
      }
    },
  );

  test('headers of a project count after trust, and the user reads them first', () => {
    const headers = {'X-Team': 'a', openai: {'X-Key': '${SECRET}'}};
    const [never, trusted] = (['never', 'trusted'] as const).map(trust => merge([file('project', {headers})], trust));
    if (never?.tag !== 'ok' || trusted?.tag !== 'ok') throw new Error('not merged');
    expect(never.value.settings.headers).toEqual({});
    expect(never.value.trustRequests.map(({value}) => value)).toEqual([
      'send the header X-Team: a with every model request',
      'send the header openai: {"X-Key":"${SECRET}"} with every model request',
    ]);
    expect(Object.keys(trusted.value.settings.headers)).toEqual(['X-Team', 'openai']);
  });

  test('a project may be stricter than the user, never looser, whatever comes after', () => {
    const strictness = ['acceptEdits', 'default', 'dontAsk', 'plan'];
    const modes = permissionModes.filter(mode => mode !== 'bypassPermissions');
    fc.assert(
      fc.property(
        fc.constantFrom(...modes),
        fc.constantFrom(...modes),
        fc.constantFrom(...modes),
        (user, project, local) => {
          const merged = merge([
            file('user', {permissionMode: user}),
            file('project', {permissionMode: project}),
            file('local', {permissionMode: local}),
          ]);
          const mode = merged.tag === 'ok' ? merged.value.settings.permissionMode.value : 'none';
          expect(strictness.indexOf(mode)).toBe(
            Math.max(...[user, project, local].map(each => strictness.indexOf(each))),
          );
        },
      ),
    );
  });

  test('unknown keys are warned of with the nearest known name', () => {
    expect(merge([file('user', {$schema: 'x', modle: 'm', loudness: 3, permissions: {denny: []}})])).toEqual({
      tag: 'ok',
      value: {
        settings: nothing,
        warnings: [
          '/user.json: "modle" is not a setting and is ignored. Did you mean "model"?',
          '/user.json: "loudness" is not a setting and is ignored.',
          '/user.json: "permissions.denny" is not a setting and is ignored. Did you mean "permissions.deny"?',
        ],
        trustRequests: [],
        withheldRules: [],
        hookCommands: [],
        withheldHooks: [],
        projectServers: [],
        projectPlugins: [],
      },
    });
  });

  test.each([
    ['{"model": ', '/user.json is not JSON: '],
    ['[]', '/user.json must hold one JSON object.'],
    [{model: 3}, '/user.json: "model" is invalid; "model" must be the name of a model.'],
    [{providers: {mine: {apiKey: 'x'}}}, '/user.json: "providers.mine.apiKey" is invalid; "providers" must be'],
    [{baseUrl: 'file:///etc'}, '/user.json: "baseUrl" is invalid; "baseUrl" must be an http or https address.'],
    [
      {permissions: {deny: ['a', 1]}},
      '/user.json: "permissions.deny.1" is invalid; "permissions" must be lists of rules',
    ],
    [{permissionMode: 'yolo'}, '/user.json: "permissionMode" is invalid; "permissionMode" must be one of default, '],
    [{env: {'A=B': '1'}}, '/user.json: "env.A=B" is invalid; "env" must be names and values of environment variables'],
  ])('what does not fit stops weft: %j', (content, message) => {
    expect(merge([file('user', content)])).toEqual({
      tag: 'failed',
      error: {kind: 'needs-user', message: expect.stringContaining(message), fix: 'Fix the file, then start again.'},
    });
  });

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        expect(['ok', 'failed']).toContain(merge([file('user', text), file('project', text)]).tag);
      }),
    );
  });
});
