import {unreachable} from '../../../base/unreachable.ts';
import {isSurelyKey, keyProviders, type KeyProvider, providerNames, recognizeKey} from '../../../domain/api-key.ts';
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
  /** Whether the draft is sent once a model is there. */
  readonly prompt: 'waits' | 'none';
  readonly demo: 'none' | 'offered';
}

type ConnectStage =
  /** `complaint` may be empty. */
  | {readonly stage: 'ways'; readonly row: number; readonly complaint: string}
  /** What is typed or pasted is shown as dots alone. */
  | {readonly stage: 'key'; readonly key: string; readonly complaint: string}
  | {readonly stage: 'provider'; readonly key: string; readonly picker: Picker<KeyProvider>}
  | {readonly stage: 'servers'; readonly picker: Picker<ServerModel>}
  | {readonly stage: 'waiting'; readonly on: string};

interface ServerModel {
  readonly baseUrl: string;
  readonly model: string;
}

type Way = 'key' | 'server' | 'demo';

export const lookForServers: Effect = {do: 'query', request: {query: 'local-servers'}};

/** To be opened together with `lookForServers`. */
export const connectPanel = (given: Pick<ConnectPanel, 'model' | 'prompt' | 'demo'>): ConnectPanel => ({
  panel: 'connect',
  stage: {stage: 'ways', row: 0, complaint: ''},
  servers: 'looking',
  ...given,
});

export const connectWithKey = (pasted: string, given: Parameters<typeof connectPanel>[0]): ConnectPanel =>
  at(connectPanel(given), {stage: 'key', key: oneWord(pasted), complaint: ''});

const at = (panel: ConnectPanel, stage: ConnectStage): ConnectPanel => ({...panel, stage});
const keep = (panel: ConnectPanel): PanelStep<ConnectPanel> => ({panel, effects: []});
const oneWord = (text: string): string => text.trim().replaceAll(/[\r\n]/gu, '');

export const waysOf = ({stage, servers, demo}: ConnectPanel): Picker<Way> => {
  const items = [
    {...plainItem<Way>('key', 'Paste an API key'), details: ['Anthropic or OpenAI']},
    {...plainItem<Way>('server', 'Use a local server'), details: [foundText(servers)]},
    ...(demo === 'offered'
      ? [{...plainItem<Way>('demo', 'Watch the demo'), details: ['one minute, needs no model']}]
      : []),
  ];
  const picker = openPicker({items, search: 'off', empty: '', selected: 'current'});
  return stage.stage === 'ways' ? {...picker, row: stage.row} : picker;
};

function foundText(servers: ConnectPanel['servers']): string {
  if (servers === 'looking') return 'looking…';
  if (servers.length === 0) return 'Ollama, LM Studio, llama.cpp, vLLM';
  return `found ${servers.map(({name, port}) => `${name} on :${port}`).join(', ')}`;
}

/** Whether a press at the list of ways is meant for the composer, which then takes it: somebody has begun to write a prompt. */
export const isForComposer = ({stage}: ConnectPanel, key: KeyPress): boolean =>
  stage.stage === 'ways' &&
  ((key.kind === 'text' && !/^[1-3]$/u.test(key.text)) || (key.kind === 'paste' && !isSurelyKey(key.text)));

export function pressConnect(panel: ConnectPanel, key: KeyPress): PanelStep<ConnectPanel> {
  const {stage} = panel;
  switch (stage.stage) {
    case 'ways':
      return pressWays(panel, key);
    case 'key':
      return pressKey(panel, stage, key);
    case 'provider': {
      const step = pressPicker(stage.picker, key);
      if (step.kind === 'chosen') return useKey(panel, step.value, stage.key);
      if (step.kind === 'cancelled') return keep(at(panel, {stage: 'key', key: '', complaint: ''}));
      return step.kind === 'open' ? keep(at(panel, {...stage, picker: step.picker})) : keep(panel);
    }
    case 'servers': {
      const step = pressPicker(stage.picker, key);
      if (step.kind === 'cancelled') return keep(back(panel, ''));
      if (step.kind === 'open') return keep(at(panel, {...stage, picker: step.picker}));
      if (step.kind === 'unhandled') return keep(panel);
      return {
        panel: at(panel, {stage: 'waiting', on: step.value.model}),
        effects: [{do: 'query', request: {query: 'use-server', ...step.value}}],
      };
    }
    case 'waiting':
      return key.kind === 'key' && key.name === 'escape' ? keep(back(panel, '')) : keep(panel);
    default:
      return unreachable(stage);
  }
}

