import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {mergeSettings, type SettingsLayer} from '../../../src/config/settings.ts';
import {permissionModes} from '../../../src/domain/risk.ts';

const file = (source: 'user' | 'project' | 'local' | 'given', content: unknown): SettingsLayer => ({
  source,
  path: `/${source}.json`,
  text: typeof content === 'string' ? content : JSON.stringify(content),
});
const from = (source: string, value: unknown): object => ({value, source, path: `/${source}.json`});
const nothing = {
  model: undefined,
  provider: undefined,
  baseUrl: undefined,
  permissionMode: {value: 'default', source: 'default', path: ''},
  permissions: {allow: [], ask: [], deny: []},
  env: {},
};

describe('mergeSettings', () => {
  test('without any layer gives the defaults', () => {
    expect(mergeSettings([])).toEqual({tag: 'ok', value: {settings: nothing, warnings: []}});
    expect(mergeSettings([file('user', ' \n'), file('project', '\ufeff{}')])).toEqual({
      tag: 'ok',
      value: {settings: nothing, warnings: []},
    });
  });

  test('the strongest layer wins, rules add up, and each value tells where it came from', () => {
    expect(
      mergeSettings([
        {source: 'flags', values: {model: 'flag', permissions: {allow: ['Read']}}},
        file('local', {permissions: {deny: ['Bash(rm:*)']}}),
        file('project', {model: 'project', permissions: {ask: ['Edit']}}),
        file('user', {
          model: 'user',
          provider: 'openai',
          baseUrl: 'http://localhost:1/v1',
          permissionMode: 'acceptEdits',
          permissions: {allow: ['Grep'], deny: ['WebFetch']},
          env: {A: '1', B: '2'},
        }),
        file('given', {env: {B: '3'}}),
      ]),
    ).toEqual({
      tag: 'ok',
      value: {
        settings: {
          model: {value: 'flag', source: 'flags', path: ''},
          provider: from('user', 'openai'),
          baseUrl: from('user', 'http://localhost:1/v1'),
          permissionMode: from('user', 'acceptEdits'),
          permissions: {
            allow: [from('user', 'Grep'), {value: 'Read', source: 'flags', path: ''}],
            ask: [from('project', 'Edit')],
            deny: [from('user', 'WebFetch'), from('local', 'Bash(rm:*)')],
          },
          env: {A: from('user', '1'), B: from('given', '3')},
        },
        warnings: [],
      },
    });
  });

  for (const source of ['project', 'local'] as const) {
    test(`a ${source} file can choose no server, no variables, no permissions and no looser mode`, () => {
      const merged = mergeSettings([
        file(source, {
          model: 'm',
          baseUrl: 'https://evil.example',
          provider: 'openai',
          env: {PATH: '/evil'},
          permissionMode: 'bypassPermissions',
          permissions: {allow: ['Bash'], deny: ['Read(.env)']},
        }),
      ]);
      expect(merged).toMatchObject({
        tag: 'ok',
        value: {
          settings: {
            ...nothing,
            model: from(source, 'm'),
            permissions: {allow: [], ask: [], deny: [from(source, 'Read(.env)')]},
          },
        },
      });
      const warnings = merged.tag === 'ok' ? merged.value.warnings : [];
      expect(warnings.map(warning => /^\/\w+\.json: "([\w.]+)" is ignored: /u.exec(warning)?.[1])).toEqual([
        'baseUrl',
        'provider',
        'env',
        'permissions.allow',
        'permissionMode',
      ]);
    });
  }

  test('a project may be stricter than the user, never looser, whatever comes after', () => {
    const strictness = ['bypassPermissions', 'acceptEdits', 'default', 'dontAsk', 'plan'];
    fc.assert(
      fc.property(
        fc.constantFrom(...permissionModes),
        fc.constantFrom(...permissionModes),
        fc.constantFrom(...permissionModes),
        (user, project, local) => {
          const merged = mergeSettings([
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
    expect(mergeSettings([file('user', {$schema: 'x', modle: 'm', verbosity: 3, permissions: {denny: []}})])).toEqual({
      tag: 'ok',
      value: {
        settings: nothing,
        warnings: [
          '/user.json: "modle" is not a setting and is ignored. Did you mean "model"?',
          '/user.json: "verbosity" is not a setting and is ignored.',
          '/user.json: "permissions.denny" is not a setting and is ignored. Did you mean "permissions.deny"?',
        ],
      },
    });
  });

  test.each([
    ['{"model": ', '/user.json is not JSON: '],
    ['[]', '/user.json must hold one JSON object.'],
    [{model: 3}, '/user.json: "model" does not fit; "model" must be the name of a model.'],
    [{baseUrl: 'file:///etc'}, '/user.json: "baseUrl" does not fit; "baseUrl" must be an http or https address.'],
    [
      {permissions: {deny: ['a', 1]}},
      '/user.json: "permissions.deny.1" does not fit; "permissions" must be lists of rules',
    ],
    [{permissionMode: 'yolo'}, '/user.json: "permissionMode" does not fit; "permissionMode" must be one of default, '],
    [{env: {'A=B': '1'}}, '/user.json: "env.A=B" does not fit; "env" must be names of environment variables'],
  ])('what does not fit stops weft: %j', (content, message) => {
    expect(mergeSettings([file('user', content)])).toEqual({
      tag: 'failed',
      error: {kind: 'needs-user', message: expect.stringContaining(message), fix: 'Mend the file, then start again.'},
    });
  });

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        expect(['ok', 'failed']).toContain(mergeSettings([file('user', text), file('project', text)]).tag);
      }),
    );
  });
});
