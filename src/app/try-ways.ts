import {pluralize} from '../base/clip.ts';
import {unreachable} from '../base/unreachable.ts';
import {rowKeyVariables} from '../domain/api-key.ts';
import {causeText, FaultError, faultText} from '../domain/fault.ts';
import {type WayFound, type WayName, wayNames, waysIn} from '../domain/ways-in.ts';
import {anthropicBase} from '../models/base-url.ts';
import {makeHttpFetch, readJson} from '../models/http-fetch.ts';
import {modelIdsIn, modelsRequest} from '../models/list-models.ts';
import {findLocalServers, usualServers} from '../models/local-servers.ts';
import {refusalWords} from '../models/refusal-words.ts';
import {
  configuredProvider,
  defaultModel,
  keySource,
  keyText,
  knownProvider,
  type ModelChoice,
  openConnection,
  providerNamed,
} from './choose-model.ts';
import {UsageError} from './exit-code.ts';
import type {Provider} from './model-access.ts';

/** Milliseconds for the free request of one way. Commands that print credentials may take ten seconds. */
const limitMs = 15_000;

/** Looks for all ways to a model, and tries those that are set up with one free request each. */
export const tryWays = (choice: ModelChoice, signal: AbortSignal): Promise<readonly WayFound[]> =>
  Promise.all(wayNames.map(name => tryWay(name, choice, {signal, isNamed: false})));

/** Tries one way. If the user has named it, weft tries it even if nothing shows that it is set up. */
export async function tryWay(
  name: WayName,
  choice: ModelChoice,
  {signal, isNamed}: {readonly signal: AbortSignal; readonly isNamed: boolean},
): Promise<WayFound> {
  const found = (state: WayFound['state'], detail: string): WayFound => ({name, state, detail});
  const until = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const {environment, keyCommand} = choice;
  const tryWith = async (provider: Provider, given: ModelChoice): Promise<WayFound> => {
    const {state, detail} = await tryProvider(provider, given, until);
    const from = await keyText(provider, given).catch(() => '');
    return found(state, from === '' ? detail : `${detail} (${from})`);
  };
  const absent = found('absent', waysIn[name].how);
  switch (name) {
    case 'anthropic':
    case 'openai':
    case 'gemini': {
      const given = {...choice, keyCommand: undefined, environment: {...environment, ANTHROPIC_AUTH_TOKEN: ''}};
      const provider = knownProvider(name, given);
      const {from} = await keySource(provider, given);
      return from === 'nowhere' ? absent : tryWith(provider, given);
    }
    case 'gateway':
      return environment['ANTHROPIC_AUTH_TOKEN']
        ? tryWith(knownProvider('anthropic', choice), {...choice, keyCommand: undefined})
        : absent;
    case 'command': {
      if (keyCommand === undefined) return absent;
      const provider = await providerNamed(keyCommand.provider ?? 'anthropic', choice);
      const {is, keyVariable} = provider;
      const others = is.kind === 'cloud' ? {} : {ANTHROPIC_AUTH_TOKEN: '', [keyVariable]: ''};
      return tryWith(provider, {...choice, environment: {...environment, ...others}});
    }
    case 'other': {
      const set = Object.entries(rowKeyVariables).flatMap(([row, variable]) => (environment[variable] ? [row] : []));
      const [first] = await Promise.all(
        set.map(async row => {
          const tried = await tryWith(await providerNamed(row, {...choice, baseUrl: undefined}), choice);
          return {...tried, detail: `${row}: ${tried.detail}`};
        }),
      );
      return first ?? absent;
    }
    case 'bedrock':
    case 'aws':
    case 'vertex':
    case 'foundry':
    case 'azure':
      return isNamed || signs[name].some(variable => environment[variable]) || configuredProvider(choice) === name
        ? tryWith(knownProvider(name, choice), choice)
        : absent;
    case 'chatgpt':
      return choice.apiKeys.kept().some(({provider}) => provider === name)
        ? tryWith(knownProvider(name, {...choice, baseUrl: undefined}), choice)
        : absent;
    case 'local': {
      const servers = await findLocalServers(usualServers, until);
      const texts = servers.map(
        ({name: server, baseUrl, models}) => `${server} at ${baseUrl}: ${pluralize(models.length, 'model')}`,
      );
      if (texts.length > 0) return found('works', texts.join('; '));
      const own = knownProvider('openai', choice);
      const hasServer = own.baseUrl !== undefined && (await keySource(own, choice)).from === 'nowhere';
      return hasServer ? tryWith(own, choice) : absent;
    }
    case 'claude':
    case 'copilot':
      return isNamed ? found('absent', `${waysIn[name].how} ${await ownAgentText(name)}`) : absent;
    default:
      return unreachable(name);
  }
}

