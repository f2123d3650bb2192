import {type AddressScope, addressScope} from '../base/ip-address.ts';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';

/** A web address as `new URL` reads it. An unusual spelling (`http://2130706433`) is judged by what it means. */
export interface WebUrl {
  /** The address without a fragment. */
  readonly href: string;
  readonly protocol: 'http:' | 'https:';
  /** The host in lower case, without brackets and without periods at the end. */
  readonly host: string;
  /** `standard` is 80 or 443. */
  readonly port: 'standard' | number;
  /** The scope that the host's text shows. The address of a name is only known once weft connects. */
  readonly scope: AddressScope;
}

/** The length of the longest address that weft fetches, in UTF-16 units. */
const longestUrl = 4000;

/** Reads an absolute http or https address. The error is a sentence for the model. */
export function readWebUrl(text: string, base?: string): Outcome<WebUrl, string> {
  const url = URL.parse(text, base);
  if (url === null) return failed(`${JSON.stringify(text.slice(0, 200))} is not an absolute address (https://…).`);
  const {protocol} = url;
  if (protocol !== 'http:' && protocol !== 'https:') {
    return failed(`Only http and https addresses can be fetched, not ${protocol.slice(0, 40)}`);
  }
  if (url.username !== '' || url.password !== '') {
    return failed('An address with a user name or a password (user:password@) is not fetched.');
  }
  url.hash = '';
  if (url.href.length > longestUrl) return failed(`The address is longer than ${longestUrl} characters.`);
  const host = hostOf(url);
  if (host === '') return failed('The address names no host.');
  const port = url.port === '' || url.port === '80' || url.port === '443' ? 'standard' : Number(url.port);
  return ok({href: url.href, protocol, host, port, scope: hostScope(host)});
}

const hostOf = ({hostname}: URL): string =>
  hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/su, '$1')
    .replace(/\.+$/u, '');

/** Decodes the percent-encoded characters of any text. Leaves those that are not UTF-8. */
export const percentDecoded = (text: string): string =>
  text.replaceAll(/(?:%[\da-f]{2})+/giu, encoded => tryOr(() => decodeURIComponent(encoded), encoded));

/** A host and port that a program wants to connect to. */
export interface HostPlace {
  readonly host: string;
  readonly port: number;
  readonly scope: AddressScope;
}

/** Reads `host:port`: `example.com:443`, `[::1]:80`. The port is required. The error is a clause without a period. */
export function readHostPlace(text: string): Outcome<HostPlace, string> {
  const [, name = '', digits = ''] = /^(\[[\da-f:.]+\]|[^\s/:@?#%\\[\]]+):(\d{1,5})$/iu.exec(text) ?? [];
  const port = Number(digits);
  // `URL` drops a default port, so the port is parsed separately.
  const url = name.length > longestHost || port < 1 || port > 65_535 ? null : URL.parse(`http://${name}/`);
  const host = url === null ? '' : hostOf(url);
  return host === '' ? failed("it isn't a host with a port") : ok({host, port, scope: hostScope(host)});
}

/** The maximum number of characters of a host name in the form that is looked up, including dots. */
const longestHost = 253;

/** Returns the scope of a host name. `localhost` and all names below it mean this machine. Any other name may be anywhere. */
function hostScope(host: string): AddressScope {
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
  return addressScope(host) ?? 'public';
}
