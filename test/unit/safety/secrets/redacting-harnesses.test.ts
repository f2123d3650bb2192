import {expect, test} from 'vitest';
import {type HarnessEvent, type HarnessHost, noopHarnesses} from '../../../../src/actions/harness-port.ts';
import {ok} from '../../../../src/base/outcome.ts';
import {parseHarnessSessionId} from '../../../../src/domain/harness.ts';
import {redactingHarnesses} from '../../../../src/app/redacting-harnesses.ts';
import {makeRedactor} from '../../../../src/safety/secrets/redactor.ts';

const secret = 'hunter2hunter2hunter2';
const secrets = makeRedactor({
  environment: {DB_PASSWORD: secret},
  files: {inRoots: () => [], everywhere: () => []},
  key: () => new Uint8Array(32),
});
const placeholder = secrets.redact(secret);

const session = parseHarnessSessionId('s1');
const usage = {inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0};

/** What is heard of a harness that tells these events. */
async function heard(told: readonly HarnessEvent[]): Promise<readonly HarnessEvent[]> {
  const events: HarnessEvent[] = [];
  const host: HarnessHost = {
    observe: event => events.push(event),
    approve: async () => ({kind: 'allowed'}),
    ask: async () => ({kind: 'unattended'}),
  };
  const harnesses = redactingHarnesses(
    {
      ...noopHarnesses,
      async start(_request, {observe}) {
        for (const event of told) observe(event);
        if (session === undefined) throw new Error('no id');
        return ok({session, send: async () => ok('begun'), interrupt: async () => {}, dispose: async () => {}});
      },
    },
    secrets,
  );
  const request = {
    harness: 'x',
    prompt: '',
    directory: '/',
    model: '',
    access: 'read-only',
    resume: 'new',
    isolation: 'none',
  } as const;
  await harnesses.start(request, host, new AbortController().signal);
  return events;
}

test('no event holds a secret, however it is divided', async () => {
  for (let at = 0; at <= secret.length; at += 1) {
    const [first, second] = [`é ${secret.slice(0, at)}`, `${secret.slice(at)} é`];
    const events = await heard([
      {event: 'working'},
      {event: 'text', message: 1, delta: first},
      {event: 'text', message: 1, delta: second},
      {
        event: 'tool-started',
        id: 't',
        name: 'Bash',
        title: `echo ${secret}`,
        input: {command: [`echo ${secret}`]},
        access: {kind: 'read', paths: [secret]},
      },
      {event: 'tool-output', id: 't', chunk: first},
      {event: 'tool-output', id: 't', chunk: second},
      {event: 'tool-finished', id: 't', end: 'succeeded', output: secret, files: [{path: secret, change: 'added'}]},
      {event: 'thinking', delta: first},
      {event: 'thinking', delta: second},
      {event: 'plan', steps: [{title: secret, status: 'pending'}]},
      {event: 'warning', text: secret},
      {event: 'usage', used: {model: '', usage, cost: {kind: 'unknown'}}},
      {event: 'finished', outcome: {kind: 'failed', reason: secret, text: secret}},
      {event: 'closed', reason: secret},
    ]);
    expect(JSON.stringify(events)).not.toContain('hunter2');
    const joined = (kind: 'text' | 'thinking' | 'tool-output'): string =>
      events.map(event => (event.event !== kind ? '' : 'delta' in event ? event.delta : event.chunk)).join('');
    expect([joined('text'), joined('thinking'), joined('tool-output')]).toEqual(
      [0, 1, 2].map(() => `é ${placeholder} é`),
    );
    const order = events.map(({event}) => event).filter((event, index, all) => event !== all[index - 1]);
    expect(order).toEqual([
      'working',
      'text',
      'tool-started',
      'tool-output',
      'tool-finished',
      'thinking',
      'plan',
      'warning',
      'usage',
      'finished',
      'closed',
    ]);
  }
});

test('who is asked sees placeholders', async () => {
  const seen: unknown[] = [];
  const host: HarnessHost = {
    observe: () => {},
    async approve(approval) {
      seen.push(approval);
      return {kind: 'allowed'};
    },
    async ask(questions) {
      seen.push(questions);
      return {kind: 'unattended'};
    },
  };
  const harnesses = redactingHarnesses(
    {
      ...noopHarnesses,
      async start(_request, {approve, ask}, signal) {
        const edits = [{kind: 'write', path: 'a', content: secret}] as const;
        for (const access of [
          {kind: 'command', command: `echo ${secret}`, directory: '/', paths: [secret]},
          {kind: 'edit', paths: ['a'], edits},
          {kind: 'read', paths: [secret]},
          {kind: 'web-page', url: `https://x/${secret}`},
          {kind: 'web-query', text: secret},
          {kind: 'other', title: secret, input: {a: [{b: secret}]}},
        ] as const)
          await approve({id: '1', toolName: 'x', access, input: {a: secret}, reason: secret}, signal);
        const option = {label: 'a', description: secret, recommended: 'plain'} as const;
        await ask([{question: secret, header: 'x', options: [option], choice: 'one'}], signal);
        return noopHarnesses.start({..._request, harness: secret}, host, signal);
      },
    },
    secrets,
  );
  const request = {
    harness: 'x',
    prompt: '',
    directory: '/',
    model: '',
    access: 'read-only',
    resume: 'new',
    isolation: 'none',
  } as const;
  const started = await harnesses.start(request, host, new AbortController().signal);
  expect(JSON.stringify([seen, started])).not.toContain(secret);
  expect(seen[0]).toEqual({
    id: '1',
    toolName: 'x',
    access: {kind: 'command', command: `echo ${placeholder}`, directory: '/', paths: [placeholder]},
    input: {a: placeholder},
    reason: placeholder,
  });
});
