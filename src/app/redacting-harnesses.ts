import type {HarnessesPort, HarnessEvent, HarnessHost} from '../actions/harness-port.ts';
import type {OutputFilter} from '../actions/ports.ts';
import {ok} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {redactDeep, type Redactor} from '../safety/secrets/redactor.ts';
import {secretFilesIn} from '../safety/secrets/secret-files.ts';

/**
 * Redacts the output of harnesses, which read files themselves, including files with secrets. Their input keeps its placeholders, because
 * weft's model wrote it.
 */
export const redactingHarnesses = (harnesses: HarnessesPort, secrets: Redactor): HarnessesPort => ({
  names: () => harnesses.names(),
  hostOf: name => harnesses.hostOf(name),
  find: signal => harnesses.find(signal),
  close: () => harnesses.close(),
  async start(request, host, signal) {
    const started = await harnesses.start(request, redactingHost(host, secrets), signal);
    if (started.tag === 'failed') return redactDeep(started, secrets);
    const run = started.value;
    return ok({...run, send: async message => redactDeep(await run.send(message), secrets)});
  },
});

const redactingHost = (host: HarnessHost, secrets: Redactor): HarnessHost => ({
  observe: redactingObserver(host.observe, secrets),
  approve: (approval, signal) => host.approve(redactDeep(approval, secrets), signal),
  ask: (questions, signal) => host.ask(redactDeep(questions, secrets), signal),
});

/** Redacts events. A secret may be split across chunks, so a possible beginning of one is held back until the next chunk or the end. */
function redactingObserver(observe: (event: HarnessEvent) => void, secrets: Redactor): (event: HarnessEvent) => void {
  let text: {readonly message: number; readonly pieces: Pieces} | undefined;
  let thinking: Pieces | undefined;
  const outputs = new Map<string, Pieces>();
  const emitText = (message: number, delta: string): void => {
    if (delta !== '') observe({event: 'text', message, delta});
  };
  const emitThinking = (delta: string): void => {
    if (delta !== '') observe({event: 'thinking', delta});
  };
  const emitOutput = (id: string, chunk: string): void => {
    if (chunk !== '') observe({event: 'tool-output', id, chunk});
  };
  const flushTexts = (): void => {
    if (text !== undefined) emitText(text.message, text.pieces.end());
    if (thinking !== undefined) emitThinking(thinking.end());
    text = undefined;
    thinking = undefined;
  };
  return event => {
    switch (event.event) {
      case 'text':
        if (text?.message !== event.message) flushTexts();
        text ??= {message: event.message, pieces: inPieces(secrets.filter())};
        return emitText(event.message, text.pieces.push(event.delta));
      case 'thinking':
        thinking ??= inPieces(secrets.filter());
        return emitThinking(thinking.push(event.delta));
      case 'tool-output': {
        const pieces = outputs.get(event.id) ?? inPieces(secrets.filter());
        outputs.set(event.id, pieces);
        return emitOutput(event.id, pieces.push(event.chunk));
      }
      case 'tool-started':
        flushTexts();
        // Learn the secrets of the files that the tool is about to read before their text arrives.
        secrets.refresh(secretFilesIn(`${event.title} ${JSON.stringify(event.input)}`));
        return observe(redactDeep(event, secrets));
      case 'tool-finished':
        emitOutput(event.id, outputs.get(event.id)?.end() ?? '');
        outputs.delete(event.id);
        return observe(redactDeep(event, secrets));
      case 'finished':
        flushTexts();
        return observe(redactDeep(event, secrets));
      case 'started':
      case 'working':
      case 'usage':
      case 'plan':
      case 'warning':
      case 'closed':
        return observe(redactDeep(event, secrets));
      default:
        return unreachable(event);
    }
  };
}

interface Pieces {
  push(text: string): string;
  end(): string;
}

function inPieces(filter: OutputFilter): Pieces {
  const decoder = new TextDecoder();
  return {
    push: text => decoder.decode(filter.push(Buffer.from(text)), {stream: true}),
    end: () => decoder.decode(filter.end()),
  };
}
