/**
 * Whether all the words of a network client say that it talks to this machine alone: `curl localhost:3000`, `nc -z 127.0.0.1 80`. Any
 * option that is not known here, a proxy or another way to name a host makes the answer no.
 */
export function staysOnLoopback([program = '', ...given]: readonly string[]): boolean {
  const client = clients.get(program);
  if (client === undefined) return false;
  const operands: string[] = [];
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? '';
    if (!word.startsWith('-') || word === '-') operands.push(word);
    else if (client.withValue.has(word.replace(/=.*$/su, ''))) at += word.includes('=') ? 0 : 1;
    else if (!client.plain.test(word)) return false;
  }
  const hosts = client.hosts(operands);
  return hosts.length > 0 && hosts.every(isLoopback);
}

interface Client {
  /** Options that stand alone. */
  readonly plain: RegExp;
  /** Options behind which a value stands that names no host. */
  readonly withValue: ReadonlySet<string>;
  /** What of the operands names a host, as an URL or as it is. */
  readonly hosts: (operands: readonly string[]) => readonly string[];
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const curl: Client = {
  plain:
    /^(?:-[sSfLIikvgGNOJ#0-46]+|-[sSfLIikvgGN]*o.+|-[sSfLIikvgGN]*X[A-Z]+|-m\d+|--(?:silent|show-error|fail|fail-with-body|location|head|include|insecure|verbose|no-buffer|get|compressed|no-progress-meter|progress-bar|http1\.1|http2|ipv4|ipv6|retry-connrefused|retry-all-errors|max-time=\d+))$/u,
  withValue: words(
    '-X --request -H --header -d --data --data-raw --data-binary --data-urlencode --json -F --form -o --output -w --write-out -u --user -A --user-agent -b --cookie -c --cookie-jar -e --referer -m --max-time --connect-timeout --retry --retry-delay --retry-max-time -T --upload-file -sSfo -so -sSo -sfo -sLo -sSLo -fsSLo -Lo --output-dir',
  ),
  hosts: operands => operands,
};

const wget: Client = {
  plain: /^(?:-[qSvcN46]+|-[qSv]*O.+|--(?:quiet|spider|server-response|no-verbose|no-check-certificate))$/u,
  withValue: words('-O --output-document -T --timeout -t --tries --header --post-data --method --body-data -qO -U'),
  hosts: operands => operands,
};

const httpie: Client = {
  plain: /^(?:-[vhbIjFd]+|--(?:verbose|headers|body|json|form|follow|check-status|ignore-stdin|print=\w+))$/u,
  withValue: words('-o --output -a --auth --timeout -p --print'),
  hosts([first = '', second = '']) {
    const url = /^[A-Z]+$/u.test(first) ? second : first;
    return [url.startsWith(':') ? `localhost${/^:\d/u.test(url) ? url : url.slice(1)}` : url];
  },
};

const byHost: Client = {
  plain: /^-[zvnuq46]+$/u,
  withValue: words('-w -c -i -W -q -vzw -zvw -zw'),
  hosts: ([host = '']) => [host],
};

const clients: ReadonlyMap<string, Client> = new Map([
  ['curl', curl],
  ['wget', wget],
  ['http', httpie],
  ['https', httpie],
  ['httpie', httpie],
  ['nc', {...byHost, withValue: words('-w -i -W -q -vzw -zvw -zw')}],
  ['ncat', {...byHost, withValue: words('-w -i')}],
  ['netcat', {...byHost, withValue: words('-w -i')}],
  ['telnet', {...byHost, withValue: new Set()}],
  ['ping', byHost],
]);

function isLoopback(text: string): boolean {
  const url = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url)) return false;
  const {protocol, hostname, username} = new URL(url);
  return (
    /^(?:https?|wss?|ftp):$/u.test(protocol) &&
    username === '' &&
    // Clients read odd forms of addresses in ways of their own; only what is written plainly counts.
    /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])$/u.test(hostname) &&
    text.toLowerCase().includes(hostname)
  );
}
