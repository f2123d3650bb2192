import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';

/** The hosts that a rule applies to: one name or address, all names below it (`*.example.com`), or every host. */
export type DomainPattern =
  | {readonly kind: 'every-host'}
  | {readonly kind: 'host'; readonly host: string}
  | {readonly kind: 'below'; readonly host: string};

/**
 * Reads the pattern in `WebFetch(domain:example.com)`. International names become their ASCII form (`xn--…`). The error says what
 * to write.
 */
export function parseDomainPattern(text: string): Outcome<DomainPattern, string> {
  const [, given = ''] = /^domain:(.*)$/su.exec(text.trim()) ?? [];
  const name = given.trim();
  if (name === '*') return ok({kind: 'every-host'});
  const isBelow = name.startsWith('*.');
  const host = hostOf(isBelow ? name.slice(2) : name);
  return host === undefined
    ? failed('write it as domain:example.com, or domain:*.example.com for all names below')
    : ok({kind: isBelow ? 'below' : 'host', host});
}

/** Returns the name as a URL writes it, or `undefined` if the text is not exactly one name. */
function hostOf(text: string): string | undefined {
  const isAddress = /^\[[\da-f:.]+\]$/iu.test(text);
  if (text === '' || (!isAddress && /[\s/:@?#%*\\[\]]/u.test(text))) return undefined;
  const url = URL.parse(`http://${text}/`);
  const host = url?.hostname.replace(/^\[(.*)\]$/su, '$1').replace(/\.+$/u, '');
  return host === '' ? undefined : host;
}

/** True if the pattern matches a host, which is written as `readWebUrl` writes it. Names are compared label by label. */
export function matchesDomain(pattern: DomainPattern, host: string): boolean {
  switch (pattern.kind) {
    case 'every-host':
      return true;
    case 'host':
      return host === pattern.host;
    case 'below':
      return host.endsWith(`.${pattern.host}`);
    default:
      return unreachable(pattern);
  }
}
