/**
 * The network that an address belongs to. `public` is an address of the internet. `loopback` is this machine. `private`
 * is everything else: local networks, link-local addresses (including cloud metadata services), multicast and reserved
 * blocks. It includes the prefixes that carry an IPv4 address in an IPv6 one (NAT64, 6to4, Teredo), because they may
 * lead to any of these.
 */
export type AddressScope = 'public' | 'loopback' | 'private';

/**
 * Returns the scope of an IPv4 or IPv6 address in the form of `new URL` or a socket, without brackets; `undefined` if
 * the text isn't an address.
 */
export function addressScope(text: string): AddressScope | undefined {
  const four = ipv4Bytes(text);
  if (four !== undefined) return ipv4Scope(four);
  const six = ipv6Groups(text.replace(/%.*$/su, ''));
  return six === undefined ? undefined : ipv6Scope(six);
}

/** Returns the four bytes of a dotted address; `undefined` for any other text. */
function ipv4Bytes(text: string): readonly number[] | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/u.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every(byte => byte <= 255) ? bytes : undefined;
}

function ipv4Scope([a = 0, b = 0, c = 0]: readonly number[]): AddressScope {
  if (a === 127) return 'loopback';
  const isReserved =
    a === 0 ||
    a === 10 ||
    (a === 100 && b >= 64 && b <= 127) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 0 && (c === 0 || c === 2)) ||
    (a === 192 && b === 88 && c === 99) ||
    (a === 192 && b === 168) ||
    (a === 198 && (b === 18 || b === 19)) ||
    (a === 198 && b === 51 && c === 100) ||
    (a === 203 && b === 0 && c === 113) ||
    a >= 224;
  return isReserved ? 'private' : 'public';
}

/** Returns the eight groups of an IPv6 address, whose last two may be written as IPv4; `undefined` for any other text. */
function ipv6Groups(text: string): readonly number[] | undefined {
  const [, head = '', dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/su.exec(text) ?? [];
  const last = dotted === undefined ? undefined : ipv4Bytes(dotted);
  if (dotted !== undefined && last === undefined) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = last ?? [];
  const whole = last === undefined ? text : `${head}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const halves = whole.split('::');
  if (halves.length > 2 || !whole.includes(':')) return undefined;
  const [front = [], back = []] = halves.map(half => (half === '' ? [] : half.split(':')));
  const given = [...front, ...back];
  if (given.some(group => !/^[\da-f]{1,4}$/iu.test(group))) return undefined;
  const missing = 8 - given.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  return [...front, ...Array.from({length: missing}, () => '0'), ...back].map(group => Number.parseInt(group, 16));
}

function ipv6Scope(groups: readonly number[]): AddressScope {
  const [a = 0, b = 0, , , , f = 0, g = 0, h = 0] = groups;
  const leading = groups.slice(0, 5).every(group => group === 0);
  if (leading && f === 0xff_ff) return ipv4Scope([g >> 8, g & 0xff, h >> 8, h & 0xff]);
  if (leading && f === 0 && g === 0 && h === 1) return 'loopback';
  // Only 2000::/3 is assigned, and within it Teredo, ORCHID, documentation and 6to4 addresses lead elsewhere.
  if (a < 0x20_00 || a > 0x3f_ff) return 'private';
  const isSpecial =
    (a === 0x20_01 && (b < 0x02_00 || b === 0x0d_b8)) || a === 0x20_02 || (a === 0x3f_ff && b < 0x10_00);
  return isSpecial ? 'private' : 'public';
}
