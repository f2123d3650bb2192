import {isGoing} from '../../actions/block-text.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import {
  type CompactionPreview,
  compactionPreviewWarnings,
  compactionQuestion,
  compactionTokensText,
  compactionUndoHint,
  countedPartTexts,
  summaryCostText,
} from '../../domain/compaction.ts';
import {rewindReportText} from '../../domain/rewind.ts';
import type {PressContext} from '../state/effect.ts';
import {type BlocksPanel, blockStateLabel} from '../state/panels/blocks.ts';
import {type Panel, pressPanel} from '../state/panels/panel.ts';
import type {Picker} from '../state/panels/picker.ts';
import {blockKeys, type KeyPress} from '../terminal/keymap.ts';
import {type AnswerStep, askAgain, askNext, isBack, isNo, type LineQuestion, numberedChoice} from './line-question.ts';
import {plainLabel, plainTextLine, sentences} from './spoken-entry.ts';

/** A panel as a question in lines; its own press functions say what an answer does. */
export function panelQuestion(panel: Panel, context: () => PressContext): LineQuestion {
  if (panel.panel === 'blocks') return blocksQuestion(panel, context);
  if ('picker' in panel) return pickerQuestion(panel, context);
  return confirmQuestion(panel, context);
}

/** What the panel does with keys, as if the first of them were pressed alone. */
function pressed(panel: Panel, keys: readonly KeyPress[], context: PressContext): AnswerStep | 'nothing' {
  let step: ReturnType<typeof pressPanel> = {panel, effects: []};
  for (const key of keys) if (step.panel !== 'none') step = pressPanel(step.panel, key, context);
  if (step.panel === 'none') return {next: 'closed', say: [], effects: step.effects};
  return step.panel === panel && step.effects.length === 0
    ? 'nothing'
    : {...askNext(panelQuestion(step.panel, () => context)), effects: step.effects};
}

const key = (name: 'top' | 'down' | 'enter' | 'escape'): KeyPress => ({kind: 'key', name});

const backSaying = (say: string, panel: Panel, context: PressContext): AnswerStep => {
  const step = pressed(panel, [key('escape')], context);
  return step === 'nothing' ? {next: 'closed', say: [say], effects: []} : {...step, say: [say]};
};

const rowsShown = 20;

function pickerQuestion(panel: Panel & {readonly picker: Picker<unknown>}, context: () => PressContext): LineQuestion {
  const {matching, status} = panel.picker;
  if (matching.length === 0) return {lines: [status.text], answer: () => backSaying('', panel, context())};
  const shown = matching.slice(0, rowsShown);
  const rest = matching.length - shown.length;
  const rows = shown.map(({label, details, letter, mark}) =>
    [letter === '' ? plainLabel(label) : `${plainLabel(label)} (${letter})`, ...details, mark === 'none' ? '' : mark]
      .filter(text => text !== '')
      .join(', '),
  );
  const ask = `Type a number and Enter${rest > 0 ? `, words to search ${rest} more` : ''}, or 0 to go back.`;
  const choice = numberedChoice(
    {title: panel.panel === 'choice' ? `${panel.title}:` : (titles.get(panel.panel) ?? 'Choose one:'), rows, ask},
    row => {
      const step = pressed(
        panel,
        [key('top'), ...Array.from({length: row}, () => key('down')), key('enter')],
        context(),
      );
      return step === 'nothing' ? askAgain(ask) : step;
    },
  );
  return {
    ...choice,
    answer(line) {
      if (isBack(line)) return backSaying('Nothing was chosen.', panel, context());
      if (line === '' || /^\d+$/u.test(line)) return choice.answer(line);
      const step = pressed(panel, [{kind: 'text', text: line}], context());
      return step === 'nothing' ? choice.answer(line) : step;
    },
  };
}

const titles: ReadonlyMap<string, string> = new Map([
  ['sessions', 'Resume a session:'],
  ['rewind', 'Rewind to before:'],
  ['history', 'Earlier prompts:'],
  ['agent', 'The sub-agent:'],
]);

