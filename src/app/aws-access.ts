import {readFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {isJsonObject, parseJson} from '../base/json.ts';
import {tryOr} from '../base/outcome.ts';
import {keyVariables} from '../domain/api-key.ts';
import type {WireRequest} from '../models/access.ts';
import {type AwsCredentials, signForAws} from '../models/aws-signature.ts';
import {bearerHeader, type CloudWay, gatewayToken, firstSetVariable, modelDates, keyCommandFor} from './cloud-way.ts';
import {UsageError} from './exit-code.ts';
import {type KeyIssuer, runKeyCommand} from './key-issuer.ts';
import {type AccessChoice, fixedCredentials} from './model-access.ts';

interface AwsPlace {
  readonly region: string;
  readonly profile: string;
}

function placeOf(choice: AccessChoice): AwsPlace {
  const profile = firstSetVariable(choice, 'AWS_PROFILE', 'AWS_DEFAULT_PROFILE');
  const region =
    firstSetVariable(choice, 'AWS_REGION', 'AWS_DEFAULT_REGION') || regionOf(profile, choice) || 'us-east-1';
  return {profile, region};
}

/** Bedrock. Claude 4.7 and newer use its Messages API, and all other models use its older API. */
export function bedrock(choice: AccessChoice): CloudWay {
  const place = placeOf(choice);
  const {region} = place;
  const runtime = `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const origin = (choice.baseUrl ?? runtime).replace(/(?:\/anthropic)?\/*$/u, '');
  const mantle = firstSetVariable(choice, 'ANTHROPIC_BEDROCK_MANTLE_BASE_URL').replace(
    /(?:\/v1(?:\/messages)?)?\/*$/u,
    '',
  );
  // An address in the flag wins over both variables.
  const isMantle =
    mantle !== '' && [undefined, choice.environment['ANTHROPIC_BEDROCK_BASE_URL']].includes(choice.baseUrl);
  const baseUrl = isMantle ? mantle : `${origin}/anthropic`;
  const service = ({href}: URL): string =>
    (isMantle && href.startsWith(mantle)) || /\/\/bedrock-mantle\./u.test(href) ? 'bedrock-mantle' : 'bedrock';
  const {credentials, from} =
    keyCommandFor('bedrock', choice) ??
    keyOf('AWS_BEARER_TOKEN_BEDROCK', choice) ??
    (firstSetVariable(choice, 'CLAUDE_CODE_SKIP_BEDROCK_AUTH') === '' ? undefined : gatewayToken(choice)) ??
    signer(choice, {...place, service});
  return {
    baseUrl,
    credentials: {
      ...credentials,
      authorize: (request, refused, signal) =>
        credentials.authorize(toBedrock(request, {region, origin}), refused, signal),
    },
    from: `${from}, region ${region}`,
  };
}

/** Anthropic's own API, with an AWS account. */
export function claudeOnAws(choice: AccessChoice): CloudWay {
  const place = placeOf(choice);
  const workspace = firstSetVariable(choice, 'ANTHROPIC_AWS_WORKSPACE_ID');
  if (workspace === '')
    throw new UsageError('Name your workspace of Claude Platform on AWS: set ANTHROPIC_AWS_WORKSPACE_ID.');
  const {credentials, from} =
    keyCommandFor('aws', choice) ??
    keyOf('ANTHROPIC_AWS_API_KEY', choice) ??
    signer(choice, {...place, service: () => 'aws-external-anthropic'});
  return {
    baseUrl: choice.baseUrl ?? `https://aws-external-anthropic.${place.region}.api.aws`,
    credentials: {
      ...credentials,
      authorize(request, refused, signal) {
        request.headers.set('anthropic-workspace-id', workspace);
        return credentials.authorize(request, refused, signal);
      },
    },
    from: `${from}, region ${place.region}`,
  };
}

function keyOf(variable: string, choice: AccessChoice): Omit<CloudWay, 'baseUrl'> | undefined {
  const key = firstSetVariable(choice, variable);
  if (key === '') return undefined;
  return {
    credentials: {...fixedCredentials(bearerHeader(key)), endpoint: {keyVariable: variable}},
    from: `key from ${variable}`,
  };
}

