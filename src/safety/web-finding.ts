import type {Access} from '../domain/access.ts';
import type {Reason} from '../domain/reason.ts';
import {noDetail} from '../domain/risk.ts';
import {readWebUrl} from '../domain/web-url.ts';
import type {Finding} from './commands/command-finding.ts';

/**
 * What reading a page or searching would do. Whatever goes out may carry something with it, so both are asked about. An address in
 * a private network is denied, and what reads from this machine or carries a secret is asked about whatever rules and modes allow.
 */
export function webFinding(
  access: Extract<Access, {kind: 'web-page' | 'web-query'}>,
  secretNames: (text: string) => readonly string[],
): Finding {
  if (access.kind === 'web-query') {
    const secrets = secretReasons(access.text, {to: {kind: 'search-engine'}, secretNames});
    return {
      decision: 'ask',
      risk: 'external',
      reasons: [{kind: 'web-query'}, ...secrets],
      target: secrets.length === 0 ? 'ordinary' : 'always-asked',
      detail: {...noDetail, rules: secrets.length === 0 ? ['WebSearch'] : []},
    };
  }
  const read = readWebUrl(access.url);
  // Such a call does not decode.
  if (read.tag === 'failed') {
    return {...found, reasons: [{kind: 'web-refused', why: read.error}], target: 'refused'};
  }
  const {host, port, scope} = read.value;
  if (scope === 'private') {
    const why = `${host} is an address of a private network`;
    return {...found, reasons: [{kind: 'web-refused', why}], target: 'refused'};
  }
  const secrets = secretReasons(access.url, {to: {kind: 'host', host}, secretNames});
  const reasons: readonly Reason[] = [
    scope === 'loopback' ? {kind: 'web-loopback', host} : {kind: 'web-page', host},
    ...(port === 'standard' ? [] : [{kind: 'web-port', port} as const]),
    ...secrets,
  ];
  if (scope === 'loopback' || secrets.length > 0) return {...found, reasons, target: 'always-asked'};
  const rules = port === 'standard' ? [`WebFetch(domain:${host.includes(':') ? `[${host}]` : host})`] : [];
  return {...found, reasons, target: 'ordinary', detail: {...noDetail, rules}};
}

const found = {decision: 'ask', risk: 'external', detail: noDetail} as const;

/** The secrets in a text, also where it is percent-encoded. */
function secretReasons(
  text: string,
  {
    to,
    secretNames,
  }: {
    readonly to: Extract<Reason, {kind: 'secret'}>['to'];
    readonly secretNames: (text: string) => readonly string[];
  },
): readonly Reason[] {
  const names = new Set([...secretNames(text), ...secretNames(decoded(text))]);
  return [...names].map((name): Reason => ({kind: 'secret', name, to}));
}

const decoded = (text: string): string =>
  text.replaceAll(/(?:%[\da-f]{2})+/giu, encoded => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
