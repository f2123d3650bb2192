import {expect, test} from 'vitest';
import type {Approval} from '../../src/actions/agent-event.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import {noDetail} from '../../src/domain/risk.ts';
import {renderers} from '../../src/tui/scrollback/action-results.ts';
import {approvalInFull} from '../../src/tui/scrollback/approval-text.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {approval as commandApproval} from './support/stage.ts';

const frame = {theme: themeOf('plain'), width: 60, verbosity: 'summary', home: ''} as const;

test('the card says for what, for how long, what the agent then can do, and how it ends', () => {
  const approval: Approval = {
    ...commandApproval('e', ''),
    toolName: 'RequestComputerUse',
    action: actionOf('request-computer-use', {task: 'Fill in the form', minutes: 5}),
    label: 'Use the computer for 5 minutes: Fill in the form',
    preview: {kind: 'none'},
    verdict: {
      decision: 'ask',
      risk: 'external',
      reasons: [{kind: 'computer'}],
      sessionApproval: 'none',
      detail: noDetail,
    },
  };
  const text = approvalInFull(approval, frame).join(' ').replaceAll(/\s+/gu, ' ');
  expect(text).toContain('Use the computer for 5 minutes: Fill in the form');
  expect(text).toContain(
    'The agent sees your whole screen and uses your mouse and keyboard; Esc or /computer off ends it',
  );
});

test('a screenshot is told by its size and where its copy lies', () => {
  const screenshot = {
    width: 1280,
    height: 720,
    bytes: 210_400,
    screen: {width: 1920, height: 1080},
    path: '/tmp/\u001B[2Jshot.png',
    image: {kind: 'image', mediaType: 'image/png', data: 'AA=='},
  } as const;
  expect(renderers['use-computer']({steps: 1, screenshot}, frame, 'agent')).toEqual({
    rows: [],
    foot: ['screenshot 1280×720, 210.4 kB: /tmp/^[[2Jshot.png'],
  });
});
