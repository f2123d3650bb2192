import {findProgram} from '../exec/trusted-path.ts';

/** The port on the loopback of the inside behind which the proxy is. */
export const forwarderPort = 3128;

/**
 * The command behind a small forwarder: from a port of its own loopback, where programs look for an HTTP proxy, to the socket of the
 * proxy outside. socat where it is installed, else node, which takes longer to start. The command begins when the port answers, and
 * the forwarder ends with it.
 */
export function withForwarder(argv: readonly string[], socket: string): readonly string[] {
  const socat = findProgram('socat');
  const forwarder =
    socat === undefined
      ? [process.execPath, '-e', nodeForwarder, socket]
      : [socat, `TCP-LISTEN:${String(forwarderPort)},bind=127.0.0.1,fork,reuseaddr`, `UNIX-CONNECT:${socket}`];
  return ['/bin/sh', '-c', launcher, 'weft-forwarder', String(forwarder.length), ...forwarder, ...argv];
}

/** The port in the notation of /proc/net/tcp. */
const portInTable = forwarderPort.toString(16).toUpperCase().padStart(4, '0');

/**
 * `$1` is the number of words of the forwarder, then come those, then the command. Waits until the port is listened on, at most until the
 * forwarder has ended.
 */
const launcher = `
count=$1; shift
start() { env -u NODE_OPTIONS -u BASH_ENV "$@" </dev/null >/dev/null 2>&1 & }
case $count in
  3) start "$1" "$2" "$3"; shift 3 ;;
  *) start "$1" "$2" "$3" "$4"; shift 4 ;;
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
"$@"
code=$?
kill "$forwarder" 2>/dev/null
exit "$code"`;

const nodeForwarder = `
const net = require('node:net');
net.createServer({allowHalfOpen: true}, inside => {
  const outside = net.connect({path: process.argv[1], allowHalfOpen: true});
  inside.on('error', () => outside.destroy()); outside.on('error', () => inside.destroy());
  inside.pipe(outside); outside.pipe(inside);
}).listen(${String(forwarderPort)}, '127.0.0.1');`;
