import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {QuestionCard} from './question-card.tsx';
import {HunkCard} from './hunk-card.tsx';
import {ApprovalCard} from './approval-card.tsx';
import type {TitleRoom} from '../scrollback/diff-lines.ts';
import {approvalSubject} from '../scrollback/approval-text.ts';
import {cardKeys, keyHint, keyOf} from '../terminal/keymap.ts';
import {visibleExactLine, visibleLine, visible} from '../../base/visible.ts';
import {firstLine} from '../../base/clip.ts';
import {checkRows} from '../text/check-text.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {Styled, useTheme} from '../theme/styled.tsx';
import type {RunningSession} from '../../domain/session-list.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import {unreachable} from '../../base/unreachable.ts';
import {todosOf} from '../../tasks/task-view.ts';
import {commandAwaitingArgument, type CommandInfo, parseDraft} from '../commands/command-line.ts';
import {type Draft, isEmptyDraft} from '../editor/draft.ts';
import type {MarkdownLexer} from '../scrollback/render-markdown.ts';
import {
  type Attention,
  attentionOf,
  isFinishedTodo,
  isIdle,
  countText,
  directoryOf,
  activityText,
  foregroundCommand,
} from '../state/selectors.ts';
import type {Ui} from '../state/ui.ts';
import type {QueuedPrompt, RunTimes, View} from '../state/view.ts';
import {cardFrame, draftRowsBelowCard} from '../state/card-room.ts';
import {type EntryFrame, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Composer} from './composer.tsx';
import {draftLayout, pasteHint, vimText} from './draft-field.tsx';
import {Lines} from './lines.tsx';
import {answerNeeded} from '../terminal/attached-terminal.ts';
import {OpenPanel} from './open-panel.tsx';
import {type StartFacts, StartScreen} from './start-screen.tsx';
import {type StatusHint, StatusLine} from './status-line.tsx';
import {TodoPanel} from './todo-panel.tsx';
import {programName} from '../../actions/block-text.ts';
import {Card} from './card.tsx';
import {Choices} from './choices.tsx';
import {wholeSeconds} from '../text/duration.ts';
import {withTildes} from '../text/workspace-paths.ts';
import {Spinner} from './spinner.tsx';

export interface LiveRegionState {
  readonly view: View;
  readonly ui: Ui;
  readonly commands: readonly CommandInfo[];
  readonly lexer: MarkdownLexer | undefined;
  /** The start screen, until something is written above the live region. */
  readonly start: StartFacts | 'written';
  readonly blocks: readonly BlockInfo[];
  readonly sessions: readonly RunningSession[];
  readonly times: RunTimes;
  readonly demo: 'none' | 'offered';
  readonly workAfter: 'stops' | 'goes-on';
  readonly newlineKey: string;
  /** The first key of a chord that awaits its second. Empty if there is none. */
  readonly chord: string;
  /** The output of the user's status line command, and the columns before it. Empty for weft's own line. */
  readonly statusLine: {readonly custom: string; readonly padding: number};
}

interface LiveRegionProps {
  readonly state: LiveRegionState;
  /** Lines of unfinished entries. On the alternate screen they are part of the transcript. */
  readonly open: readonly string[];
  readonly rows: number;
  readonly frame: EntryFrame;
}

/** Returns the maximum number of lines of the live region on a screen with `rows` rows. */
export const maxLines = (rows: number): number => Math.max(3, rows - 1);

export const panelRows = (rows: number): number => Math.max(2, maxLines(rows) - 2);

const maxTodos = {alone: 9, besideCard: 4} as const;

/** Rows of a typical card. A taller card takes rows from the todo panel. */
const typicalCardRows = 8;

/** Rows of the composer, the run line, and the status line, with their borders and margins. */
const rowsBelow = 6;

/** Returns the maximum number of rows of an unfinished text. A shrinking terminal pushes rows into its scrollback. */
export const textRows = (rows: number): number => Math.max(1, Math.min(10, maxLines(rows) - rowsBelow));

/**
 * Everything below the scrollback: unfinished entries, todo panel, run line, card or composer, status line. Lower parts get
 * their rows first.
 */
