import {chmodSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {type ChosenModel, chooseModel, keyText, type ModelChoice, providerNamed} from '../../src/app/choose-model.ts';
import {issuedKeys, openApiKeys} from '../../src/app/api-keys.ts';
import type {ModelEvent} from '../../src/domain/model-stream.ts';
import {ask, eventsOf} from './model-events.ts';

const signal = new AbortController().signal;

/** The choice of a user whose files and programs lie in `folder`; there is no keychain. */
export function choiceIn(
  folder: string,
  {
    environment,
    ...given
  }: Partial<Omit<ModelChoice, 'environment'>> & {readonly environment: Readonly<Record<string, string>>},
): ModelChoice {
  const variables = {PATH: `${folder}:/usr/bin:/bin`, ...environment};
  return {
    provider: undefined,
    providers: {},
    model: undefined,
    models: {},
    fallbackModels: {value: [], source: 'default', path: ''},
    baseUrl: undefined,
    wireApi: undefined,
    headers: {},
    keyCommand: undefined,
    replay: undefined,
    record: undefined,
    effort: undefined,
    cacheTtl: '5m',
    sessionEfforts: new Map(),
    environment: variables,
    apiKeys: openApiKeys({credentials: join(folder, 'credentials.json')}, {...variables, PATH: folder}),
    issuedKeys: issuedKeys(),
    refusals: '',
    streamIdleTimeoutMs: undefined,
    ...given,
  };
}

export const keyCommand = (command: string, more: Partial<NonNullable<ModelChoice['keyCommand']>> = {}) => ({
  command,
  ttlMs: 300_000,
  given: 'no' as const,
  provider: undefined,
  ...more,
});

/** Connects and asks the model once; returns its events. */
export async function askOnce(choice: ModelChoice): Promise<readonly ModelEvent[]> {
  const chosen = await chooseModel(choice, signal);
  return askAgain(chosen);
}

export const askAgain = (chosen: ChosenModel): Promise<readonly ModelEvent[]> =>
  eventsOf(chosen.port.stream(ask('hi', {model: chosen.model}), signal));

/** Puts a program that is a shell script into the folder. */
export function writeProgram(folder: string, name: string, script: string): void {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

export const keyTextOf = async (provider: string, choice: ModelChoice): Promise<string> =>
  keyText(await providerNamed(provider, choice), choice);
