import {type CommandContext, slashCommand, type SlashCommand} from './command.ts';

/** The maximum number of lines that are printed at once. */
const maxLines = 200;

/** `/blame`: prints the lines of a file with their authors, in columns, or as sentences for a screen reader. */
export const blameCommandWith = (form: 'columns' | 'sentences'): SlashCommand =>
  slashCommand({
    name: 'blame',
    usage: '/blame FILE[:LINE[-LINE]]',
    summary: 'Show which prompt, call and model wrote each line of a file',
    run(target, context) {
      if (target === '') context.notify('info', 'Name a file: /blame src/a.ts, or /blame src/a.ts:12');
      else void show(target, form, context);
    },
  });

async function show(target: string, form: 'columns' | 'sentences', context: CommandContext): Promise<void> {
  const [{blameSentences, blameText}, blamed] = await Promise.all([
    import('../text/blame-text.ts'),
    context.runQuery({query: 'blame', target}),
  ]);
  if (blamed === undefined || context.signal.aborted) return;
  const {path, lines} = blamed;
  if (lines.length === 0) return context.notify('info', `${path} is empty`);
  const layout = {width: context.frame.width, now: context.options.clock.date()};
  const shown = {...blamed, lines: lines.slice(0, maxLines)};
  const more = lines[maxLines];
  const next = more === undefined ? [] : [`More: /blame ${path}:${String(more.line)}-${String(lines.at(-1)?.line)}`];
  context.print([...(form === 'columns' ? blameText(shown, layout) : blameSentences(shown, layout)), ...next]);
}
