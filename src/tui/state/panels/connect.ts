import {unreachable} from '../../../base/unreachable.ts';
import {isSurelyKey, keyProviders, type KeyProvider, providerNames, recognizeKey} from '../../../domain/api-key.ts';
import {type WayName, wayNames, waysIn} from '../../../domain/ways-in.ts';
import type {LocalServer} from '../../../domain/local-server.ts';
import {deletedAtEnd} from '../../editor/draft.ts';
import {commandEffect, type Effect} from '../effect.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {closePanel, type PanelStep, openPicker, type Picker, plainItem, pressPicker} from './picker.ts';

export interface ConnectPanel {
  readonly panel: 'connect';
  readonly stage: ConnectStage;
  readonly servers: readonly LocalServer[] | 'looking';
  readonly model: 'none' | 'some';
  /** Whether the draft is sent as soon as a model is connected. */
  readonly prompt: 'waits' | 'none';
  readonly demo: 'none' | 'offered';
}

type ConnectStage =
  /** `errorText` is an error text and may be empty. */
  | {readonly stage: 'methods'; readonly row: number; readonly errorText: string}
  /** The key is shown only as dots. */
  | {readonly stage: 'key'; readonly key: string; readonly errorText: string}
  | {readonly stage: 'provider'; readonly key: string; readonly picker: Picker<KeyProvider>}
  | {readonly stage: 'servers'; readonly picker: Picker<ServerModel>}
  /** The ways of a kind, to choose one that weft tries. */
  | {readonly stage: 'ways'; readonly picker: Picker<WayName>}
  /** Says why a way does not work, and what to do. */
  | {readonly stage: 'about'; readonly way: WayName; readonly text: string}
  | {readonly stage: 'waiting'; readonly on: string};

interface ServerModel {
  readonly baseUrl: string;
  readonly model: string;
}

type ConnectMethod = 'key' | 'server' | 'demo' | 'cloud' | 'plan';

export const findServers: Effect = {do: 'query', request: {query: 'local-servers'}};

/** Returns the panel. Open it together with the effect `findServers`. */
export const connectPanel = (given: Pick<ConnectPanel, 'model' | 'prompt' | 'demo'>): ConnectPanel => ({
  panel: 'connect',
  stage: {stage: 'methods', row: 0, errorText: ''},
  servers: 'looking',
  ...given,
});

export const connectWithKey = (pasted: string, given: Parameters<typeof connectPanel>[0]): ConnectPanel =>
  withStage(connectPanel(given), {stage: 'key', key: withoutLineBreaks(pasted), errorText: ''});

const withStage = (panel: ConnectPanel, stage: ConnectStage): ConnectPanel => ({...panel, stage});
const stay = (panel: ConnectPanel): PanelStep<ConnectPanel> => ({panel, effects: []});
const withoutLineBreaks = (text: string): string => text.trim().replaceAll(/[\r\n]/gu, '');

export const connectMethods = ({stage, servers, demo}: ConnectPanel): Picker<ConnectMethod> => {
  const items = [
    {...plainItem<ConnectMethod>('key', 'Paste an API key'), details: ['Anthropic, OpenAI or Gemini']},
    {...plainItem<ConnectMethod>('server', 'Use a local server'), details: [serversText(servers)]},
    ...(demo === 'offered'
      ? [{...plainItem<ConnectMethod>('demo', 'Watch the demo'), details: ['one minute, no model needed']}]
      : []),
    {...plainItem<ConnectMethod>('cloud', 'Use a cloud'), details: ['Bedrock, Vertex AI, Azure, or a gateway']},
    {...plainItem<ConnectMethod>('plan', 'Use a plan'), details: ['ChatGPT, Claude, or Copilot']},
  ];
  const picker = openPicker({items, search: 'off', empty: '', selected: 'current'});
  return stage.stage === 'methods' ? {...picker, row: stage.row} : picker;
};

function serversText(servers: ConnectPanel['servers']): string {
  if (servers === 'looking') return 'looking…';
  if (servers.length === 0) return 'Ollama, LM Studio, llama.cpp, vLLM';
  return `found ${servers.map(({name, port}) => `${name} on :${port}`).join(', ')}`;
}

/** True if a press on the list of methods starts a prompt. The composer then takes the press. */
export const isForComposer = ({stage}: ConnectPanel, key: KeyPress): boolean =>
  stage.stage === 'methods' &&
  ((key.kind === 'text' && !/^[1-5]$/u.test(key.text)) || (key.kind === 'paste' && !isSurelyKey(key.text)));

export function pressConnect(panel: ConnectPanel, key: KeyPress): PanelStep<ConnectPanel> {
  const {stage} = panel;
  switch (stage.stage) {
    case 'methods':
      return pressMethods(panel, key);
    case 'key':
      return pressKey(panel, stage, key);
    case 'provider': {
      const step = pressPicker(stage.picker, key);
      if (step.kind === 'chosen') return useKey(panel, step.value, stage.key);
      if (step.kind === 'cancelled') return stay(withStage(panel, {stage: 'key', key: '', errorText: ''}));
      return step.kind === 'open' ? stay(withStage(panel, {...stage, picker: step.picker})) : stay(panel);
    }
    case 'servers': {
      const step = pressPicker(stage.picker, key);
      if (step.kind === 'cancelled') return stay(back(panel, ''));
      if (step.kind === 'open') return stay(withStage(panel, {...stage, picker: step.picker}));
      if (step.kind === 'unhandled') return stay(panel);
      return {
        panel: withStage(panel, {stage: 'waiting', on: step.value.model}),
        effects: [{do: 'query', request: {query: 'use-server', ...step.value}}],
      };
    }
    case 'ways': {
      const step = pressPicker(stage.picker, key);
      if (step.kind === 'chosen') return tryWay(panel, step.value);
      if (step.kind === 'cancelled') return stay(back(panel, ''));
      return step.kind === 'open' ? stay(withStage(panel, {...stage, picker: step.picker})) : stay(panel);
    }
    case 'about':
    case 'waiting':
      return key.kind === 'key' && key.name === 'escape' ? stay(back(panel, '')) : stay(panel);
    default:
      return unreachable(stage);
  }
}

