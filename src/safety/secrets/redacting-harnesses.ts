import {mapEditTexts} from '../../actions/edit-texts.ts';
import type {
  HarnessAccess,
  HarnessApproval,
  HarnessesPort,
  HarnessEvent,
  HarnessHost,
} from '../../actions/harness-port.ts';
import type {FileDiff, Preview} from '../../actions/preview.ts';
import type {OutputFilter, Question} from '../../actions/ports.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {HarnessOutcome} from '../../domain/harness.ts';
import {redactFault, type Redactor} from './redactor.ts';
import {secretFilesIn} from './secret-files.ts';

/**
 * Harnesses whose words hold no secrets: they read files by themselves, also those that hold some. What weft gives them is what its model
 * wrote, with placeholders: they stay.
 */
export const redactingHarnesses = (harnesses: HarnessesPort, secrets: Redactor): HarnessesPort => ({
  names: () => harnesses.names(),
  find: signal => harnesses.find(signal),
  close: () => harnesses.close(),
  async start(request, host, signal) {
    const started = await harnesses.start(request, redactingHost(host, secrets), signal);
    if (started.tag === 'failed') return failed(redactFault(started.error, secrets));
    const run = started.value;
    return ok({
      ...run,
      async send(message) {
        const sent = await run.send(message);
        return sent.tag === 'failed' ? failed(redactFault(sent.error, secrets)) : sent;
      },
    });
  },
});

const redactingHost = (host: HarnessHost, secrets: Redactor): HarnessHost => ({
  observe: redactingObserver(host.observe, secrets),
  approve: (approval, signal) => host.approve(redactApproval(approval, secrets), signal),
  ask: (questions, signal) =>
    host.ask(
      questions.map(question => redactQuestion(question, secrets)),
      signal,
    ),
});

/** Texts come in pieces, and a secret may be divided: what may be the beginning of one is held back until the next piece, or the end. */
function redactingObserver(observe: (event: HarnessEvent) => void, secrets: Redactor): (event: HarnessEvent) => void {
  let text: {readonly message: number; readonly pieces: Pieces} | undefined;
  let thinking: Pieces | undefined;
  const outputs = new Map<string, Pieces>();
  const tellText = (message: number, delta: string): void => {
    if (delta !== '') observe({event: 'text', message, delta});
  };
  const tellThinking = (delta: string): void => {
    if (delta !== '') observe({event: 'thinking', delta});
  };
  const tellOutput = (id: string, chunk: string): void => {
    if (chunk !== '') observe({event: 'tool-output', id, chunk});
  };
  const flushTexts = (): void => {
    if (text !== undefined) tellText(text.message, text.pieces.end());
    if (thinking !== undefined) tellThinking(thinking.end());
    text = undefined;
    thinking = undefined;
  };
  return event => {
    switch (event.event) {
      case 'text':
        if (text?.message !== event.message) flushTexts();
        text ??= {message: event.message, pieces: inPieces(secrets.filter())};
        return tellText(event.message, text.pieces.push(event.delta));
      case 'thinking':
        thinking ??= inPieces(secrets.filter());
        return tellThinking(thinking.push(event.delta));
      case 'tool-output': {
        const pieces = outputs.get(event.id) ?? inPieces(secrets.filter());
        outputs.set(event.id, pieces);
        return tellOutput(event.id, pieces.push(event.chunk));
      }
      case 'tool-started':
        flushTexts();
        // What it is about to read is known before it says what stands there.
        secrets.refresh(secretFilesIn(`${event.title} ${JSON.stringify(event.input)}`));
        return observe({...event, title: secrets.redact(event.title), input: redactObject(event.input, secrets)});
      case 'tool-finished': {
        tellOutput(event.id, outputs.get(event.id)?.end() ?? '');
        outputs.delete(event.id);
        const files = event.files.map(file => ({...file, path: secrets.redact(file.path)}));
        return observe({...event, output: secrets.redact(event.output), files});
      }
      case 'plan':
        return observe({...event, steps: event.steps.map(step => ({...step, title: secrets.redact(step.title)}))});
      case 'warning':
        return observe({...event, text: secrets.redact(event.text)});
      case 'finished':
        flushTexts();
        return observe({...event, outcome: redactOutcome(event.outcome, secrets)});
      case 'closed':
        return observe({...event, reason: secrets.redact(event.reason)});
      case 'started':
      case 'working':
      case 'usage':
        return observe(event);
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

function redactOutcome(outcome: HarnessOutcome, {redact}: Redactor): HarnessOutcome {
  switch (outcome.kind) {
    case 'succeeded':
    case 'cancelled':
      return {...outcome, text: redact(outcome.text)};
    case 'failed':
      return {...outcome, text: redact(outcome.text), reason: redact(outcome.reason)};
    default:
      return unreachable(outcome);
  }
}

const redactApproval = (approval: HarnessApproval, secrets: Redactor): HarnessApproval => ({
  ...approval,
  reason: secrets.redact(approval.reason),
  access: redactAccess(approval.access, secrets),
});

function redactAccess(access: HarnessAccess, secrets: Redactor): HarnessAccess {
  const {redact} = secrets;
  switch (access.kind) {
    case 'command':
      return {...access, command: redact(access.command), paths: access.paths.map(redact)};
    case 'edit':
      return {...access, paths: access.paths.map(redact), edits: access.edits.map(edit => mapEditTexts(edit, redact))};
    case 'read':
      return {...access, paths: access.paths.map(redact)};
    case 'search':
      return {...access, text: redact(access.text), paths: access.paths.map(redact)};
    case 'web-page':
      return {...access, url: redact(access.url)};
    case 'web-query':
      return {...access, text: redact(access.text)};
    case 'own-call':
      return {
        ...access,
        input: redactObject(access.input, secrets),
        preview: redactPreview(access.preview, secrets),
      };
    case 'other':
      return {...access, title: redact(access.title), input: redactObject(access.input, secrets)};
    default:
      return unreachable(access);
  }
}

function redactPreview(preview: Preview, {redact}: Redactor): Preview {
  switch (preview.kind) {
    case 'command':
      return {...preview, command: redact(preview.command)};
    case 'arguments':
      return {...preview, text: redact(preview.text)};
    case 'diff':
    case 'changes':
      return {...preview, files: preview.files.map(file => redactDiff(file, redact))};
    case 'plan':
    case 'none':
      return preview;
    default:
      return unreachable(preview);
  }
}

const redactDiff = (file: FileDiff, redact: Redactor['redact']): FileDiff => ({
  ...file,
  path: redact(file.path),
  hunks: file.hunks.map(hunk => ({
    ...hunk,
    lines: hunk.lines.map(line => {
      const text = redact(line.text);
      // The changed words are not where they were.
      return text === line.text ? line : {...line, text, changed: []};
    }),
  })),
});

const redactQuestion = (question: Question, {redact}: Redactor): Question => ({
  ...question,
  question: redact(question.question),
  options: question.options.map(option => ({...option, description: redact(option.description)})),
});

const redactObject = (input: JsonObject, secrets: Redactor): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, redactValue(value, secrets)]));

function redactValue(value: Json, secrets: Redactor): Json {
  if (typeof value === 'string') return secrets.redact(value);
  if (isJsonList(value)) return value.map(item => redactValue(item, secrets));
  return isJsonObject(value) ? redactObject(value, secrets) : value;
}
