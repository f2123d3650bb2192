import {visibleLine} from '../../base/visible.ts';
import {wrapText} from '../text/wrap.ts';
import {type CommandContext, slashCommand} from './command.ts';

interface Aside {
  readonly question: string;
  readonly answer: string;
}

/** `/btw`: asks a question beside the conversation. `show` presents the answer. */
export const asideCommandWith = (show: (aside: Aside, context: CommandContext) => Promise<void>) =>
  slashCommand({
    name: 'btw',
    usage: '/btw <question>',
    summary: 'Ask beside the conversation, also while the agent works',
    run: (question, context) => void askAside(question, context, show),
  });

async function askAside(
  question: string,
  context: CommandContext,
  show: (aside: Aside, context: CommandContext) => Promise<void>,
): Promise<void> {
  // Printed like the answer, so that both stay in order.
  if (question !== '') context.print(wrapText('  Asking beside the conversation…', ['dim'], context.frame));
  const answer = await context.runQuery({query: 'ask-aside', question});
  if (answer !== undefined) await show({question, answer}, context);
}

/** Prints the question and its answer in the scrollback. The transcript of the session has neither. */
export async function printAside({question, answer}: Aside, context: CommandContext): Promise<void> {
  const [{wholeAnswer}, lexer] = await Promise.all([import('../scrollback/entries.ts'), context.loadLexer()]);
  if (context.signal.aborted) return;
  const {frame} = context;
  context.print([
    '',
    ...wrapText(`Beside the conversation: ${visibleLine(question)}`, ['dim'], frame),
    ...wholeAnswer(answer, lexer, frame),
  ]);
}
