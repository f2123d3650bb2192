import {expect, test} from 'vitest';
import {failed, ok} from '../../../src/base/outcome.ts';
import {explainSetting} from '../../../src/config/explain-setting.ts';
import {mergeSettings, type SettingsLayer} from '../../../src/config/merge-settings.ts';
import {
  parseSettingName,
  parseSettingValue,
  settingChoices,
  settingNames,
} from '../../../src/config/settings-schema.ts';
import {providerChoices} from '../../../src/domain/api-key.ts';

test('a harness of the settings is a part of "harnesses", and is set as one object', () => {
  const name = {key: 'harnesses', part: 'my.agent'} as const;
  expect(parseSettingName('harnesses.my.agent')).toEqual(ok(name));
  expect(parseSettingName('harnesses')).toEqual(ok({key: 'harnesses', part: ''}));
  expect(parseSettingName('harnesses.')).toEqual(failed('harnesses has no part "". Its parts: the name of a harness.'));
  expect(parseSettingValue(name, '{"command":"my-agent"}')).toEqual(ok({command: 'my-agent'}));
  expect(parseSettingValue(name, 'my-agent')).toEqual(
    failed('"my-agent" is invalid; harnesses.my.agent must be a JSON object, for example {"command": "npx"}'),
  );
});

test('only the user says how a harness starts; its part of the settings is explained so', () => {
  const layers: readonly SettingsLayer[] = [
    {source: 'user', path: '/user.json', text: '{"harnesses": {"mine": {"command": "a"}, "other": {"command": "b"}}}'},
    {source: 'project', path: '/project.json', text: '{"harnesses": {"mine": {"command": "evil"}}}'},
  ];
  const merged = mergeSettings(layers, {trust: 'trusted', userRules: []});
  if (merged.tag === 'failed') throw new Error(merged.error.message);
  const explained = (part: string) =>
    explainSetting({key: 'harnesses', part}, {layers, settings: merged.value.settings});
  const ignored = {value: {command: 'evil'}, source: 'project', path: '/project.json', state: 'left-out'};
  expect([explained('mine'), explained('other'), explained('unknown')]).toEqual([
    ok([
      {...ignored, name: 'harnesses.mine'},
      {name: 'harnesses.mine', value: {command: 'a'}, source: 'user', path: '/user.json', state: 'counts'},
    ]),
    ok([{name: 'harnesses.other', value: {command: 'b'}, source: 'user', path: '/user.json', state: 'counts'}]),
    ok([]),
  ]);
});

test('a part that is called like a method of every object is set only where a file sets it', () => {
  const layers: readonly SettingsLayer[] = [
    {source: 'user', path: '/user.json', text: '{"env": {"CI": "1"}, "mcpServers": {"files": {"command": "a"}}}'},
    {source: 'project', path: '/project.json', text: '{"env": {"toString": "set"}}'},
  ];
  const merged = mergeSettings(layers, {trust: 'trusted', userRules: []});
  if (merged.tag === 'failed') throw new Error(merged.error.message);
  const explained = (key: 'env' | 'mcpServers', part: string) =>
    explainSetting({key, part}, {layers, settings: merged.value.settings});
  expect([explained('env', 'constructor'), explained('mcpServers', 'valueOf')]).toEqual([ok([]), ok([])]);
  expect(explained('env', 'toString')).toEqual(
    ok([{name: 'env.toString', value: 'set', source: 'project', path: '/project.json', state: 'counts'}]),
  );
});

test('a setting that has a few values offers them, and any other offers none', () => {
  const choices = settingNames.flatMap(([text]) => {
    const name = parseSettingName(text);
    return name.tag === 'ok' ? [[text, settingChoices(name.value)] as const] : [];
  });
  const yesOrNo = ['true', 'false'];
  expect(Object.fromEntries(choices.filter(([, values]) => values.length > 0))).toEqual({
    accessible: yesOrNo,
    allowLocalBinding: yesOrNo,
    cacheTtl: ['5m', '1h'],
    compaction: ['ask', 'auto', 'trim', 'off'],
    effort: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    editorMode: ['emacs', 'vim'],
    loopGuard: yesOrNo,
    notify: ['off', 'bell', 'osc9'],
    permissionMode: ['default', 'acceptEdits', 'plan', 'dontAsk'],
    provider: providerChoices.filter(name => name !== 'replay'),
    sandbox: ['auto', 'native', 'bwrap', 'claude', 'codex'],
    selfReports: yesOrNo,
    theme: ['auto', 'dark', 'light', 'ansi', 'plain'],
    tui: ['inline', 'fullscreen'],
    updateCheck: ['daily', 'off'],
    verbosity: ['name', 'summary', 'full'],
  });
  expect(choices.filter(([, values]) => values.length === 0).map(([name]) => name)).toContain('model');
});
