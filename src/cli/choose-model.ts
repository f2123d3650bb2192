import {appendFileSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {unreachable} from '../base/unreachable.ts';
import type {ModelPort} from '../agent/ports.ts';
import {causeText, FaultError, faultText} from '../domain/fault.ts';
import type {Effort} from '../domain/model-stream.ts';
import {noModel} from './no-model.ts';
import type {providers} from './program.ts';
import {UsageError} from './usage-error.ts';

/** Where the model comes from, after flags, environment and settings. `undefined` and empty values were not given. */
export interface ModelChoice {
  readonly provider: (typeof providers)[number] | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly replay: string | undefined;
  readonly effort: Effort | undefined;
  /** The file to record the conversation into. */
  readonly record: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

export interface ChosenModel {
  readonly port: ModelPort;
  readonly model: string;
  /** `missing` when nothing is configured: the port then answers every prompt with the sentence that says so. */
  readonly state: 'ready' | 'missing';
}

/** Connects to the model that was asked for, recorded where asked; providers' modules are loaded only when chosen. */
export async function chooseModel(choice: ModelChoice, signal: AbortSignal): Promise<ChosenModel> {
  const chosen = await connect(choice, signal);
  const {record} = choice;
  if (record === undefined || chosen.state === 'missing') return chosen;
  const {recordModel} = await import('../models/record.ts');
  return {...chosen, port: recordModel(chosen.port, appendTo(record))};
}

function appendTo(file: string): (line: string) => void {
  if ((statSync(file, {throwIfNoEntry: false})?.size ?? 0) > 0) {
    throw new UsageError(`${file} is not empty. Record into a new file.`);
  }
  try {
    writeFileSync(file, '', {mode: 0o600});
  } catch (cause) {
    throw new UsageError(`The recording cannot be written: ${causeText(cause)}`);
  }
  return line => {
    try {
      appendFileSync(file, line);
    } catch (cause) {
      throw new FaultError(
        {kind: 'needs-user', message: `The recording cannot be written: ${causeText(cause)}.`, fix: ''},
        cause,
      );
    }
  };
}

/** Whether there is anything to ask; says nothing about whether it will answer. */
export const isConfigured = (choice: ModelChoice): boolean =>
  choice.replay !== undefined || choice.provider !== undefined || providerOf(choice) !== undefined;

async function connect(choice: ModelChoice, signal: AbortSignal): Promise<ChosenModel> {
  const {environment} = choice;
  const provider = choice.replay === undefined ? (choice.provider ?? providerOf(choice)) : 'replay';
  switch (provider) {
    case 'replay':
      return replay(choice);
    case 'anthropic': {
      const apiKey = environment['ANTHROPIC_API_KEY'] ?? '';
      if (apiKey === '')
        throw new UsageError('ANTHROPIC_API_KEY is not set. Set it to your key, or choose another --provider.');
      const [{connectAnthropic}, {defaultAnthropicModel}] = await Promise.all([
        import('../models/anthropic.ts'),
        import('../models/prices.ts'),
      ]);
      const baseUrl = choice.baseUrl ?? (environment['ANTHROPIC_BASE_URL'] || undefined);
      const port = connectAnthropic({
        apiKey,
        baseUrl,
        environment,
        maxOutputTokens: 'default',
        effort: choice.effort ?? 'default',
      });
      return {port, model: choice.model ?? defaultAnthropicModel, state: 'ready'};
    }
    case 'openai':
      return openAi(choice, signal);
    case undefined:
      return {port: noModel, model: choice.model ?? 'no model', state: 'missing'};
    default:
      return unreachable(provider);
  }
}

/** An address alone is taken for a server that speaks OpenAI's protocol, as most do. */
function providerOf({environment, baseUrl}: ModelChoice): 'anthropic' | 'openai' | undefined {
  if (environment['ANTHROPIC_API_KEY']) return 'anthropic';
  return environment['OPENAI_API_KEY'] || environment['OPENAI_BASE_URL'] || baseUrl ? 'openai' : undefined;
}

async function openAi(choice: ModelChoice, signal: AbortSignal): Promise<ChosenModel> {
  const {environment} = choice;
  const [{connectOpenAi, listModels}, {defaultOpenAiModel}] = await Promise.all([
    import('../models/openai.ts'),
    import('../models/prices.ts'),
  ]);
  const apiKey = environment['OPENAI_API_KEY'] || undefined;
  const baseUrl = choice.baseUrl ?? (environment['OPENAI_BASE_URL'] || undefined);
  const port = connectOpenAi({
    apiKey,
    baseUrl,
    environment,
    maxOutputTokens: 'default',
    effort: choice.effort ?? 'default',
  });
  if (choice.model !== undefined) return {port, model: choice.model, state: 'ready'};
  if (baseUrl === undefined) return {port, model: defaultOpenAiModel, state: 'ready'};
  // A server of one's own has models of its own: ask it, and take the first.
  const models = await listModels({apiKey, baseUrl, environment}, signal);
  if (models.tag === 'failed')
    throw new UsageError(`${faultText(models.error)} Or name the model with --model or WEFT_MODEL.`);
  const [first] = models.value;
  if (first === undefined) throw new UsageError(`${baseUrl} offers no model. Name one with --model or WEFT_MODEL.`);
  return {port, model: first, state: 'ready'};
}

async function replay({replay: file, model}: ModelChoice): Promise<ChosenModel> {
  if (file === undefined) throw new UsageError('The provider replay needs --replay <file>.');
  const {openReplay} = await import('../models/replay.ts');
  const opened = openReplay(readRecording(file), {variables: {}});
  if (opened.tag === 'failed') throw new UsageError(`${file}: ${faultText(opened.error)}`);
  return {port: opened.value, model: model ?? 'recording', state: 'ready'};
}

function readRecording(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`The recording cannot be read: ${causeText(cause)}`);
  }
}
