import {findProgram} from '../exec/trusted-path.ts';

/** The port of the proxy on the loopback inside the sandbox. */
export const forwarderPort = 3128;

/**
 * Wraps a command with a small forwarder from a port on the sandbox's loopback, where programs expect an HTTP proxy, to the socket of the
 * proxy outside. It is socat if installed, otherwise node, which starts more slowly. `ports` of this machine's loopback also appear
 * inside, each through a tunnel of the proxy. The command begins when the forwarder answers; the forwarder ends with the command.
 */
export function withForwarder(
  argv: readonly string[],
  {socket, ports}: {readonly socket: string; readonly ports: readonly number[]},
): readonly string[] {
  const socat = ports.length === 0 ? findProgram('socat') : undefined;
  const forwarder =
    socat === undefined
      ? [process.execPath, '-e', nodeForwarder, socket, ports.join(',')]
      : [socat, `TCP-LISTEN:${String(forwarderPort)},bind=127.0.0.1,fork,reuseaddr`, `UNIX-CONNECT:${socket}`];
  return ['/bin/sh', '-c', launcher, 'weft-forwarder', String(forwarder.length), ...forwarder, ...argv];
}

/** The port in the notation of /proc/net/tcp. */
const portInTable = forwarderPort.toString(16).toUpperCase().padStart(4, '0');

/**
 * `$1` is the number of words of the forwarder. Those words follow, and then the command. Waits until the forwarder
 * listens on the port or has ended.
 */
const launcher = `
count=$1; shift
start() { env -u NODE_OPTIONS -u BASH_ENV "$@" </dev/null >/dev/null 2>&1 & }
case $count in
  3) start "$1" "$2" "$3"; shift 3 ;;
  *) start "$1" "$2" "$3" "$4" "$5"; shift 5 ;;
esac
forwarder=$!
listens() {
  while read -r _ address _ state _; do case $address$state in *:${portInTable}0A) return 0 ;; esac; done </proc/net/tcp
  return 1
}
turns=0
until listens || [ "$turns" -ge 500 ]; do
  kill -s 0 "$forwarder" 2>/dev/null || break
  turns=$((turns + 1)); [ "$turns" -lt 20 ] || sleep 0.01
done
# A key press that ends the command leaves it to this shell to end the forwarder.
trap : INT QUIT
"$@"
code=$?
kill "$forwarder" 2>/dev/null
exit "$code"`;

const nodeForwarder = `
const net = require('node:net');
const [, socket, ports] = process.argv;
for (const signal of ['SIGINT', 'SIGQUIT']) process.on(signal, () => {});
const join = (inside, outside) => { inside.pipe(outside); outside.pipe(inside); };
const reach = inside => {
  const outside = net.connect({path: socket, allowHalfOpen: true});
  inside.on('error', () => outside.destroy()); outside.on('error', () => inside.destroy());
  return outside;
};
const serve = (port, host, onConnection) =>
  net.createServer({allowHalfOpen: true}, onConnection).on('error', () => {}).listen(port, host);
const tunnel = port => inside => {
  const outside = reach(inside);
  outside.write('CONNECT localhost:' + port + ' HTTP/1.1\\r\\n\\r\\n');
  let head = '';
  const read = bytes => {
    head += bytes.toString('latin1');
    const end = head.indexOf('\\r\\n\\r\\n');
    if (end < 0) return;
    outside.off('data', read);
    if (!head.startsWith('HTTP/1.1 200')) return void (inside.destroy(), outside.destroy());
    outside.pause();
    outside.unshift(Buffer.from(head.slice(end + 4), 'latin1'));
    join(inside, outside);
  };
  outside.on('data', read);
  outside.once('close', () => inside.destroy());
};
for (const port of ports === '' ? [] : ports.split(',').map(Number)) for (const host of ['127.0.0.1', '::1']) serve(port, host, tunnel(port));
serve(${String(forwarderPort)}, '127.0.0.1', inside => join(inside, reach(inside)));`;