/** Yes is never a key that is pressed by accident: an empty line does nothing. */
function confirmQuestion(panel: Panel, context: () => PressContext): LineQuestion {
  const keys = confirmKeys(panel);
  return {
    lines: [...confirmLines(panel, context()), keys],
    answer(line) {
      const word = line.toLowerCase();
      if (isBack(line) || isNo(line)) return backSaying('Nothing was done.', panel, context());
      const text = word === '1' || word === 'yes' ? 'y' : word;
      const step = text === '' ? 'nothing' : pressed(panel, [{kind: 'text', text}], context());
      return step === 'nothing' ? askAgain(`Nothing was done. ${keys}`) : step;
    },
  };
}

const confirmKeys = (panel: Panel): string =>
  panel.panel === 'confirm'
    ? `y ${panel.does}, n cancel${panel.other === 'none' ? '' : `, ${panel.other.letter} ${panel.other.does}`}. Type a letter and Enter.`
    : 'y yes, n cancel. Type a letter and Enter.';

function confirmLines(panel: Panel, {view}: PressContext): readonly string[] {
  if (panel.panel === 'confirm') return [panel.title, plainTextLine(panel.subject)];
  if (panel.panel === 'compact' && panel.stage === 'confirm') return compactionLines(panel.preview);
  if (panel.panel === 'rewind' && panel.stage === 'confirm') {
    const directory = view.session.tag === 'open' ? view.session.info.directory : '';
    return rewindReportText(panel.report, {directory, when: 'preview'}).split('\n');
  }
  return [];
}

const compactionLines = (preview: CompactionPreview): readonly string[] => [
  `${compactionQuestion(preview)} ${compactionTokensText(preview)}`,
  ...compactionPreviewWarnings(preview).map(plainTextLine),
  `Kept: ${countedPartTexts(preview.kept).join('; ')}.`,
  `Summarised: ${countedPartTexts(preview.summarised).join('; ')}.`,
  `Dropped: ${countedPartTexts(preview.dropped).join('; ')}.`,
  ...(preview.summary === '' ? [] : ['The summary:', ...preview.summary.split('\n').map(plainTextLine)]),
  `${summaryCostText(preview.cost)} ${compactionUndoHint}`.trim(),
];

function blocksQuestion(panel: BlocksPanel, context: () => PressContext): LineQuestion {
  const {blocks} = context();
  const ask = 'Type a number and Enter, or 0 to go back.';
  return numberedChoice({title: 'Background commands:', rows: blocks.map(blockLine), ask}, row => {
    const block = blocks[row];
    if (block === undefined || !isGoing(block.state)) return askAgain(`That one has ended. ${ask}`);
    const doings: readonly (readonly [label: string, press: KeyPress, say: string])[] = [
      ['take its terminal', key('enter'), ''],
      ['stop it', {kind: 'text', text: blockKeys.stop}, `Stopping ${block.id}.`],
      ['keep it running when weft ends', {kind: 'text', text: blockKeys.keep}, `${block.id} stays when weft ends.`],
    ];
    const rows = doings.map(([label]) => label);
    return askNext(
      numberedChoice({title: blockLine(block), rows, ask}, at => {
        const [, press, say = ''] = doings[at] ?? [];
        const step = press === undefined ? 'nothing' : pressed({...panel, selected: block.id}, [press], context());
        return step === 'nothing' ? askAgain(ask) : {...step, say: [say], next: 'closed'};
      }),
    );
  });
}

/** `Command b1: npm run dev. Running. Port 5173. Last line: ready.` */
export const blockLine = ({id, command, state, ports, life, lastLine}: BlockInfo): string =>
  sentences([
    `Command ${id}: ${plainLabel(command)}`,
    blockStateLabel(state),
    ...(ports.length === 0 ? [] : [`port ${ports.join(', ')}`]),
    ...(life === 'kept' ? ['stays when weft ends'] : []),
    ...(lastLine.trim() === '' ? [] : [`Last line: ${plainLabel(lastLine)}`]),
  ]);
