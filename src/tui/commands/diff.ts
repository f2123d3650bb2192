import type {FileDiff} from '../../actions/preview.ts';
import {answerOutcome} from '../../agent/client.ts';
import {pluralize} from '../../base/clip.ts';
import {relativeTo} from '../../base/shown-path.ts';
import {faultText} from '../../domain/fault.ts';
import type {Comparison} from '../scrollback/diff-panel.ts';
import {type CommandContext, nameHint, slashCommand} from './command.ts';
import {changedFileLines} from './review.ts';

const scopes = ['session', 'start', 'git'] as const;
type DiffScope = (typeof scopes)[number];

/** The comparisons of `/diff`, in words. */
const scopeNames: Readonly<Record<DiffScope, string>> = {
  session: 'This session',
  start: 'Since its start',
  git: 'Uncommitted',
};

/** `/diff`: shows the changed files of the workspace. */
export const diffCommandWith = (show: (wanted: DiffScope, context: CommandContext) => Promise<void>) =>
  slashCommand({
    name: 'diff',
    usage: '/diff [session | start | git]',
    summary: 'Show changed files: by this session, since its start, or uncommitted',
    choices: scopes.map(value => ({value, summary: scopeNames[value]})),
    run(argument, context) {
      const wanted = scopes.find(scope => scope === (argument || 'session'));
      if (wanted === undefined)
        context.notify('warning', `Unknown comparison ${argument}. ${nameHint(argument, scopes)}`);
      else void show(wanted, context);
    },
  });

/** Reads the changed files of a scope, with paths relative to the workspace. A failure becomes the summary. */
async function readDiff(scope: DiffScope, {options, view, signal}: CommandContext): Promise<Comparison> {
  const {engine} = options;
  const name = scopeNames[scope];
  const answer =
    scope === 'git'
      ? answerOutcome(await engine.query({query: 'review', range: ''}, signal))
      : answerOutcome(await engine.query({query: 'session-changes', since: scope}, signal));
  if (answer.tag === 'failed') return {name, summary: faultText(answer.error), files: []};
  const {value} = answer;
  const count = value.files.length + value.more;
  const parts = [
    count === 0 ? 'No changes' : pluralize(count, 'changed file'),
    value.more > 0 ? `${value.more} of them not shown` : '',
    scope === 'start' && 'coverage' in value && value.coverage === 'named files'
      ? 'Only files that the session touched are known'
      : '',
  ];
  // Git names paths relative to its own folder.
  const directory = scope === 'git' || view.session.tag === 'opening' ? '' : view.session.info.directory;
  const shown = (file: FileDiff): FileDiff =>
    directory === '' ? file : {...file, path: relativeTo(file.path, directory)};
  return {name, summary: parts.filter(part => part !== '').join('. '), files: value.files.map(shown)};
}

/** Shows the changes on a separate screen. Left and Right switch what is compared. */
export async function showDiff(wanted: DiffScope, context: CommandContext): Promise<void> {
  const [{diffPanel}, lexer, ...comparisons] = await Promise.all([
    import('../scrollback/diff-panel.ts'),
    context.loadLexer(),
    ...scopes.map(scope => readDiff(scope, context)),
  ]);
  if (context.signal.aborted) return;
  const at = scopes.indexOf(wanted);
  if (comparisons.every(({files}) => files.length === 0)) context.notify('info', comparisons[at]?.summary ?? '');
  else context.openTranscript(diffPanel(comparisons, {at, lexer, home: context.frame.home}));
}

/** Prints the changes line by line, for a screen reader. */
export async function printDiff(wanted: DiffScope, context: CommandContext): Promise<void> {
  const {name, summary, files} = await readDiff(wanted, context);
  if (context.signal.aborted) return;
  context.print([`${name}: ${summary.replace(/\.$/u, '')}.`, ...files.flatMap(changedFileLines)]);
}
