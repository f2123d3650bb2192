/**
 * An extension that runs inside pi and asks weft before each call of a tool. It is not part of weft's program: pi loads this file. If
 * asking fails, pi blocks the call.
 */
// oxlint-disable-next-line import/no-default-export -- pi imports it so
export default function gate(pi: PiExtensions): void {
  pi.on('session_start', (_, {ui}) => ui.setStatus('weft', 'asks'));
  pi.on('tool_call', async ({toolCallId, toolName, input}, {ui}) => {
    const answer = await ui.input('weft', JSON.stringify({toolCallId, toolName, input}));
    return answer === 'allow' ? undefined : {block: true, reason: answer?.replace(/^deny: /u, '') ?? 'Refused.'};
  });
}

interface PiContext {
  readonly ui: {
    setStatus(key: string, text: string): void;
    /** Resolves with `undefined` if the question is cancelled. */
    input(title: string, placeholder: string): Promise<string | undefined>;
  };
}

interface PiExtensions {
  on(event: 'session_start', listener: (event: unknown, context: PiContext) => void): void;
  on(
    event: 'tool_call',
    listener: (
      event: {readonly toolCallId: string; readonly toolName: string; readonly input: unknown},
      context: PiContext,
    ) => Promise<{readonly block: true; readonly reason: string} | undefined>,
  ): void;
}