export function LiveRegion({state, open, rows, frame}: LiveRegionProps): ReactNode {
  const {view, ui, times, blocks, sessions} = state;
  const most = maxLines(rows);
  const room = panelRows(rows);
  const {width} = frame;
  const directory = directoryOf(view);
  const attention = attentionOf(view);
  const isAsked = attention.kind !== 'composer';
  const openMost = view.entries.at(-1)?.kind === 'text' ? textRows(rows) : most;
  const todos = todosOf(view.tasks);
  // Hide a list in which no todo was ever started, such as the steps of a plan that was carried out without it.
  const isUsed = todos.some(({status}) => status !== 'pending');
  const isResting = isIdle(view);
  const isOver = isResting && (!isUsed || todos.every(isFinishedTodo));
  const todoRows = Math.min(
    isOver ? 0 : isResting || view.turn.todos === 'earlier' ? 1 : isAsked ? maxTodos.besideCard : maxTodos.alone,
    Math.floor((most - (isAsked ? typicalCardRows : rowsBelow)) / 2),
  );
  const motion = frame.theme.name === 'plain' ? 'still' : 'turning';
  return (
    <Box flexDirection="column" justifyContent="flex-end" width={width} maxHeight={most} overflow="hidden">
      <Box flexDirection="column" justifyContent="flex-end" flexShrink={shrinkFirst} overflow="hidden">
        <Box flexDirection="column" flexShrink={0}>
          {state.start !== 'written' && <StartScreen facts={state.start} width={width} rows={most - rowsBelow} />}
          <Lines lines={open.slice(-openMost)} />
        </Box>
      </Box>
      {todos.length > 0 && todoRows > 0 && (
        <Box flexDirection="column" flexShrink={1} paddingTop={1} overflow="hidden">
          <TodoPanel todos={todos} times={times.todos} width={width} rows={todoRows} />
          {todoRows > 1 && <Lines lines={checkRows(view.checks, frame, '  ').slice(0, 2)} />}
        </Box>
      )}
      <Box flexDirection="column" flexShrink={0} paddingTop={1}>
        {!isAsked && <RunLine view={view} times={times} motion={motion} home={frame.home} width={width} />}
        <QueuedPrompts view={view} width={width} rows={most - rowsBelow} />
        {ui.panel === 'none' ? (
          <Input state={state} rows={room} frame={frame} />
        ) : (
          <>
            {isAsked && <Styled as="warning">{fit(answerNeeded('Esc to go there'), width)}</Styled>}
            <OpenPanel
              {...{panel: ui.panel, agents: view.agents, blocks, directory, width}}
              rows={isAsked ? room - 1 : room}
            />
          </>
        )}
        <StatusLine
          {...{view, blocks, sessions, width, ...state.statusLine}}
          effort={view.effort}
          hint={hintOf(state)}
          vim={vimText(ui)}
        />
      </Box>
    </Box>
  );
}

/** A focused card with the draft below it, or the composer with a line above it for a card that waits. */
function Input({state, rows, frame}: Omit<LiveRegionProps, 'open'>): ReactNode {
  const {view, ui, blocks, commands, demo, newlineKey} = state;
  const {width, home} = frame;
  if (ui.card.kind !== 'none' && ui.card.focus === 'card') {
    const below = draftRowsBelowCard(rows);
    const draft =
      isEmptyDraft(ui.draft) || below === 0
        ? []
        : draftLayout(ui.draft, {rows: below, hint: '', selection: 'none', frame}).lines;
    return (
      <>
        <CardArea {...{ui, view, blocks, home, width}} rows={Math.max(2, rows - draft.length)} />
        <Lines lines={draft} />
      </>
    );
  }
  const waits = ui.card.kind !== 'none' && ui.card.focus !== 'answered';
  return (
    <>
      {waits && <AttentionLine attention={attentionOf(view)} home={home} width={width} />}
      <Composer {...{view, ui, commands, demo, newlineKey, width}} rows={waits ? rows - 1 : rows} />
    </>
  );
}

function hintOf({ui, view, commands, workAfter, chord}: LiveRegionState): StatusHint | 'none' {
  if (ui.leaving.kind === 'armed') {
    const keepsRunning = workAfter === 'goes-on' && !isIdle(view);
    return {text: keepsRunning ? 'Ctrl+C again to exit · Esc stops the agent' : 'Ctrl+C again to exit', as: 'warning'};
  }
  if (chord !== '') return {text: `${chord} …${glyphs.separator}Esc cancel`, as: 'dim'};
  if (ui.panel !== 'none') return 'none';
  const facts = [pasteHint(ui), draftHint(ui.draft, commands)].filter(fact => fact !== '');
  return facts.length === 0 ? 'none' : {text: facts.join(glyphs.separator), as: 'dim'};
}

/** Returns the hint for a draft that isn't a prompt. Empty for a prompt. */
function draftHint({buffer}: Draft, commands: readonly CommandInfo[]): string {
  const awaited = commandAwaitingArgument(buffer.text, commands);
  if (awaited !== undefined) return awaited.usage + glyphs.separator + awaited.summary;
  const {kind} = parseDraft(buffer.text);
  switch (kind) {
    case 'prompt':
      return '';
    case 'shell':
      return 'Enter: run in your shell · the agent sees the output';
    case 'note':
      return 'Enter: add a note to AGENTS.md';
    default:
      return unreachable(kind);
  }
}

