import {isRunning} from '../../actions/block-text.ts';
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
import {type BlocksPanel, blockStateLabel, noBlocksText} from '../state/panels/blocks.ts';
import {alwaysKey, offerIn} from '../state/panels/compact.ts';
import {type Panel, pressPanel} from '../state/panels/panel.ts';
import type {Picker} from '../state/panels/picker.ts';
import {directoryOf} from '../state/selectors.ts';
import {blockKeys, type KeyPress} from '../terminal/keymap.ts';
import {type AnswerStep, askAgain, askNext, isBack, isNo, type LineQuestion, numberedChoice} from './line-question.ts';
import {plainLabel, plainTextLine, sentences} from './plain-entry.ts';

/** Turns a panel into a question in lines. The panel's own key handling decides what an answer does. */
export function panelQuestion(panel: Panel, context: () => PressContext): LineQuestion {
  if (panel.panel === 'blocks') return blocksQuestion(panel, context);
  if ('picker' in panel) return pickerQuestion(panel, context);
  return confirmQuestion(panel, context);
}

/** Returns what to say about a list without rows. Empty if the panel asks something. */
export function emptyListText(panel: Panel, blocks: readonly BlockInfo[]): string {
  if (panel.panel === 'blocks') return blocks.length === 0 ? noBlocksText : '';
  return 'picker' in panel && panel.picker.items.length === 0 ? panel.picker.status.text : '';
}

/** Presses keys on the panel one after the other. Returns `nothing` if they had no effect. */
function pressPanelKeys(panel: Panel, keys: readonly KeyPress[], context: PressContext): AnswerStep | 'nothing' {
  let step: ReturnType<typeof pressPanel> = {panel, effects: []};
  for (const key of keys) if (step.panel !== 'none') step = pressPanel(step.panel, key, context);
  if (step.panel === 'none') return {next: 'closed', say: [], effects: step.effects};
  return step.panel === panel && step.effects.length === 0
    ? 'nothing'
    : {...askNext(panelQuestion(step.panel, () => context)), effects: step.effects};
}

const key = (name: 'top' | 'down' | 'enter' | 'escape'): KeyPress => ({kind: 'key', name});

const goBackWith = (say: string, panel: Panel, context: PressContext): AnswerStep => {
  const step = pressPanelKeys(panel, [key('escape')], context);
  return step === 'nothing' ? {next: 'closed', say: [say], effects: []} : {...step, say: [say]};
};

const maxRows = 20;

