import {Box} from 'ink';
import type {ReactNode} from 'react';
import type {Question} from '../../actions/ports.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {type Editing, initialEditing} from '../editor/text-field.ts';
import {currentQuestion, type QuestionForm} from '../state/question-form.ts';
import {questionKeys} from '../terminal/keymap.ts';
import {cardFrame} from '../state/card-room.ts';
import {type Frame, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {useTheme} from '../theme/styled.tsx';
import type {Theme} from '../theme/theme.ts';
import {cachedDiffLines, pageOf} from '../scrollback/diff-lines.ts';
import {Card, frameRows, hintLines} from './card.tsx';
import {CardField, fieldLayout} from './draft-field.tsx';
import {type Choice, Choices, choicesHeight} from './choices.tsx';
import {Lines} from './lines.tsx';

interface QuestionCardProps {
  readonly form: QuestionForm;
  readonly editing: Editing;
  readonly width: number;
  readonly rows: number;
}

export function QuestionCard(props: QuestionCardProps): ReactNode {
  const theme = useTheme();
  const {form, width} = props;
  const question = currentQuestion(form);
  if (question === undefined) return undefined;
  const {hints, hintRows, text, diff, shown, field} = layoutOf(props, question, theme);
  const count = form.questions.length > 1 ? `${form.answers.length + 1} of ${form.questions.length}` : '';
  return (
    <Card
      width={width}
      title={question.header === '' ? 'weft asks' : visibleLine(question.header)}
      note={count}
      hints={hints}
      hintRows={hintRows}
    >
      <Lines lines={text} />
      <Lines lines={diff} />
      <Box flexDirection="column">
        <Choices choices={shown.choices} first={shown.first} selected={form.state === 'typing' ? 'none' : form.row} />
      </Box>
      {field === undefined ? null : <CardField field={field} />}
    </Card>
  );
}

/** True if the card shows this option as a whole. */
export function showsOption(
  {form, rows, row}: Pick<QuestionCardProps, 'form' | 'rows'> & {readonly row: number},
  {theme, width}: Frame,
): boolean {
  const question = currentQuestion(form);
  if (question === undefined) return false;
  const {choices, first} = layoutOf({form, rows, width, editing: initialEditing('emacs')}, question, theme).shown;
  return row >= first && row < first + choices.length;
}

function layoutOf({form, editing, width, rows}: QuestionCardProps, question: Question, theme: Theme) {
  const frame = cardFrame({theme, width});
  const field =
    form.state === 'typing'
      ? fieldLayout({draft: form.other, editing}, {hint: 'Your answer', rows: 2}, frame)
      : undefined;
  const hints = hintsOf(form, question);
  const hintRows = rows < 10 ? 1 : hintLines(hints, width).length;
  const used = frameRows + hintRows - 1;
  const text = wrapText(visible(question.question), ['bold'], frame).slice(0, Math.max(1, rows - used - 3));
  const choices = choicesOf(form, question);
  const inner = rows - used - text.length - (field?.lines.length ?? 0);
  const room = Math.max(0, inner - choicesHeight(choices, frame.width));
  const diff =
    form.files.length === 0 || room < 2
      ? []
      : pageOf(
          cachedDiffLines(
            form.files,
            {maxLines: Number.POSITIVE_INFINITY, shown: 'all', long: 'clipped', home: ''},
            frame,
          ),
          {rows: room, top: form.top},
          frame,
        );
  const shown = windowOf(choices, {row: form.row === 'none' ? 0 : form.row, left: inner - diff.length}, frame);
  return {hints, hintRows, text, diff, shown, field};
}

function choicesOf({checked, state}: QuestionForm, {options, choice}: Question): readonly Choice[] {
  const own: Choice = {label: 'In your own words', detail: '', letter: questionKeys.other};
  return [
    ...options.map(({label, description, recommended}): Choice => {
      const box = choice === 'many' ? `${checked.includes(label) ? glyphs.checkedBox : glyphs.emptyBox} ` : '';
      const hint = recommended === 'recommended' ? ' (recommended)' : '';
      return {label: `${box}${visibleLine(label)}${hint}`, detail: visibleLine(description), letter: ''};
    }),
    ...(state === 'typing' ? [] : [own]),
  ];
}

function windowOf(
  choices: readonly Choice[],
  {row, left}: {readonly row: number; readonly left: number},
  {width}: Frame,
): {readonly choices: readonly Choice[]; readonly first: number} {
  if (choicesHeight(choices, width) <= left) return {choices, first: 0};
  const brief = choices.map(choice => ({...choice, detail: ''}));
  if (choicesHeight(brief, width) <= left) return {choices: brief, first: 0};
  const fits = (from: number, to: number): boolean =>
    from >= 0 && to <= brief.length && choicesHeight(brief.slice(from, to), width) <= left;
  let [first, end] = [row, row + 1];
  for (;;) {
    const [above, below] = [fits(first - 1, end), fits(first, end + 1)];
    if (!above && !below) return {choices: brief.slice(first, end), first};
    if (above && (!below || row - first < end - 1 - row)) first--;
    else end++;
  }
}

function hintsOf({state}: QuestionForm, {choice, options}: Question): readonly string[] {
  if (state === 'typing') return ['Enter answer', 'Esc back'];
  const numbers = `1–${Math.min(9, options.length + 1)}`;
  return choice === 'many'
    ? [`${numbers} or Space toggle`, 'Enter answer', 'Esc stop']
    : [`${numbers} or ↑↓ Enter`, 'Esc stop'];
}
