import {failed, ok, type Outcome} from '../base/outcome.ts';
import {visibleExactLine} from '../base/visible.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import {openLink} from '../workspace/open-link.ts';
import {openApiKeys} from './api-keys.ts';
import {signInToChatGpt} from './chatgpt-sign-in.ts';
import {checkOutsideWeft} from './folder-trust.ts';
import {userPlaces} from './user-data.ts';

/** The running sign-in. A process has only one, because the sign-in needs a fixed port. */
let running: {readonly stop: AbortController; submitRedirectAddress: (address: string) => void} | undefined;

/** Signs the user in to ChatGPT during a session. Passes the link to `say` and opens it in a browser, if there is one. */
export async function signInSession(say: (line: string) => void, signal: AbortSignal): Promise<Outcome<null, Fault>> {
  const may = await checkOutsideWeft('Signing in to ChatGPT');
  if (may.tag === 'failed') return may;
  running?.stop.abort(new Error('another sign-in began'));
  const own = {stop: new AbortController(), submitRedirectAddress(_address: string) {}};
  running = own;
  try {
    const done = await signInToChatGpt(
      {
        apiKeys: openApiKeys(userPlaces(), process.env),
        places: userPlaces(),
        environment: process.env,
        offerLink({url, redirectUrl}) {
          say(`Sign in to ChatGPT: ${visibleExactLine(url)}`);
          say(`If a page at ${redirectUrl} does not load, type /login and its address.`);
          void openLink(url, {platform: process.platform, environment: process.env, roots: [process.cwd()]});
        },
        async *typedLines(until) {
          while (!until.aborted) {
            const {promise, resolve, reject} = Promise.withResolvers<string>();
            own.submitRedirectAddress = resolve;
            until.addEventListener('abort', () => reject(until.reason), {once: true});
            yield await promise;
          }
        },
      },
      AbortSignal.any([signal, own.stop.signal]),
    );
    if (done.tag === 'failed') return done;
    say(`Signed in to ChatGPT; saved in ${done.value}`);
    return ok(null);
  } finally {
    if (running === own) running = undefined;
  }
}

/** Gives the running sign-in the address of a page that did not load. */
export function submitRedirectAddress(address: string): Outcome<null, Fault> {
  if (running === undefined) return failed(rejected('No sign-in is running. Type /login chatgpt first.'));
  running.submitRedirectAddress(address);
  return ok(null);
}
