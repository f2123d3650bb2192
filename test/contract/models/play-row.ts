import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {connectGemini, connectOpenAi} from '../../../src/models/openai.ts';
import type {ModelPort} from '../../../src/domain/model-stream.ts';
import {modelTable} from '../../../src/models/model-facts.ts';
import {fail, type Answer} from '../../support/model-script.ts';
import type {ModelServer} from '../../support/model-server.ts';
import type {Row} from './refusal-row.ts';
import {refusalsOfAnthropic} from './refusals-of-anthropic.ts';
import {refusalsOfOpenAi} from './refusals-of-openai.ts';
import {refusalsOfOthers} from './refusals-of-others.ts';
import type {NoWaiting} from './run-provider.ts';

export const matrix: readonly Row[] = [...refusalsOfAnthropic, ...refusalsOfOpenAi, ...refusalsOfOthers];

export function portOf({wire, effort}: Row, server: ModelServer, clock: NoWaiting): ModelPort {
  const options = {
    apiKey: 'key',
    environment: {},
    models: modelTable({}, {efforts: {run: effort, usual: undefined, session: new Map()}}),
    cacheTtl: '5m',
    fallbacks: [],
    clock,
  } as const;
  const {anthropic, openai} = server.baseUrl;
  if (wire === 'anthropic')
    return connectAnthropic({...options, baseUrl: anthropic, cacheTtl: '5m', toolReferences: 'refused'});
  if (wire === 'gemini') return connectGemini({...options, baseUrl: openai});
  return connectOpenAi({...options, baseUrl: openai, wireApi: wire});
}

/** The refusal of a row, as the server sends it. */
export const refusalOf = ({status, headers = {}, body}: Row): Answer =>
  fail(status, {
    headers: typeof body === 'string' ? {'content-type': 'text/plain', ...headers} : headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
