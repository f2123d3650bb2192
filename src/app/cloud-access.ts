import {readFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {isJsonObject, type JsonObject, parseJson, textOf} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import {type CloudProvider, keyVariables, providerNames} from '../domain/api-key.ts';
import {causeText, FaultError} from '../domain/fault.ts';
import type {Access, WireRequest} from '../models/access.ts';
import {exchangeGoogleCredentials, type GoogleToken, metadataToken} from '../models/google-token.ts';
import {makeHttpFetch} from '../models/http-fetch.ts';
import type {Outcome} from '../base/outcome.ts';
import {bedrock, claudeOnAws} from './aws-access.ts';
import {chatGpt} from './chatgpt-access.ts';
import {bearerHeader, type CloudWay, gatewayToken, firstSetVariable, modelDates, keyCommandFor} from './cloud-way.ts';
import {UsageError} from './exit-code.ts';
import type {KeyIssuer} from './key-issuer.ts';
import {
  type AccessChoice,
  accessOf,
  type Credentials,
  fixedCredentials,
  headerSecrets,
  type Headers,
  issuedCredentials,
  issuerCredentials,
  type Provider,
  type ProviderConnection,
} from './model-access.ts';

/** Opens the way to the models of a cloud service. */
export function cloudConnection(provider: Provider, cloud: CloudProvider, choice: AccessChoice): ProviderConnection {
  const {baseUrl, credentials} = wayTo(cloud, choice);
  const endpoint = {name: provider.title, urlVariable: provider.urlVariable, ...credentials.endpoint};
  const access: Access = {...accessOf(provider, choice, {...credentials, endpoint}), searchesWeb: false};
  return {apiKey: '', baseUrl, access, secrets: headerSecrets(provider, choice)};
}

/** Says where the credentials come from, never their value. */
export const cloudText = (provider: CloudProvider, choice: Omit<AccessChoice, 'issuedKeys'>): string =>
  wayTo(provider, {...choice, issuedKeys: unused}).from;

const unused: AccessChoice['issuedKeys'] = {
  get: () => Promise.reject(new Error('no key is issued here')),
  onSecret: () => () => {},
};

function wayTo(provider: CloudProvider, choice: AccessChoice): CloudWay {
  switch (provider) {
    case 'bedrock':
      return bedrock(choice);
    case 'aws':
      return claudeOnAws(choice);
    case 'vertex':
      return vertex(choice);
    case 'foundry':
      return foundry(choice);
    case 'azure':
      return azure(choice);
    case 'chatgpt':
      return chatGpt(choice);
    default:
      return unreachable(provider);
  }
}

// Google Vertex AI

function vertex(choice: AccessChoice): CloudWay {
  const region = firstSetVariable(choice, 'CLOUD_ML_REGION', 'GOOGLE_CLOUD_LOCATION') || 'global';
  const defaults = applicationDefaults(choice);
  const project =
    firstSetVariable(choice, 'ANTHROPIC_VERTEX_PROJECT_ID', 'GOOGLE_CLOUD_PROJECT') ||
    defaults.text('project_id', 'quota_project_id');
  if (project === '') throw new UsageError('Name your Google Cloud project: set ANTHROPIC_VERTEX_PROJECT_ID.');
  const {credentials, from} =
    keyCommandFor('vertex', choice) ??
    (firstSetVariable(choice, 'CLAUDE_CODE_SKIP_VERTEX_AUTH') === ''
      ? googleToken(choice, defaults)
      : gatewayToken(choice));
  return {
    baseUrl: choice.baseUrl ?? `https://${vertexHost(region)}/v1`,
    credentials: {
      ...credentials,
      authorize: (request, refused, signal) =>
        credentials.authorize(toVertex(request, `projects/${project}/locations/${region}`), refused, signal),
    },
    from: `${from}, project ${project}, region ${region}`,
  };
}

function vertexHost(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  return region === 'us' || region === 'eu'
    ? `aiplatform.${region}.rep.googleapis.com`
    : `${region}-aiplatform.googleapis.com`;
}

/** Vertex has the model in the path, and the version of the API in the body. */
function toVertex(request: WireRequest, place: string): WireRequest {
  const {model: asked, ...rest}: {readonly model: string} = JSON.parse(request.body);
  const {[asked]: date} = modelDates;
  // Names of older models end with a date.
  const model = date === undefined ? asked.replace(/^(claude-.*)-(?=\d{8}$)/u, '$1@') : `${asked}@${date}`;
  const url = new URL(request.url);
  const name = encodeURIComponent(model).replaceAll('%40', '@');
  const counts = url.pathname.endsWith('/count_tokens');
  const method = counts ? 'count-tokens:rawPredict' : `${name}:streamRawPredict`;
  url.pathname = url.pathname.replace(
    /messages(?:\/count_tokens)?$/u,
    `${place}/publishers/anthropic/models/${method}`,
  );
  const version = request.headers.get('anthropic-version') ?? '';
  request.headers.delete('anthropic-version');
  return {...request, url, body: JSON.stringify({...(counts ? {model} : {}), ...rest, anthropic_version: version})};
}

interface GoogleDefaults {
  readonly credentials: JsonObject | undefined;
  readonly file: string;
  /** Returns the first text that the file has under one of these names; empty if it has none. */
  readonly text: (...names: readonly string[]) => string;
}

/** Reads the application default credentials. */
function applicationDefaults(choice: AccessChoice): GoogleDefaults {
  const named = firstSetVariable(choice, 'GOOGLE_APPLICATION_CREDENTIALS');
  const folder = firstSetVariable(choice, 'CLOUDSDK_CONFIG') || join(homedir(), '.config', 'gcloud');
  const file = named || join(folder, 'application_default_credentials.json');
  let content: string | undefined;
  try {
    content = readFileSync(file, 'utf8');
  } catch (cause) {
    if (named !== '') throw new UsageError(`Can't read GOOGLE_APPLICATION_CREDENTIALS: ${causeText(cause)}`);
  }
  const parsed = content === undefined ? undefined : parseJson(content);
  if (parsed !== undefined && (parsed.tag === 'failed' || !isJsonObject(parsed.value))) {
    throw new UsageError(`The credentials of Google Cloud in ${file} are not JSON. Sign in again: ${adcLogin}`);
  }
  const credentials = parsed?.tag === 'ok' && isJsonObject(parsed.value) ? parsed.value : undefined;
  const text = (...names: readonly string[]): string =>
    names.map(name => textOf(credentials?.[name])).find(value => value !== '') ?? '';
  return {credentials, file, text};
}

const adcLogin = 'gcloud auth application-default login';
const impersonated = 'impersonated_service_account';

/** weft renews tokens this many milliseconds before they expire. */
const spare = 300_000;
const usualKeep = 3_000_000;

function googleToken(choice: AccessChoice, {credentials, file, text}: GoogleDefaults): Omit<CloudWay, 'baseUrl'> {
  const server = providerNames.vertex;
  const send = makeHttpFetch(choice.environment);
  const billed = text('quota_project_id');
  const headersOf = (key: string): Headers => ({
    ...bearerHeader(key),
    ...(billed === '' ? {} : {'x-goog-user-project': billed}),
  });
  const issuedBy = (
    source: {readonly id: string; readonly name: string; readonly fix: string},
    get: (signal: AbortSignal) => Promise<Outcome<GoogleToken, string>>,
  ): Credentials => {
    const issuer: KeyIssuer = {
      id: source.id,
      async issue(signal) {
        const token = await get(signal);
        if (token.tag === 'failed') {
          throw new FaultError(
            {kind: 'needs-user', message: `${source.name} ${token.error.replace(/\.$/u, '')}.`, fix: source.fix},
            undefined,
          );
        }
        const {expiresInMs} = token.value;
        const keep = expiresInMs === 0 ? usualKeep : Math.min(usualKeep, expiresInMs - spare);
        return {text: token.value.token, said: '', until: Date.now() + keep};
      },
      secrets: token => [token],
    };
    return {
      ...issuerCredentials(issuer, {choice, server, headersOf, ...source}),
      endpoint: {keyVariable: 'your Google Cloud login'},
    };
  };
  const type = text('type');
  if (credentials !== undefined && type !== 'external_account' && type !== impersonated) {
    const name = `The credentials of Google Cloud in ${file}`;
    return {
      credentials: issuedBy({id: file, name, fix: `Sign in again: ${adcLogin}`}, signal =>
        exchangeGoogleCredentials(credentials, send, {signal, now: Date.now()}),
      ),
      from: `token by the credentials in ${file}`,
    };
  }
  const inCloud = firstSetVariable(choice, 'GCE_METADATA_HOST', 'K_SERVICE', 'KUBERNETES_SERVICE_HOST');
  if (inCloud !== '') {
    const host = firstSetVariable(choice, 'GCE_METADATA_HOST') || 'metadata.google.internal';
    const name = 'The credentials of this machine';
    return {
      credentials: issuedBy({id: host, name, fix: 'Give the machine a service account.'}, signal =>
        metadataToken(host, {send, signal}),
      ),
      from: `token from the metadata server ${host}`,
    };
  }
  // Only this command takes the service account that the credentials name.
  const command = `gcloud auth ${type === impersonated ? 'application-default ' : ''}print-access-token`;
  return {
    credentials: issuedCredentials(
      {
        command,
        name: `"${command}"`,
        fix: 'Sign in: gcloud auth login',
        keepMs: usualKeep,
        keyVariable: 'your gcloud login',
      },
      {choice, server, headersOf},
    ),
    from: `token by ${command}`,
  };
}

// Microsoft Azure

function foundry(choice: AccessChoice): CloudWay {
  const resource = firstSetVariable(choice, 'ANTHROPIC_FOUNDRY_RESOURCE');
  const baseUrl = choice.baseUrl ?? (resource === '' ? '' : `https://${resource}.services.ai.azure.com/anthropic`);
  if (baseUrl === '') {
    throw new UsageError('Name your Foundry resource: set ANTHROPIC_FOUNDRY_RESOURCE or ANTHROPIC_FOUNDRY_BASE_URL.');
  }
  return {baseUrl, ...microsoftKey('foundry', 'x-api-key', choice)};
}

function azure(choice: AccessChoice): CloudWay {
  const address = choice.baseUrl;
  if (address === undefined) {
    throw new UsageError('Name your Azure OpenAI resource: set AZURE_OPENAI_ENDPOINT=https://NAME.openai.azure.com');
  }
  const baseUrl = `${address.replace(/(?:\/openai(?:\/v1)?)?\/*$/u, '')}/openai/v1`;
  return {baseUrl, ...microsoftKey('azure', 'api-key', choice)};
}

function microsoftKey(provider: 'foundry' | 'azure', header: string, choice: AccessChoice): Omit<CloudWay, 'baseUrl'> {
  const variable = keyVariables[provider];
  const key = firstSetVariable(choice, variable);
  if (key !== '') {
    return {
      credentials: {...fixedCredentials({[header]: key}), endpoint: {keyVariable: variable}},
      from: `key from ${variable}`,
    };
  }
  const command = 'az account get-access-token --scope https://ai.azure.com/.default --query accessToken --output tsv';
  return (
    keyCommandFor(provider, choice) ?? {
      credentials: issuedCredentials(
        {
          command,
          name: '"az account get-access-token"',
          fix: `Sign in: az login. Or set ${variable}.`,
          keepMs: usualKeep,
          keyVariable: 'your az login',
        },
        {choice, server: providerNames[provider], headersOf: bearerHeader},
      ),
      from: 'token from az account get-access-token',
    }
  );
}
