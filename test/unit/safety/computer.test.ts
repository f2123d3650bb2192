import {expect, test} from 'vitest';
import {permissionModes} from '../../../src/domain/risk.ts';
import {action, inWords, judgeOnDisk, parsedRules} from './support/judging.ts';
import {never, temporaryFolder} from '../workspace/temporary-folder.ts';

const request = action('RequestComputerUse', {task_summary: 'Fill in the form'});
const use = action('UseComputer', {actions: [{action: 'type', text: 'hello'}]});

test.each(permissionModes)('in the mode %s no rule and no mode says yes for the user', async mode => {
  using place = temporaryFolder();
  const allow = parsedRules('RequestComputerUse', 'UseComputer');
  const judge = judgeOnDisk(place.path, place.path, {rules: {allow, ask: [], deny: []}});
  const {decision, sessionApproval, reasons} = inWords(await judge.assess(request, mode, never));
  expect([decision, sessionApproval, reasons]).toEqual(
    mode === 'plan'
      ? ['deny', 'exact', ['Plan mode changes and runs nothing', expect.stringMatching(/^The agent sees/u)]]
      : [
          'ask',
          'none',
          ['The agent sees your whole screen and uses your mouse and keyboard; Esc or /computer off ends it'],
        ],
  );
});

test('after the yes, steps need no other one: but for plan mode, rules, and secrets', async () => {
  using place = temporaryFolder();
  const judge = judgeOnDisk(place.path, place.path);
  const typing = action('UseComputer', {actions: [{action: 'type', text: '[[secret:API_KEY:0123456789abcdef]]'}]});
  const denied = judgeOnDisk(place.path, place.path, {
    rules: {allow: [], ask: [], deny: parsedRules('UseComputer')},
  });
  const decisions = [
    await judge.assess(use, 'default', never),
    await judge.assess(use, 'plan', never),
    await denied.assess(use, 'bypassPermissions', never),
    await judge.assess(typing, 'default', never),
  ].map(({decision}) => decision);
  expect(decisions).toEqual(['allow', 'deny', 'deny', 'ask']);
});
