import {visibleExactLine} from '../../base/visible.ts';
import {openApiKeys} from '../../app/api-keys.ts';
import {signInToChatGpt} from '../../app/chatgpt-sign-in.ts';
import {configuredProvider, modelChoice} from '../../app/choose-model.ts';
import {exitCode, type ExitCode, unwrap} from '../../app/exit-code.ts';
import {requireOutsideWeft} from '../../app/folder-trust.ts';
import {note, printError} from '../../app/output.ts';
import {contextFor} from '../../app/run-context.ts';
import {tryWay} from '../../app/try-ways.ts';
import {userPlaces} from '../../app/user-data.ts';
import type {SignInLink} from '../../extensions/mcp/oauth/sign-in.ts';
import {openLink} from '../../workspace/open-link.ts';
import {typedLines} from '../read-lines.ts';
import {onSignal} from '../signals.ts';

/** `weft login chatgpt`: signs in with a ChatGPT plan in the browser, and reports whether OpenAI answers afterwards. */
export async function loginChatGpt(): Promise<ExitCode> {
  await requireOutsideWeft('Signing in to ChatGPT');
  const stop = new AbortController();
  let end: ExitCode = exitCode.failed;
  const endWith = (code: ExitCode) => () => {
    end = code;
    stop.abort(new Error('interrupted'));
  };
  onSignal('SIGINT', endWith(exitCode.interrupted));
  onSignal('SIGTERM', endWith(exitCode.terminated));
  const signedIn = await signInToChatGpt(
    {
      apiKeys: openApiKeys(userPlaces(), process.env),
      places: userPlaces(),
      environment: process.env,
      offerLink: link => void offerLink(link),
      typedLines: typedAddresses,
    },
    stop.signal,
  );
  if (stop.signal.aborted) {
    note('stopped. You are not signed in to ChatGPT');
    return end;
  }
  note(`signed in to ChatGPT; saved in ${unwrap(signedIn)}`);
  const choice = modelChoice(contextFor({}));
  const {state, detail} = await tryWay('chatgpt', choice, {signal: stop.signal, isNamed: true});
  note(`OpenAI: ${detail}`);
  if (configuredProvider(choice) !== 'chatgpt') {
    note('use it: weft --provider chatgpt. Make it the default: weft config set provider chatgpt');
  }
  return state === 'refused' ? exitCode.failed : exitCode.done;
}

/** Shows the link and opens it in the browser. The link is always shown, because the wrong browser may open. */
async function offerLink({url, redirectUrl}: SignInLink): Promise<void> {
  note('sign in to ChatGPT:');
  printError(`\n  ${visibleExactLine(url)}\n\n`);
  const roots = [process.cwd()];
  const opened = await openLink(url, {platform: process.platform, environment: process.env, roots});
  const words = opened === 'opened' ? 'your browser is opening it; waiting' : 'open it in a browser; waiting';
  note(`${words} (5 minutes). If a page at ${redirectUrl} does not load, paste its address here.`);
}

/** Yields the lines on stdin. The right address would have ended the sign-in by the next one. */
async function* typedAddresses(signal: AbortSignal): AsyncGenerator<string> {
  for await (const line of typedLines(signal)) {
    yield line;
    if (line.trim() !== '' && !signal.aborted) note('that is not the address of this sign-in. Paste it whole');
  }
}
