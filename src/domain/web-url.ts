import {type AddressScope, addressScope} from '../base/ip-address.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';

/** An address on the web, as `new URL` reads it: what is written in odd ways (`http://2130706433`) is judged as what it means. */
export interface WebUrl {
  /** Without a fragment. */
  readonly href: string;
  readonly protocol: 'http:' | 'https:';
  /** In small letters, without brackets and without full stops at its end. */
  readonly host: string;
  /** `standard` is 80 or 443. */
  readonly port: 'standard' | number;
  /** The scope that the host's text shows. The address behind a name is only known once it is connected. */
  readonly scope: AddressScope;
}

/** UTF-16 units of the longest address that is fetched. */
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

/** A host and a port of it, as a program names them that wants a connection. */
export interface HostPlace {
  readonly host: string;
  readonly port: number;
  readonly scope: AddressScope;
}

/** Reads `host:port`, in which the port is required: `example.com:443`, `[::1]:80`. The error is half a sentence. */
export function readHostPlace(text: string): Outcome<HostPlace, string> {
  const [, name = '', digits = ''] = /^(\[[\da-f:.]+\]|[^\s/:@?#%\\[\]]+):(\d{1,5})$/iu.exec(text) ?? [];
  const port = Number(digits);
  // A port of its own would be left out of the URL where it is the usual one.
  const url = name.length > longestHost || port < 1 || port > 65_535 ? null : URL.parse(`http://${name}/`);
  const host = url === null ? '' : hostOf(url);
  return host === '' ? failed("it isn't a host with a port") : ok({host, port, scope: hostScope(host)});
}

/** Characters of a name, its labels and their dots, in the form that is looked up. */
const longestHost = 253;

/** `localhost` and all below it mean this machine; any other name may be anywhere. */
function hostScope(host: string): AddressScope {
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
  return addressScope(host) ?? 'public';
}