const back = (panel: ConnectPanel, complaint: string): ConnectPanel => at(panel, {stage: 'ways', row: 0, complaint});

function pressWays(panel: ConnectPanel, key: KeyPress): PanelStep<ConnectPanel> {
  if (key.kind === 'paste') return keep(at(panel, {stage: 'key', key: oneWord(key.text), complaint: ''}));
  const step = pressPicker(waysOf(panel), key);
  switch (step.kind) {
    case 'open':
      return keep(at(panel, {stage: 'ways', row: step.picker.row === 'none' ? 0 : step.picker.row, complaint: ''}));
    case 'chosen':
      return chooseWay(panel, step.value);
    case 'cancelled':
      return closePanel();
    case 'unhandled':
      return keep(panel);
    default:
      return unreachable(step);
  }
}

function chooseWay(panel: ConnectPanel, way: Way): PanelStep<ConnectPanel> {
  switch (way) {
    case 'key':
      return keep(at(panel, {stage: 'key', key: '', complaint: ''}));
    case 'demo':
      return closePanel(commandEffect('demo', ''));
    case 'server': {
      const {servers} = panel;
      if (servers === 'looking') return keep(panel);
      const items = servers.flatMap(({name, port, baseUrl, models}) =>
        models.map(model => ({...plainItem({baseUrl, model}, model), details: [`${name} :${port}`]})),
      );
      if (items.length > 0) {
        return keep(
          at(panel, {stage: 'servers', picker: openPicker({items, search: 'names', empty: '', selected: 'current'})}),
        );
      }
      const [empty] = servers;
      const complaint =
        empty === undefined
          ? 'No server answers on :11434, :1234, :8080 or :8000. Start one, then choose this again.'
          : `${empty.name} has no model yet. Load one (ollama pull qwen3-coder), then choose this again.`;
      return {
        panel: {...panel, servers: 'looking', stage: {stage: 'ways', row: 1, complaint}},
        effects: [lookForServers],
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
  const typed = (text: string): PanelStep<ConnectPanel> => keep(at(panel, {stage: 'key', key: text, complaint: ''}));
  if (key.kind !== 'key') return typed(stage.key + oneWord(key.text));
  switch (key.name) {
    case 'escape':
    case 'end-of-input':
      return keep(back(panel, ''));
    case 'enter':
      return submitKey(panel, stage.key);
    default: {
      const text = deletedAtEnd(stage.key, key.name);
      return text === undefined ? keep(panel) : typed(text);
    }
  }
}

function submitKey(panel: ConnectPanel, text: string): PanelStep<ConnectPanel> {
  const complain = (complaint: string): PanelStep<ConnectPanel> => keep(at(panel, {stage: 'key', key: '', complaint}));
  const pasted = recognizeKey(text);
  switch (pasted.kind) {
    case 'key':
      return useKey(panel, pasted.provider, pasted.key);
    case 'unclear': {
      const items = keyProviders.map(provider => plainItem(provider, providerNames[provider]));
      const picker = openPicker({items, search: 'off', empty: '', selected: 'current'});
      return keep(at(panel, {stage: 'provider', key: pasted.key, picker}));
    }
    case 'other-service':
      return complain(
        `This is a key of ${pasted.service}. Leave, set OPENAI_BASE_URL=${pasted.baseUrl} and OPENAI_API_KEY, and start weft again.`,
      );
    case 'no-key':
      return complain(pasted.reason);
    default:
      return unreachable(pasted);
  }
}

const useKey = (panel: ConnectPanel, provider: KeyProvider, key: string): PanelStep<ConnectPanel> => ({
  panel: at(panel, {stage: 'waiting', on: providerNames[provider]}),
  effects: [{do: 'query', request: {query: 'use-key', provider, key}}],
});

/** What a provider or a server said against it. */
export const connectFailed = (panel: ConnectPanel, of: 'key' | 'server', complaint: string): ConnectPanel =>
  of === 'key' ? at(panel, {stage: 'key', key: '', complaint}) : back(panel, complaint);
