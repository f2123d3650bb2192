/** What the tests look at in a message on stdout. */
export type Message = Readonly<Record<string, unknown>>;

/** One message a line; a line that is not a JSON object fails the test. */
export const jsonLines = (stdout: string): readonly Message[] =>
  stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const value: unknown = JSON.parse(line);
      if (!isMessage(value)) throw new Error(`no object: ${line}`);
      return value;
    });

/** The result, which is the last line. */
export function resultOf(stdout: string): Message {
  const last = jsonLines(stdout).at(-1);
  if (last?.['type'] !== 'result') throw new Error(`no result at the end of:\n${stdout}`);
  return last;
}

/** `system/init`, `assistant:text`, `stream_event/message_stop`: the messages in order, by kind. */
export const kindsOf = (stdout: string): readonly string[] =>
  jsonLines(stdout).map(message => {
    const {type, subtype, event} = message;
    if (type === 'stream_event') return `stream_event/${isMessage(event) ? String(event['type']) : '?'}`;
    const content = isMessage(message['message']) ? message['message']['content'] : undefined;
    if (Array.isArray(content)) {
      const kinds = content.map((block: unknown) => (isMessage(block) ? String(block['type']) : '?'));
      return `${String(type)}:${kinds.join('+')}`;
    }
    return `${String(type)}/${String(subtype)}`;
  });

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