function pickerQuestion(panel: Panel & {readonly picker: Picker<unknown>}, context: () => PressContext): LineQuestion {
  const {matching, status} = panel.picker;
  if (matching.length === 0) return {lines: [status.text], answer: () => goBackWith('', panel, context())};
  const shown = matching.slice(0, maxRows);
  const rest = matching.length - shown.length;
  const rows = shown.map(({label, details, letter, mark}) =>
    [letter === '' ? plainLabel(label) : `${plainLabel(label)} (${letter})`, ...details, mark === 'none' ? '' : mark]
      .filter(text => text !== '')
      .join(', '),
  );
  const ask = `Type a number and press Enter${rest > 0 ? `, words to search ${rest} more` : ''}, or 0 to go back.`;
  const choice = numberedChoice(
    {title: panel.panel === 'choice' ? `${panel.title}:` : (titles.get(panel.panel) ?? 'Choose one:'), rows, ask},
    row => {
      const step = pressPanelKeys(
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
      if (isBack(line)) return goBackWith('Nothing was chosen.', panel, context());
      if (line === '' || /^\d+$/u.test(line)) return choice.answer(line);
      const step = pressPanelKeys(panel, [{kind: 'text', text: line}], context());
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

/** Asks for confirmation. An empty line does nothing, so that the user can't confirm by accident. */
function confirmQuestion(panel: Panel, context: () => PressContext): LineQuestion {
  const keys = confirmKeys(panel);
  return {
    lines: [...confirmLines(panel, context()), keys],
    answer(line) {
      const word = line.toLowerCase();
      if (isBack(line) || isNo(line)) return goBackWith('Nothing was done.', panel, context());
      const text = word === '1' || word === 'yes' ? 'y' : word;
      const step = text === '' ? 'nothing' : pressPanelKeys(panel, [{kind: 'text', text}], context());
      return step === 'nothing' ? askAgain(`Nothing was done. ${keys}`) : step;
    },
  };
}

function confirmKeys(panel: Panel): string {
  if (panel.panel === 'confirm')
    return `y ${panel.does}, n cancel${panel.other === 'none' ? '' : `, ${panel.other.letter} ${panel.other.does}`}. Type a letter and press Enter.`;
  const always = offerIn(panel) === 'none' ? '' : `, ${alwaysKey} always compact`;
  return `y yes, n cancel${always}. Type a letter and press Enter.`;
}

function confirmLines(panel: Panel, {view}: PressContext): readonly string[] {
  if (panel.panel === 'confirm') return [panel.title, plainTextLine(panel.subject)];
  if (panel.panel === 'compact' && panel.stage === 'confirm') {
    const {preview, offer} = panel;
    return offer === 'none'
      ? compactionLines(preview, compactionUndoHint)
      : [plainTextLine(offer.reason), ...compactionLines(preview, '')];
  }
  if (panel.panel === 'rewind' && panel.stage === 'confirm') {
    const directory = directoryOf(view);
    return rewindReportText(panel.report, {directory, when: 'preview'}).split('\n');
  }
  return [];
}

const compactionLines = (preview: CompactionPreview, undoHint: string): readonly string[] => [
  `${compactionQuestion(preview)} ${compactionTokensText(preview)}`,
  ...compactionPreviewWarnings(preview).map(plainTextLine),
  `Kept: ${countedPartTexts(preview.kept).join('; ')}.`,
  `Summarized: ${countedPartTexts(preview.summarised).join('; ')}.`,
  `Dropped: ${countedPartTexts(preview.dropped).join('; ')}.`,
  ...(preview.summary === '' ? [] : ['The summary:', ...preview.summary.split('\n').map(plainTextLine)]),
  `${summaryCostText(preview.cost)} ${undoHint}`.trim(),
];

function blocksQuestion(panel: BlocksPanel, context: () => PressContext): LineQuestion {
  const {blocks} = context();
  const ask = 'Type a number and press Enter, or 0 to go back.';
  return numberedChoice({title: 'Background commands:', rows: blocks.map(blockLine), ask}, row => {
    const block = blocks[row];
    if (block === undefined || !isRunning(block.state)) return askAgain(`That command has ended. ${ask}`);
    const actions: readonly (readonly [label: string, press: KeyPress, say: string])[] = [
      ['take over its terminal', key('enter'), ''],
      ['stop it', {kind: 'text', text: blockKeys.stop}, `Stopping ${block.id}.`],
      [
        'keep it running when weft exits',
        {kind: 'text', text: blockKeys.keep},
        `${block.id} keeps running when weft exits.`,
      ],
    ];
    const rows = actions.map(([label]) => label);
    return askNext(
      numberedChoice({title: blockLine(block), rows, ask}, at => {
        const [, press, say = ''] = actions[at] ?? [];
        const step =
          press === undefined ? 'nothing' : pressPanelKeys({...panel, selected: block.id}, [press], context());
        return step === 'nothing' ? askAgain(ask) : {...step, say: [say], next: 'closed'};
      }),
    );
  });
}

/** Returns for example `Command b1: npm run dev. Running. Port 5173. Last line: ready.` */
export const blockLine = ({id, command, state, ports, life, lastLine}: BlockInfo): string =>
  sentences([
    `Command ${id}: ${plainLabel(command)}`,
    blockStateLabel(state),
    ...(ports.length === 0 ? [] : [`port ${ports.join(', ')}`]),
    ...(life === 'kept' ? ['keeps running when weft exits'] : []),
    ...(lastLine.trim() === '' ? [] : [`Last line: ${plainLabel(lastLine)}`]),
  ]);
