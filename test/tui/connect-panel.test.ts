import {describe, expect, test} from 'vitest';
import {connectPanel, connectWithKey} from '../../src/tui/state/panels/connect.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import type {Answer} from '../../src/agent/client.ts';
import {rejected} from '../../src/domain/fault.ts';
import type {PanelQuery} from '../../src/tui/state/effect.ts';
import {initialUi} from '../../src/tui/state/ui.ts';
import type {Panel} from '../../src/tui/state/panels/panel.ts';
import {answered, insideOf, key, linesOf, opened, pressed, text} from './support/panels.tsx';

const anthropic = 'sk-ant-api03-0123456789abcdef';
const bare = 'sk-0123456789abcdef0123456789abcdef';
const paste = (pasted: string) => ({kind: 'paste', text: pasted, part: 'first'}) as const;
const panel = connectPanel({model: 'none', prompt: 'none', demo: 'offered'});
const servers = [
  {name: 'Ollama', port: 11_434, baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3:8b', 'llama3.2']},
  {name: 'vLLM', port: 8000, baseUrl: 'http://127.0.0.1:8000/v1', models: ['mistral']},
];

/** The panel after the answer to a query. */
async function followed<Name extends PanelQuery['query']>(
  open: Panel,
  request: Extract<PanelQuery, {readonly query: Name}>,
  answer: Answer<Name>,
): Promise<Panel> {
  return opened((await answered({...initialUi([], '', 'emacs'), panel: open}, request, answer)).panel);
}

const looking = {query: 'local-servers'} as const;
const found = await followed(panel, looking, ok(servers));
const asked = (provider: string, used: string) => [{do: 'query', request: {query: 'use-key', provider, key: used}}];

describe('without a model', () => {
  test('the ways, and the servers that answer', () => {
    expect(linesOf(found, {width: 70})).toEqual([
      '╭ No model yet ──────────────────────────────────────────────────────╮',
      '│ ❯ 1  Paste an API key    Anthropic, OpenAI or Gemini               │',
      '│   2  Use a local server  found Ollama on :11434, vLLM on :8000     │',
      '│   3  Watch the demo      one minute, no model needed               │',
      '│   4  Use a cloud         Bedrock, Vertex AI, Azure, or a gateway   │',
      '│   5  Use a plan          ChatGPT, Claude, or Copilot               │',
      '╰ Enter select · Esc later ──────────────────────────────────────────╯',
    ]);
  });

  test('at 40 columns', () => {
    expect(linesOf(found, {width: 39})).toEqual([
      '╭ No model yet ───────────────────────╮',
      '│ ❯ 1  Paste an API key    Anthropic… │',
      '│   2  Use a local server  found Oll… │',
      '│   3  Watch the demo      one minut… │',
      '│   4  Use a cloud         Bedrock, … │',
      '│   5  Use a plan          ChatGPT, … │',
      '╰ Enter select · Esc later ───────────╯',
    ]);
  });

  test('the demo', () => {
    expect(pressed(panel, text('3'))).toEqual({
      panel: 'none',
      effects: [{do: 'command', line: {kind: 'command', name: 'demo', argument: ''}}],
    });
  });
});

test('a cloud is tried, and the panel says what was found', async () => {
  const clouds = pressed(panel, text('4'));
  expect(insideOf(clouds.panel).join(' ')).toContain('Amazon Bedrock');
  expect(pressed(opened(clouds.panel), key('escape')).panel).toEqual(panel);
  const request = {query: 'use-way', way: 'bedrock'} as const;
  const waiting = pressed(opened(clouds.panel), text('3'));
  expect(waiting.effects).toEqual([{do: 'query', request}]);
  const refused = failed(rejected('Amazon Bedrock refused the credentials (403).'));
  const about = await followed(opened(waiting.panel), request, refused);
  expect(linesOf(about, {width: 39})).toEqual([
    '╭ Amazon Bedrock ─────────────────────╮',
    '│ Amazon Bedrock refused the          │',
    '│ credentials (403).                  │',
    '╰ Esc back ───────────────────────────╯',
  ]);
});

test('a plan: ChatGPT signs in, and the others are tried', () => {
  const plans = opened(pressed(panel, text('5')).panel);
  expect(pressed(plans, text('1'))).toEqual({
    panel: 'none',
    effects: [{do: 'command', line: {kind: 'command', name: 'login', argument: 'chatgpt'}}],
  });
  expect(pressed(plans, text('2')).effects).toEqual([{do: 'query', request: {query: 'use-way', way: 'claude'}}]);
});

describe('a key', () => {
  test('is shown as dots, says whose it is, and is used at Enter alone', () => {
    const typed = pressed(panel, key('enter'), paste(`${anthropic}\n`));
    expect(typed.effects).toEqual([]);
    expect(linesOf(typed.panel, {width: 60})).toEqual([
      '╭ Paste an API key: Anthropic ─────────────────────────────╮',
      `│ ${'•'.repeat(29)}                            │`,
      '│ Saved in your keychain, or in a file only you can read.  │',
      '│ Never shown.                                             │',
      '╰ Enter save · Esc back ───────────────────────────────────╯',
    ]);
    // A line that is full to its last cell is followed by no blank.
    expect(insideOf(typed.panel, {width: 40}).slice(1)).toEqual([
      'Saved in your keychain, or in a file',
      'only you can read. Never shown.',
    ]);
    const used = pressed(opened(typed.panel), key('enter'));
    expect(used.effects).toEqual(asked('anthropic', anthropic));
    expect(linesOf(used.panel).join('\n')).not.toContain('sk-ant');
  });

  test('pasted at once, or into the composer, needs no choice before it', () => {
    expect(pressed(panel, paste(anthropic), key('enter')).effects).toEqual(asked('anthropic', anthropic));
    const composer = connectWithKey(` ${anthropic}`, {model: 'none', prompt: 'none', demo: 'offered'});
    expect(pressed(composer, key('enter')).effects).toEqual(asked('anthropic', anthropic));
  });

  test('of a form that several companies use: whose it is, is asked', () => {
    const step = pressed(panel, paste(bare), key('enter'));
    expect(insideOf(step.panel)).toEqual(['❯ 1  Anthropic', '  2  OpenAI', '  3  Gemini']);
    expect(pressed(opened(step.panel), text('2')).effects).toEqual(asked('openai', bare));
  });

  test('that is refused: the reason stands where the next one is pasted', async () => {
    const used = opened(pressed(panel, paste(anthropic), key('enter')).panel);
    const using = {query: 'use-key', provider: 'anthropic', key: anthropic} as const;
    const refused = await followed(used, using, failed(rejected('Anthropic refused this key (401).')));
    expect(insideOf(refused)).toEqual(['', 'Anthropic refused this key (401).']);
    expect(pressed(refused, key('enter')).effects).toEqual([]);
  });

  test('is edited and given up', () => {
    const begun = pressed(panel, text('1'), paste(anthropic), key('delete-left'));
    expect(pressed(opened(begun.panel), key('enter')).effects).toEqual(asked('anthropic', anthropic.slice(0, -1)));
    expect(pressed(opened(begun.panel), key('escape')).panel).toEqual(panel);
  });
});

describe('a local server', () => {
  test('its models are a list', () => {
    const step = pressed(found, text('2'));
    expect(insideOf(step.panel)).toEqual([
      '❯ 1  qwen3:8b  Ollama :11434',
      '  2  llama3.2  Ollama :11434',
      '  3  mistral   vLLM :8000',
    ]);
    expect(pressed(opened(step.panel), key('down'), key('enter')).effects).toEqual([
      {do: 'query', request: {query: 'use-server', baseUrl: 'http://127.0.0.1:11434/v1', model: 'llama3.2'}},
    ]);
  });

  test('where none answers, it says what was tried and looks again', async () => {
    const none = await followed(panel, looking, ok([]));
    const step = pressed(none, text('2'));
    expect(step.effects).toEqual([{do: 'query', request: {query: 'local-servers'}}]);
    expect(insideOf(step.panel)).toEqual([
      '  1  Paste an API key    Anthropic, OpenAI or Gemini',
      '❯ 2  Use a local server  looking…',
      '  3  Watch the demo      one minute, no model needed',
      '  4  Use a cloud         Bedrock, Vertex AI, Azure, or a gateway',
      '  5  Use a plan          ChatGPT, Claude, or Copilot',
      'No server on :11434, :1234, :8080, or :8000. Start one and try again.',
    ]);
  });

  test('one without a model says how to get one', async () => {
    const empty = await followed(panel, looking, ok(servers.slice(0, 1).map(server => ({...server, models: []}))));
    expect(insideOf(pressed(empty, text('2')).panel).at(-1)).toBe(
      'Ollama has no models. Load one (ollama pull qwen3-coder) and try again.',
    );
  });
});