// Bedrock's two APIs

interface BedrockPlace {
  readonly region: string;
  readonly origin: string;
}

/** Bedrock's older API has the model in the path, and the versions of the API in the body. */
function toBedrock(request: WireRequest, {region, origin}: BedrockPlace): WireRequest {
  if (request.body === '') return request;
  const {model, stream: _, ...rest}: {readonly model: string; readonly stream?: boolean} = JSON.parse(request.body);
  const id = bedrockId(model, region);
  if (!isOlderApi(id)) {
    return id === model ? request : {...request, body: request.body.replace(JSON.stringify(model), JSON.stringify(id))};
  }
  const {headers} = request;
  const betas = headers.get('anthropic-beta');
  headers.delete('anthropic-version');
  headers.delete('anthropic-beta');
  const body = {
    ...rest,
    anthropic_version: 'bedrock-2023-05-31',
    ...(betas === null ? {} : {anthropic_beta: betas.split(',').map(beta => beta.trim())}),
  };
  const to = (path: string, content: object): WireRequest => ({
    ...request,
    url: new URL(`${origin}/model/${path}`),
    body: JSON.stringify(content),
  });
  if (request.url.pathname.endsWith('/count_tokens')) {
    const counted = Buffer.from(JSON.stringify({...body, max_tokens: 1024})).toString('base64');
    return to(`${inPath(id.replace(profilePrefix, ''))}/count-tokens`, {input: {invokeModel: {body: counted}}});
  }
  headers.set('accept', 'application/vnd.amazon.eventstream');
  return to(`${inPath(id)}/invoke-with-response-stream`, body);
}

/** AWS writes the colon of an id as it is. */
const inPath = (id: string): string => encodeURIComponent(id).replaceAll('%3A', ':');

/** An inference profile chooses among regions. */
const profilePrefix = /^[a-z-]{2,8}\.(?=anthropic\.)/u;

/** Claude 4.6 and older, ids with a version, inference profiles and ARNs. */
const isOlderApi = (id: string): boolean =>
  /^arn:|-v\d+(?::\d+)?$/u.test(id) ||
  profilePrefix.test(id) ||
  (id.startsWith('anthropic.claude-') &&
    !/claude-(?:[a-z]+-4-(?:[7-9]|\d\d)(?!\d)|[a-z]+-(?:[5-9]|\d\d)(?!\d))/u.test(id));

/** Bedrock's model names begin with the company. Names of older models end with a date and a version. */
function bedrockId(model: string, region: string): string {
  if (!model.startsWith('claude-')) return model;
  const suffix = olderSuffix(model);
  if (suffix === undefined) return `anthropic.${model}`;
  // These models answer only by an inference profile.
  const profile = /^(?:us|eu)-(?!gov)/u.exec(region)?.[0].slice(0, 2) ?? 'global';
  return `${profile}.anthropic.${model}${suffix}`;
}

function olderSuffix(model: string): string | undefined {
  if (model === 'claude-sonnet-4-6') return '';
  if (model === 'claude-opus-4-6') return '-v1';
  const {[model]: date} = modelDates;
  if (date !== undefined) return `-${date}-v1:0`;
  return /-\d{8}$/u.test(model) && isOlderApi(`anthropic.${model}`) ? '-v1:0' : undefined;
}

// Credentials of AWS

const wasRefused = (id: string, refused: WireRequest | undefined): boolean =>
  refused?.headers.get('authorization')?.includes(`Credential=${id}/`) === true;

/**
 * Signs with the keys of the environment, or with those that the `aws` program exports for the profile. If the
 * environment's keys have expired, weft takes the exported ones.
 */