const back = (panel: ConnectPanel, errorText: string): ConnectPanel =>
  withStage(panel, {stage: 'methods', row: 0, errorText});

function pressMethods(panel: ConnectPanel, key: KeyPress): PanelStep<ConnectPanel> {
  if (key.kind === 'paste')
    return stay(withStage(panel, {stage: 'key', key: withoutLineBreaks(key.text), errorText: ''}));
  const step = pressPicker(connectMethods(panel), key);
  switch (step.kind) {
    case 'open':
      return stay(
        withStage(panel, {stage: 'methods', row: step.picker.row === 'none' ? 0 : step.picker.row, errorText: ''}),
      );
    case 'chosen':
      return chooseMethod(panel, step.value);
    case 'cancelled':
      return closePanel();
    case 'unhandled':
      return stay(panel);
    default:
      return unreachable(step);
  }
}

function chooseMethod(panel: ConnectPanel, way: ConnectMethod): PanelStep<ConnectPanel> {
  switch (way) {
    case 'key':
      return stay(withStage(panel, {stage: 'key', key: '', errorText: ''}));
    case 'cloud':
    case 'plan': {
      const items = wayNames
        .filter(name => waysIn[name].kind === way)
        .map(name => ({...plainItem(name, waysIn[name].title), details: [waysIn[name].how]}));
      const picker = openPicker({items, search: 'off', empty: '', selected: 'current'});
      return stay(withStage(panel, {stage: 'ways', picker}));
    }
    case 'demo':
      return closePanel(commandEffect('demo', ''));
    case 'server': {
      const {servers} = panel;
      if (servers === 'looking') return stay(panel);
      const items = servers.flatMap(({name, port, baseUrl, models}) =>
        models.map(model => ({...plainItem({baseUrl, model}, model), details: [`${name} :${port}`]})),
      );
      if (items.length > 0) {
        return stay(
          withStage(panel, {
            stage: 'servers',
            picker: openPicker({items, search: 'names', empty: '', selected: 'current'}),
          }),
        );
      }
      const [empty] = servers;
      const errorText =
        empty === undefined
          ? 'No server on :11434, :1234, :8080, or :8000. Start one and try again.'
          : `${empty.name} has no models. Load one (ollama pull qwen3-coder) and try again.`;
      return {
        panel: {...panel, servers: 'looking', stage: {stage: 'methods', row: 1, errorText}},
        effects: [findServers],
      };
    }
    default:
      return unreachable(way);
  }
}

function pressKey(
  panel: ConnectPanel,
  stage: Extract<ConnectStage, {stage: 'key'}>,
  key: KeyPress,
): PanelStep<ConnectPanel> {
  const typed = (text: string): PanelStep<ConnectPanel> =>
    stay(withStage(panel, {stage: 'key', key: text, errorText: ''}));
  if (key.kind !== 'key') return typed(stage.key + withoutLineBreaks(key.text));
  switch (key.name) {
    case 'escape':
    case 'end-of-input':
      return stay(back(panel, ''));
    case 'enter':
      return submitKey(panel, stage.key);
    default: {
      const text = deletedAtEnd(stage.key, key.name);
      return text === undefined ? stay(panel) : typed(text);
    }
  }
}

function submitKey(panel: ConnectPanel, text: string): PanelStep<ConnectPanel> {
  const complain = (errorText: string): PanelStep<ConnectPanel> =>
    stay(withStage(panel, {stage: 'key', key: '', errorText}));
  const pasted = recognizeKey(text);
  switch (pasted.kind) {
    case 'key':
      return useKey(panel, pasted.provider, pasted.key);
    case 'unclear': {
      const items = keyProviders.map(provider => plainItem(provider, providerNames[provider]));
      const picker = openPicker({items, search: 'off', empty: '', selected: 'current'});
      return stay(withStage(panel, {stage: 'provider', key: pasted.key, picker}));
    }
    case 'other-service':
      return complain(
        `This is a ${pasted.service} key. Exit, set OPENAI_BASE_URL=${pasted.baseUrl} and OPENAI_API_KEY, and restart weft.`,
      );
    case 'no-key':
      return complain(pasted.reason);
    default:
      return unreachable(pasted);
  }
}

const useKey = (panel: ConnectPanel, provider: KeyProvider, key: string): PanelStep<ConnectPanel> => ({
  panel: withStage(panel, {stage: 'waiting', on: providerNames[provider]}),
  effects: [{do: 'query', request: {query: 'use-key', provider, key}}],
});

/** ChatGPT needs a sign-in in the browser, whose link is a notice. weft tries the other ways as they are. */
const tryWay = (panel: ConnectPanel, way: WayName): PanelStep<ConnectPanel> =>
  way === 'chatgpt'
    ? closePanel(commandEffect('login', way))
    : {
        panel: withStage(panel, {stage: 'waiting', on: waysIn[way].title}),
        effects: [{do: 'query', request: {query: 'use-way', way}}],
      };

/** Shows the error of a provider, server or way in the panel. */
export function withConnectError(panel: ConnectPanel, of: 'key' | 'server' | WayName, text: string): ConnectPanel {
  if (of === 'key') return withStage(panel, {stage: 'key', key: '', errorText: text});
  return of === 'server' ? back(panel, text) : withStage(panel, {stage: 'about', way: of, text});
}