/** Says whether weft can start the user's own agent of a plan. */
async function ownAgentText(way: 'claude' | 'copilot'): Promise<string> {
  const [{runHarnesses}, {contextFor}] = await Promise.all([import('./run-harnesses.ts'), import('./run-context.ts')]);
  const harnesses = runHarnesses(contextFor({}));
  const all = await harnesses.find(new AbortController().signal);
  await harnesses.close();
  const state = all.find(agent => agent.name === way)?.state;
  if (state === undefined || state.kind === 'missing') {
    return way === 'claude'
      ? 'Claude Code is not installed. Install it: npm install -g @anthropic-ai/claude-code.'
      : 'Add it to your settings: {"harnesses": {"copilot": {"command": "copilot", "args": ["--acp"]}}}';
  }
  if (state.kind === 'unusable') return `${way} can't be used: ${state.reason}`;
  const signedOut = state.signIn === 'signed-out' ? ' It is not signed in.' : '';
  return `${way} ${state.version} is installed.${signedOut} Ask weft: "Use the ${way} agent to …"`;
}

/** Variables that only users of a service set. */
const signs = {
  bedrock: ['AWS_BEARER_TOKEN_BEDROCK', 'ANTHROPIC_BEDROCK_BASE_URL', 'AWS_ACCESS_KEY_ID', 'AWS_PROFILE'],
  aws: ['ANTHROPIC_AWS_WORKSPACE_ID'],
  vertex: ['ANTHROPIC_VERTEX_PROJECT_ID'],
  foundry: ['ANTHROPIC_FOUNDRY_RESOURCE', 'ANTHROPIC_FOUNDRY_BASE_URL', 'ANTHROPIC_FOUNDRY_API_KEY'],
  azure: ['AZURE_OPENAI_ENDPOINT', 'AZURE_OPENAI_API_KEY'],
} as const;

type Tried = Pick<WayFound, 'state' | 'detail'>;

/** Sends a request that costs nothing: for the list of models, or to count the tokens of a word. */
async function tryProvider(provider: Provider, choice: ModelChoice, signal: AbortSignal): Promise<Tried> {
  const {dialect, is, name} = provider;
  // A gateway speaks for itself.
  const title = is.kind === 'key' ? (provider.baseUrl ?? provider.title) : provider.title;
  try {
    const opened = await openConnection(provider, choice);
    if (opened === 'no-key') return {state: 'absent', detail: `No key for ${title}.`};
    if (opened === 'locked')
      return {state: 'refused', detail: 'The keychain does not answer. Unlock it and try again.'};
    const {apiKey: key, access, baseUrl = ''} = opened;
    const send = access?.fetch ?? makeHttpFetch(choice.environment);
    // Clouds of Anthropic's kind list no models, but count tokens for free.
    if (is.kind !== 'cloud' || dialect === 'openai') {
      const {url, headers} = modelsRequest({provider: dialect, key, baseUrl});
      const response = await send(url, {headers, signal});
      if (!response.ok) return refusedBy(response, {title, key});
      const models = await modelIdsIn(response);
      return models === undefined
        ? {state: 'unproven', detail: 'answers, but not with a list of models'}
        : {state: 'works', detail: pluralize(models.length, 'model')};
    }
    const isOwn = configuredProvider(choice) === name;
    const named = await defaultModel(provider, {model: isOwn ? choice.model : undefined});
    const model = named.kind === 'named' ? named.model : '';
    const {base, query} = anthropicBase(baseUrl);
    const response = await send(`${base}/v1/messages/count_tokens${query}`, {
      method: 'POST',
      headers: {'content-type': 'application/json', 'anthropic-version': '2026-10-21'},
      body: JSON.stringify({model, messages: [{role: 'user', content: 'hi'}]}),
      signal,
    });
    if (!response.ok) return refusedBy(response, {title, key});
    const {input_tokens: one, inputTokens: other} = await readJson(response);
    return typeof (one ?? other) === 'number'
      ? {state: 'works', detail: `${model} counts tokens`}
      : {state: 'unproven', detail: 'answers, but not with a count of tokens'};
  } catch (cause) {
    if (cause instanceof FaultError) return {state: 'refused', detail: faultText(cause.fault)};
    if (cause instanceof UsageError) return {state: 'refused', detail: cause.message};
    return {
      state: 'refused',
      detail: `Can't reach ${title}: ${signal.aborted ? 'no answer in time' : causeText(cause)}.`,
    };
  }
}

async function refusedBy(
  response: Response,
  {title, key}: {readonly title: string; readonly key: string},
): Promise<Tried> {
  const {status} = response;
  const words = refusalWords(await response.text());
  const said = (key === '' ? words : words.replaceAll(key, '…')).replace(/\.$/u, '');
  const about = said === '' ? '' : `: ${said}`;
  if (status === 401 || status === 403) {
    return {state: 'refused', detail: `${title} refused the credentials (${status})${about}.`};
  }
  return {state: 'unproven', detail: `answers ${status}${about}, which proves no credentials`};
}
