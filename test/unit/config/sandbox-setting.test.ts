import {describe, expect, test} from 'vitest';
import {
  excludedRules,
  unsandboxedRetryOf,
  parseSettings,
  runsUnasked,
  sandboxChoice,
  type SettingsFile,
} from '../../../src/config/settings-schema.ts';

type Setting = Exclude<SettingsFile['sandbox'], undefined>;

describe('the setting "sandbox"', () => {
  test.each<[Setting, choice: string, person: string, program: string]>([
    ['auto', 'auto', 'held-changes', 'nothing'],
    ['bwrap', 'bwrap', 'held-changes', 'nothing'],
    [{enabled: false}, 'native', 'held-changes', 'nothing'],
    [{enabled: true}, 'auto', 'held-changes', 'nothing'],
    [{enabled: true, autoAllowBashIfSandboxed: true}, 'auto', 'held-changes', 'held-changes'],
    [{enabled: true, autoAllowBashIfSandboxed: false}, 'auto', 'nothing', 'nothing'],
    [{autoAllowBashIfSandboxed: true}, 'auto', 'held-changes', 'nothing'],
    [{enabled: true, autoAllowBashIfSandboxed: true, failIfUnavailable: true}, 'bwrap', 'held-changes', 'held-changes'],
  ])('%j chooses %s; a person: %s, a program: %s', (setting, choice, person, program) => {
    expect([sandboxChoice(setting), runsUnasked(setting, 'yes')]).toEqual([choice, {person, program}]);
    expect(runsUnasked(setting, 'no')).toEqual({person, program: 'nothing'});
  });

  test('a command that it excludes is any with these first words, unless it has a wildcard itself', () => {
    expect(excludedRules({excludedCommands: ['docker', 'npm run e2e:*', 'make *']})).toEqual([
      'Bash(docker:*)',
      'Bash(npm run e2e:*)',
      'Bash(make *)',
    ]);
    expect(excludedRules('auto')).toEqual([]);
  });

  test('who allows nothing outside gets a sandbox that is proven, and is never asked to leave it', () => {
    const given = {sandbox: {enabled: true, allowUnsandboxedCommands: false}} as const;
    expect(parseSettings({path: '--settings', text: JSON.stringify(given)})).toMatchObject({tag: 'ok'});
    expect([sandboxChoice(given.sandbox), unsandboxedRetryOf(given.sandbox)]).toEqual(['bwrap', 'never']);
    expect([unsandboxedRetryOf({enabled: true}), unsandboxedRetryOf('bwrap')]).toEqual(['offered', 'offered']);
  });
});