/** A flex-shrink factor that takes nearly all missing rows from this part. */
const shrinkFirst = 1000;

interface CardAreaProps {
  readonly ui: Ui;
  readonly view: View;
  readonly blocks: readonly BlockInfo[];
  readonly home: string;
  readonly width: number;
  readonly rows: number;
}

function CardArea({ui: {card}, view, blocks, home, width, rows}: CardAreaProps): ReactNode {
  const attention = attentionOf(view);
  if (card.kind === 'approval' && attention.kind === 'approval') {
    const {revision, stage, editing} = card;
    const approval = revision.kind === 'revised' ? revision.approval : attention.approval;
    if (stage.stage === 'hunks') return <HunkCard {...{approval, stage, home, width, rows}} />;
    const workspace = directoryOf(view);
    const folders = {workspace, home};
    return <ApprovalCard {...{approval, stage, editing, folders, width, rows}} waiting={attention.waiting} />;
  }
  if (card.kind === 'hand-over' && attention.kind === 'hand-over') {
    const {block, reason} = attention.open;
    return <HandOverCard {...{reason, width}} info={blocks.find(({id}) => id === block)} />;
  }
  return card.kind === 'question' && attention.kind === 'question' ? (
    <QuestionCard form={card.form} editing={card.editing} {...{width, rows}} />
  ) : undefined;
}

/** One line that shows what waits for the user while the draft has the focus, and the key to switch to it. */
function AttentionLine({attention, home, width}: AttentionLineProps): ReactNode {
  const hint = answerHint();
  const room = Math.max(8, width - cellWidth(hint));
  return (
    <Text wrap="truncate">
      <Styled as={['bold', 'warning']}>{fit(attentionText(attention, {cells: room, home}), room)}</Styled>
      <Styled as="accent">{hint}</Styled>
    </Text>
  );
}

interface AttentionLineProps {
  readonly attention: Attention;
  readonly home: string;
  readonly width: number;
}

const answerHint = (): string => keyHint(cardKeys.switchFocus, key => `${glyphs.separator}${key}: answer`);

/** Below this width, the notice is shortened to leave space for its subject. */
const narrow = 40;

function attentionText(attention: Attention, {cells: room, home}: TitleRoom): string {
  switch (attention.kind) {
    case 'composer':
      return '';
    case 'approval': {
      const count = attention.waiting > 1 ? ` (1 of ${attention.waiting})` : '';
      const {approval} = attention;
      if (room < narrow && approval.preview.kind === 'command') {
        return `${glyphs.waiting} Approval${count}: ${visibleExactLine(firstLine(approval.preview.command, narrow))}`;
      }
      const lead = `${glyphs.waiting} ${room < narrow ? 'Approval' : 'Approval needed'}${count}: `;
      return lead + approvalSubject(approval, {cells: room - lead.length, home});
    }
    case 'question':
      return `${glyphs.waiting} Question: ${visibleLine(attention.open.questions[0]?.question ?? '')}`;
    case 'hand-over':
      return `${glyphs.waiting} A command needs you: ${visibleLine(attention.open.reason)}`;
    default:
      return unreachable(attention);
  }
}

interface QueuedPromptsProps {
  readonly view: Pick<View, 'queued' | 'run'>;
  readonly width: number;
  readonly rows: number;
}

/** The prompts that were sent but not started, and when they start. A note counts the hidden ones. */
function QueuedPrompts({view: {queued, run}, width, rows}: QueuedPromptsProps): ReactNode {
  if (queued.length === 0 || rows <= 0) return null;
  const shown = queued.slice(0, Math.min(maxShown, rows));
  const hidden = queued.length - shown.length;
  // Nothing runs, so the prompt is being prepared: a hook checks it, or its files are read.
  const isStarting = run.state === 'idle';
  return (
    <Box flexDirection="column" paddingLeft={2}>
      {shown.map((prompt, at) => {
        const last = at === shown.length - 1;
        const more = last && hidden > 0 ? ` (${hidden} more)` : '';
        const note = last ? `${more}${glyphs.separator}${isStarting ? 'Esc to interrupt' : '↑ to edit'}` : '';
        const lead = `${glyphs.queuedPrompt} ${whenTexts[prompt.when]}: `;
        const text = lead + visibleLine(prompt.text);
        const isWide = width - 2 - note.length > 2 * lead.length;
        return (
          <Styled key={prompt.id} as="dim">
            {isWide ? fit(text, width - 2 - note.length) + note : fit(text, width - 2)}
          </Styled>
        );
      })}
    </Box>
  );
}

