import {Box, renderToString, Text} from 'ink';
import type {ReactNode} from 'react';
import {visibleLine} from '../../base/visible.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {fitPath} from '../text/workspace-paths.ts';
import {type Frame, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled, ThemeContext, useTheme} from '../theme/styled.tsx';
import {Lines} from './lines.tsx';

/** What is known at the start; what becomes known later has its place already. */
export interface StartFacts {
  readonly version: string;
  /** The model and what happens without asking, in words; empty until the session is open. */
  readonly about: string;
  /** The folder as shown, with `~` for the home. */
  readonly directory: string;
  readonly branch: string;
  readonly instructions: readonly string[];
  readonly lastSession: {readonly title: string; readonly age: string} | 'none';
  readonly notices: readonly string[];
}

interface StartScreenProps {
  readonly facts: StartFacts;
  readonly width: number;
  /** The most rows it may take: what matters least is left out. */
  readonly rows: number;
}

/** What weft is about to work with, and what to try: shown until the first prompt, and then left in the scrollback. */
export function StartScreen({facts, width, rows}: StartScreenProps): ReactNode {
  const {version, about, directory, branch, instructions, lastSession, notices} = facts;
  const theme = useTheme();
  const room = Math.max(8, width - logoCells);
  const read = instructions.length === 0 ? '' : `${instructions.map(visibleLine).join(', ')} read`;
  const where = placeIn({directory: visibleLine(directory), branch: visibleLine(branch), read}, room);
  const isLow = rows < minRows + notices.length;
  return (
    <Box flexDirection="column" width={width} paddingTop={isLow ? 0 : 1}>
      <Row logo={logo[0]}>
        <Text wrap="truncate">
          <Styled as="bold">weft</Styled> <Styled as="dim">{version}</Styled>
        </Text>
      </Row>
      <Row logo={logo[1]}>
        <Text wrap="truncate">{about === '' ? ' ' : fit(about, room)}</Text>
      </Row>
      <Row logo="">
        <Styled as="dim">{where}</Styled>
      </Row>
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
          <Tries width={width - 2} />
          <Resume lastSession={lastSession} width={width - 2} />
        </Box>
      )}
    </Box>
  );
}

/** Folder, branch and what was read; where there is no room for all, what was read goes first, then folders above this one. */
function placeIn(
  {directory, branch, read}: {readonly directory: string; readonly branch: string; readonly read: string},
  cells: number,
): string {
  const fork = branch === '' ? '' : `  ${glyphs.gitBranch} ${branch}`;
  const more = read === '' ? '' : glyphs.between + read;
  if (cellWidth(directory + fork + more) <= cells) return directory + fork + more;
  return fit(fitPath(directory, Math.max(minFolder, cells - cellWidth(fork))) + fork, cells);
}

const minFolder = 12;

const logo = ['╭╮╭', '╰╯╰'] as const;
const logoCells = 6;

/** With fewer rows only what weft works with is shown. */
const minRows = 7;

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

/** `claude-sonnet-5-5 · asks before changes`. */
export const startText = (model: string, mode: PermissionMode): string =>
  [visibleLine(model), modeWords[mode]].filter(part => part !== '').join(glyphs.between);

const modeWords: Readonly<Record<PermissionMode, string>> = {
  default: 'asks before changes',
  acceptEdits: 'edits files, asks before commands',
  plan: 'plans, changes nothing',
  dontAsk: 'never asks, does only what is allowed',
  bypassPermissions: 'permissions bypassed: asks nothing',
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

const tries = ['"why does the cart test fail?"', '@file', '!command', '/help'];

function Tries({width}: {readonly width: number}): ReactNode {
  let used = 'Try'.length;
  const shown = tries.filter(text => {
    const fits = used + apart.length + text.length <= width;
    if (fits) used += apart.length + text.length;
    return fits;
  });
  return (
    <Text wrap="truncate">
      <Styled as="dim">Try</Styled>
      {shown.map(text => apart + text).join('')}
    </Text>
  );
}

const apart = '   ';

/** The last session and how it is taken up again; an empty row until it is known. */
function Resume({lastSession, width}: Pick<StartFacts, 'lastSession'> & {readonly width: number}): ReactNode {
  if (lastSession === 'none') return <Text> </Text>;
  const command = `${apart}weft -c`;
  const lead = 'Last session: ';
  const room = width - lead.length - command.length;
  const age = room < minForAge ? '' : ` (${lastSession.age})`;
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

/** With fewer cells the title needs the room of the age. */
const minForAge = 30;
