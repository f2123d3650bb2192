import {expect, test} from 'vitest';
import {type HarnessHost, noopHarnesses} from '../../../src/actions/harness-port.ts';

const host: HarnessHost = {
  observe: () => {},
  approve: async () => ({kind: 'denied', message: ''}),
  ask: async () => ({kind: 'unattended'}),
};

test('where there are no harnesses none can be started', async () => {
  const request = {
    harness: 'claude',
    prompt: 'hi',
    directory: '/',
    model: '',
    access: 'read-only',
    resume: 'new',
    isolation: 'none',
  } as const;
  expect(await noopHarnesses.start(request, host, new AbortController().signal)).toEqual({
    tag: 'failed',
    error: {kind: 'rejected', message: 'No harness named "claude" here.'},
  });
});
