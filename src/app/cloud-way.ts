import {type CloudProvider, providerNames} from '../domain/api-key.ts';
import {type AccessChoice, type Credentials, fixedCredentials, type Headers, keyCommandAccess} from './model-access.ts';

/** A way into a service: its address, its credentials, and their source in words. */
export interface CloudWay {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly from: string;
}

/** The dates in the names that clouds give to older models. */
export const modelDates: Readonly<Record<string, string>> = {
  'claude-opus-4-5': '20251101',
  'claude-sonnet-4-5': '20250929',
  'claude-haiku-4-5': '20251001',
  'claude-opus-4-1': '20250805',
  'claude-opus-4': '20250514',
  'claude-sonnet-4': '20250514',
};

export const bearerHeader = (key: string): Headers => ({authorization: `Bearer ${key}`});

/** The key command counts for a service only if the settings name that service. */
export function keyCommandFor(
  provider: CloudProvider,
  choice: AccessChoice,
  headersOf = bearerHeader,
): Omit<CloudWay, 'baseUrl'> | undefined {
  if (choice.keyCommand?.provider !== provider) return undefined;
  return {
    credentials: keyCommandAccess(choice, providerNames[provider], headersOf),
    from: 'key from the setting keyCommand',
  };
}

export const firstSetVariable = ({environment}: AccessChoice, ...names: readonly string[]): string =>
  names.map(name => environment[name] ?? '').find(value => value !== '') ?? '';

/** A gateway has the credentials of the service. It may want a token of its own. */
export function gatewayToken(choice: AccessChoice): Omit<CloudWay, 'baseUrl'> {
  const token = firstSetVariable(choice, 'ANTHROPIC_AUTH_TOKEN');
  return {
    credentials: {
      ...fixedCredentials(token === '' ? {} : bearerHeader(token)),
      endpoint: {keyVariable: 'ANTHROPIC_AUTH_TOKEN'},
    },
    from: token === '' ? 'no key, as the gateway has it' : 'token from ANTHROPIC_AUTH_TOKEN',
  };
}
