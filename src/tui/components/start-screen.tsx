import {Box, renderToString, Text} from 'ink';
import type {ReactNode} from 'react';
import {visibleLine} from '../../base/visible.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import {bypassText, modeText} from '../state/selectors.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {fitPath} from '../text/workspace-paths.ts';
import {type Frame, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled, ThemeContext, useTheme} from '../theme/styled.tsx';
import {Lines} from './lines.tsx';

/** The facts on the start screen. Facts that become known later have a reserved place. */
export interface StartFacts {
  readonly version: string;
  readonly about: {readonly model: string; readonly mode: PermissionMode} | 'opening';
  /** The folder as shown, with `~` for the home folder. */
  readonly directory: string;
  readonly branch: string;
  readonly instructions: readonly string[];
  readonly lastSession: {readonly title: string; readonly age: string} | 'none';
  readonly notices: readonly string[];
}

interface StartScreenProps {
  readonly facts: StartFacts;
  readonly width: number;
  /** The maximum number of rows of the screen. The least important parts are dropped first. */
  readonly rows: number;
}

/** The start screen: model, folder, and what to try. Shown until the first prompt, then left in the scrollback. */
export function StartScreen({facts, width, rows}: StartScreenProps): ReactNode {
  const {version, about, directory, branch, instructions, lastSession, notices} = facts;
  const theme = useTheme();
  const room = Math.max(8, width - logoCells);
  const read = instructions.length === 0 ? '' : `${instructions.map(visibleLine).join(', ')} read`;
  const where = locationLines(
    {directory: visibleLine(directory), branch: visibleLine(branch), read},
    room - rightMargin,
  );
  const [first, ...others] = about === 'opening' ? [' '] : aboutLines(about, room);
  const isLow = rows < minRows + others.length + where.length + notices.length;
  return (
    <Box flexDirection="column" width={width} paddingTop={isLow ? 0 : 1}>
      <Row logo={logo[0]}>
        <Text wrap="truncate">
          <Styled as="bold">weft</Styled> <Styled as="dim">{version}</Styled>
        </Text>
      </Row>
      <Row logo={logo[1]}>
        <Text wrap="truncate">{first}</Text>
      </Row>
      {others.map(text => (
        <Row key={text} logo="">
          <Text wrap="truncate">{text}</Text>
        </Row>
      ))}
      {where.map(text => (
        <Row key={text} logo="">
          <Styled as="dim">{text}</Styled>
        </Row>
      ))}
      {notices.map(notice => (
        <Box key={notice} paddingLeft={2}>
          <Box flexShrink={0}>
            <Styled as="warning">{`${glyphs.warning} `}</Styled>
          </Box>
          <Lines lines={wrapText(visibleLine(notice), ['warning'], {theme, width: Math.max(8, width - 4)})} />
        </Box>
      ))}
      {isLow ? null : (
        <Box flexDirection="column" paddingTop={1} paddingLeft={2}>
          <Examples width={width - 2} />
          <LastSession lastSession={lastSession} width={width - 2} />
        </Box>
      )}
    </Box>
  );
}

/**
 * Returns folder, branch, and loaded instructions. If not everything fits on one row, the instructions go first, then parent
 * folders. The branch has a row of its own if it doesn't fit beside the folder's name.
 */
function locationLines(
  {directory, branch, read}: {readonly directory: string; readonly branch: string; readonly read: string},
  cells: number,
): readonly string[] {
  const branchText = branch === '' ? '' : `${glyphs.gitBranch} ${branch}`;
  const beside = branchText === '' ? '' : `  ${branchText}`;
  const more = read === '' ? '' : glyphs.separator + read;
  if (cellWidth(directory + beside + more) <= cells) return [directory + beside + more];
  const name = fitPath(directory, Math.max(1, cells - cellWidth(beside)));
  if (name.endsWith(directory.slice(directory.lastIndexOf('/')))) return [name + beside];
  return [fitPath(directory, cells), ...(branchText === '' ? [] : [fit(branchText, cells)])];
}

const logo = ['╭╮╭', '╰╯╰'] as const;
const logoCells = 6;

/** Some fonts draw the branch's sign wider than a cell. */
const rightMargin = 1;

/** The rows of a start screen without its facts. With fewer rows, the examples and the last session are dropped. */
const minRows = 6;

function Row({logo: sign, children}: {readonly logo: string; readonly children: ReactNode}): ReactNode {
  return (
    <Box paddingLeft={1}>
      <Box width={logoCells - 1} flexShrink={0}>
        <Styled as="accent">{sign}</Styled>
      </Box>
      {children}
    </Box>
  );
}

/** Returns the model and the mode on one row if they fit, else on two. The mode is never cut. */
function aboutLines({model, mode}: Exclude<StartFacts['about'], 'opening'>, cells: number): readonly string[] {
  const name = visibleLine(model);
  const short = mode === 'bypassPermissions' ? bypassText : modeText(mode);
  const lines = [modeTexts[mode], short].map(text => (name === '' ? text : name + glyphs.separator + text));
  const line = lines.find(text => cellWidth(text) <= cells);
  if (line !== undefined) return [line];
  return [...(name === '' ? [] : [fit(name, cells)]), cellWidth(modeTexts[mode]) <= cells ? modeTexts[mode] : short];
}

const modeTexts: Readonly<Record<PermissionMode, string>> = {
  default: 'asks before changes',
  acceptEdits: 'edits files, asks before commands',
  plan: 'plans, changes nothing',
  dontAsk: 'never asks, runs only what is allowed',
  bypassPermissions: `${bypassText}, never asks`,
};

export const startScreenLines = (facts: StartFacts, {theme, width}: Frame): readonly string[] =>
  renderToString(
    <ThemeContext value={theme}>
      <StartScreen facts={facts} width={width} rows={Number.POSITIVE_INFINITY} />
    </ThemeContext>,
    {columns: width},
  )
    .trimEnd()
    .split('\n');

const examples = ['"why does the cart test fail?"', '@file', '!command', '/help'];

function Examples({width}: {readonly width: number}): ReactNode {
  let used = 'Try'.length;
  const shown = examples.filter(text => {
    const fits = used + separator.length + text.length <= width;
    if (fits) used += separator.length + text.length;
    return fits;
  });
  return (
    <Text wrap="truncate">
      <Styled as="dim">Try</Styled>
      {shown.map(text => separator + text).join('')}
    </Text>
  );
}

const separator = '   ';

/** The last session and the command that resumes it. An empty row until it is known. */
function LastSession({lastSession, width}: Pick<StartFacts, 'lastSession'> & {readonly width: number}): ReactNode {
  if (lastSession === 'none') return <Text> </Text>;
  const command = `${separator}weft -c`;
  const lead = 'Last session: ';
  const room = width - lead.length - command.length;
  const age = room < minCellsForAge ? '' : ` (${lastSession.age})`;
  const title = fit(visibleLine(lastSession.title), Math.max(1, room - age.length));
  return (
    <Text wrap="truncate">
      <Styled as="dim">{lead}</Styled>
      {title}
      <Styled as="dim">{age}</Styled>
      <Styled as="accent">{command}</Styled>
    </Text>
  );
}

/** With fewer cells, the age is dropped to leave room for the title. */
const minCellsForAge = 30;
