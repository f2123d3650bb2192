import type {Message} from '../domain/conversation.ts';
import type {MessageId} from '../domain/ids.ts';

/**
 * The messages without the thinking that Anthropic would not take back: that of another Claude model, since a model cannot read what
 * another one has thought, and that of the messages in `refused`.
 */
export function withoutForeignThinking(
  messages: readonly Message[],
  {model, refused}: {readonly model: string; readonly refused: ReadonlySet<MessageId>},
): readonly Message[] {
  return messages.map(message => {
    if (message.role === 'user' || !(isOtherClaude(message.model, model) || refused.has(message.id))) return message;
    return {...message, blocks: message.blocks.filter(({kind}) => kind !== 'thinking' && kind !== 'sealed-thinking')};
  });
}

/** The answers that hold thinking. */
export const thoughtful = (messages: readonly Message[]): readonly MessageId[] =>
  messages
    .filter(({blocks}) => blocks.some(({kind}) => kind === 'thinking' || kind === 'sealed-thinking'))
    .map(({id}) => id);

/** Servers may answer under a name of their own: only two names of Claude models that differ say something. */
function isOtherClaude(answered: string, asked: string): boolean {
  const [one, other] = [claudeName(answered), claudeName(asked)];
  return one !== '' && other !== '' && one !== other;
}

/** The model's name without prefix, date and version of a cloud; empty for models that are not Claude. */
const claudeName = (model: string): string =>
  /(?:^|[/.])(claude-[a-z0-9-]*?[a-z0-9])(?:[-@]20\d{6})?(?:-v\d+(?::\d+)?)?(?:\[1m\])?$/u
    .exec(model.toLowerCase().replaceAll(/(\d)\.(\d)/gu, '$1-$2'))
    ?.at(1) ?? '';