const maxShown = 3;

const whenTexts: Readonly<Record<QueuedPrompt['when'], string>> = {
  steering: 'next step',
  queued: 'queued',
  command: 'queued',
};

interface HandOverCardProps {
  readonly reason: string;
  /** `undefined` if the program has already ended. */
  readonly info: BlockInfo | undefined;
  readonly width: number;
}

/** The card with which the agent hands a running program to the user: the reason and the program's last line. */
function HandOverCard({reason, info, width}: HandOverCardProps): ReactNode {
  const theme = useTheme();
  const frame = cardFrame({theme, width});
  const last = visibleLine(info?.lastLine ?? '').trim();
  return (
    <Card
      width={width}
      title={
        info === undefined
          ? 'The program has ended'
          : `${visibleLine(programName(info.command))} is yours. Enter to take over`
      }
      hints={[`${keyOf(cardKeys.switchFocus, 'card')} later`, 'Esc stop']}
    >
      <Lines lines={wrapText(visible(reason), [], frame).slice(0, 3)} />
      {last !== '' && <Styled as="dim">{fit(last, frame.width)}</Styled>}
      <Choices
        choices={[
          {label: 'Take over its terminal', detail: 'Ctrl+] back to weft', letter: 'y'},
          {label: 'No', detail: '', letter: 'n'},
        ]}
        selected="none"
      />
    </Card>
  );
}

interface RunLineProps {
  readonly view: View;
  readonly times: Pick<RunTimes, 'elapsedMs' | 'retryInMs' | 'outputTokens'>;
  readonly motion: 'turning' | 'still';
  readonly home: string;
  readonly width: number;
}

/** The run line: current activity, elapsed time, tokens, and how to stop. No line while idle. */
export function RunLine({view, times, motion, home, width}: RunLineProps): ReactNode {
  const {run} = view;
  switch (run.state) {
    case 'idle':
      return null;
    case 'working': {
      const words = visibleLine(withTildes(activityText(view), home));
      const rest = runFacts(times, {width, movable: foregroundCommand(view) === undefined ? 'no' : cellWidth(words)});
      const doing = fit(words, Math.max(1, width - 2 - cellWidth(rest)));
      return (
        <Box width={width}>
          <Spinner motion={motion} elapsedMs={times.elapsedMs} />
          <Text wrap="truncate"> {doing}</Text>
          <Styled as="dim">{rest}</Styled>
        </Box>
      );
    }
    case 'retrying':
      return <Styled as="warning">{retryText(run, times.retryInMs, width)}</Styled>;
    case 'stopping':
      return <Styled as="warning">{`${glyphs.running} Stopping`}</Styled>;
    default:
      return unreachable(run);
  }
}

/** Returns the text after the activity: the longest form that leaves enough room for it. */
function runFacts(
  {elapsedMs, outputTokens}: RunLineProps['times'],
  {width, movable}: {readonly width: number; readonly movable: number | 'no'},
): string {
  const time = glyphs.separator + wholeSeconds(elapsedMs);
  const tokens = outputTokens === 0 ? '' : `${glyphs.separator}${glyphs.downArrow} ${countText(outputTokens)} tokens`;
  // The background hint is shown only if the activity fits in full.
  const whole = time + tokens + interruptHint + keyHint('to-background', key => `${glyphs.separator}${key} background`);
  if (movable !== 'no' && 2 + movable + cellWidth(whole) <= width) return whole;
  const forms = [time + tokens + interruptHint, time + interruptHint, `${time}${glyphs.separator}Esc`];
  return forms.find(form => cellWidth(form) <= width - minActivityCells) ?? time;
}

const minActivityCells = 12;

const interruptHint = `${glyphs.separator}Esc to interrupt`;

/** With fewer cells for the reason, the facts before it are shortened. */
const minReason = 10;

type Retrying = View['run'] & {readonly state: 'retrying'};

/** Describes a retry. The reason comes last because a narrow screen may cut it off. */
function retryText({attempt, maxAttempts, reason}: Retrying, inMs: number, width: number): string {
  const rest = `${inMs > 0 ? ` in ${Math.ceil(inMs / 1000)} s` : ''} (${attempt} of ${maxAttempts})`;
  const full = `${glyphs.waiting} Retrying${rest}${interruptHint}`;
  const facts =
    full.length + (reason === '' ? 0 : minReason) <= width
      ? full
      : `${glyphs.waiting} Retry${rest}${glyphs.separator}Esc`;
  return fit(reason === '' ? facts : facts + glyphs.separator + visibleLine(reason), width);
}