function signer(
  choice: AccessChoice,
  {region, profile, service}: AwsPlace & {readonly service: (url: URL) => string},
): Omit<CloudWay, 'baseUrl'> {
  const sign = (request: WireRequest, credentials: AwsCredentials): WireRequest => {
    request.headers.delete('x-api-key');
    request.headers.delete('authorization');
    signForAws(request, {credentials, region, service: service(request.url), now: new Date()});
    return request;
  };
  const {AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN = '', ...others} = choice.environment;
  const own: AwsCredentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
  const hasOwn = own.accessKeyId !== '' && own.secretAccessKey !== '';
  let hasExpired = false;
  const option = profile === '' ? '' : ` --profile ${quoted(profile)}`;
  const command = `aws configure export-credentials${option} --format process`;
  const fix = `Sign in again: aws sso login${option}`;
  const program = '"aws configure export-credentials"';
  const issuer: KeyIssuer = {
    id: command,
    issue: signal =>
      runKeyCommand(
        {
          command,
          name: hasOwn ? `The AWS keys in AWS_ACCESS_KEY_ID have expired, and ${program}` : program,
          fix: `${fix}. Or set ${keyVariables.bedrock}.`,
          fixFor: stderr =>
            /invalid choice|\baws: .*not found/iu.test(stderr)
              ? `Install AWS CLI 2, because only that exports credentials. Or set ${keyVariables.bedrock}.`
              : '',
          // The program would export the expired keys.
          environment: hasOwn ? others : choice.environment,
          check: text => {
            const found = awsCredentials(text);
            if (found === undefined) return 'printed no credentials';
            return found.ends <= Date.now() ? 'printed credentials that have expired' : '';
          },
          until: text => (awsCredentials(text)?.ends ?? 0) - spare,
        },
        signal,
      ),
    secrets: text => {
      const found = awsCredentials(text);
      return found === undefined ? [] : [found.secretAccessKey, found.sessionToken].filter(part => part !== '');
    },
  };
  return {
    credentials: {
      async authorize(request, refused, signal) {
        hasExpired ||= wasRefused(own.accessKeyId, refused);
        if (hasOwn && !hasExpired) return sign(request, own);
        const isRefused = (text: string): boolean => wasRefused(awsCredentials(text)?.accessKeyId ?? '', refused);
        const {text} = await choice.issuedKeys.get(issuer, isRefused, signal);
        const credentials = awsCredentials(text);
        if (credentials === undefined) throw new Error('credentials were checked');
        return sign(request, credentials);
      },
      renewsAfter: ({status, text}) => status === 403 && /expired/iu.test(text) && !/signature expired/iu.test(text),
      refusedAgain: ({status}) => ({message: `The credentials of AWS have expired (${status}).`, fix: `${fix}.`}),
      endpoint: {
        keyVariable: hasOwn ? 'AWS_ACCESS_KEY_ID' : profile === '' ? 'your AWS profile' : `the AWS profile ${profile}`,
      },
    },
    from: hasOwn
      ? 'AWS keys from AWS_ACCESS_KEY_ID'
      : `AWS credentials from the aws program${profile === '' ? '' : `, profile ${profile}`}`,
  };
}

const quoted = (word: string): string =>
  /^[\w.@+-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

function awsCredentials(text: string): (AwsCredentials & {readonly ends: number}) | undefined {
  const parsed = parseJson(text);
  if (parsed.tag === 'failed' || !isJsonObject(parsed.value)) return undefined;
  const {AccessKeyId, SecretAccessKey, SessionToken, Expiration} = parsed.value;
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string') return undefined;
  const end = typeof Expiration === 'string' ? Date.parse(Expiration) : Number.NaN;
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: typeof SessionToken === 'string' ? SessionToken : '',
    ends: Number.isNaN(end) ? Date.now() + usualKeep : end,
  };
}

/** weft renews credentials this many milliseconds before they expire. */
const spare = 300_000;
/** weft keeps credentials without an expiry for this many milliseconds, plus the spare time. */
const usualKeep = 3_300_000;

/** Returns the region of the profile in AWS's own settings; empty if the profile has none. */
function regionOf(profile: string, choice: AccessChoice): string {
  const file = firstSetVariable(choice, 'AWS_CONFIG_FILE') || join(homedir(), '.aws', 'config');
  let section = '';
  for (const line of tryOr(() => readFileSync(file, 'utf8'), '').split('\n')) {
    section = /^\s*\[\s*(?:profile\s+)?([^\]]*?)\s*\]/u.exec(line)?.[1] ?? section;
    const region = /^\s*region\s*=\s*(\S+)/u.exec(line)?.[1];
    if (region !== undefined && section === (profile === '' ? 'default' : profile)) return region;
  }
  return '';
}
