import {Box} from 'ink';
import type {ReactNode} from 'react';
import type {Question} from '../../actions/ports.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import type {Editing} from '../editor/text-field.ts';
import {currentQuestion, type QuestionForm} from '../state/question-form.ts';
import {questionKeys} from '../terminal/keymap.ts';
import {cardFrame} from '../state/card-room.ts';
import {type Frame, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {useTheme} from '../theme/styled.tsx';
import {cachedDiffLines, pageOf} from '../scrollback/diff-lines.ts';
import {Card, frameRows, hintLines} from './card.tsx';
import {CardField, fieldLayout} from './draft-field.tsx';
import {type Choice, Choices, choicesHeight} from './choices.tsx';
import {Lines} from './lines.tsx';
import {firstShown} from './picker-card.tsx';

interface QuestionCardProps {
  readonly form: QuestionForm;
  readonly editing: Editing;
  readonly width: number;
  readonly rows: number;
}

export function QuestionCard({form, editing, width, rows}: QuestionCardProps): ReactNode {
  const theme = useTheme();
  const question = currentQuestion(form);
  if (question === undefined) return undefined;
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
  const left = inner - diff.length;
  const shown = windowOf(choices, {row: form.row === 'none' ? 0 : form.row, left}, frame);
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
  const room = Math.max(1, left);
  const first = firstShown({row, count: brief.length, room});
  return {choices: brief.slice(first, first + room), first};
}

function hintsOf({state}: QuestionForm, {choice}: Question): readonly string[] {
  if (state === 'typing') return ['Enter answer', 'Esc back'];
  return choice === 'many' ? ['Space toggle', 'Enter answer', 'Esc stop'] : ['↑↓ Enter or a number', 'Esc stop'];
}
