/** The pictures and links that a terminal shows. */
export interface Media {
  /** `kitty`: pictures as text cells, by kitty's Unicode placeholders. `iterm`: pictures by iTerm2's inline images. */
  readonly pictures: 'kitty' | 'iterm' | 'none';
  /** Whether links to files of this machine work. */
  readonly files: 'linked' | 'plain';
  /** The page of the workspace's repository, whose numbers of pull requests are links. Empty if it has none. */
  readonly repository: string;
}

export const noMedia: Media = {pictures: 'none', files: 'plain', repository: ''};

/**
 * Returns what a terminal shows, from its environment. A multiplexer shows no pictures: tmux drops their sequences unless the user
 * allows them. Over SSH, a link would open a file of another machine; the terminal of VS Code opens files of its remote side.
 */
export function terminalMedia(
  environment: Readonly<Record<string, string | undefined>>,
): Pick<Media, 'pictures' | 'files'> {
  const {TERM: term = '', TERM_PROGRAM: program = '', LC_TERMINAL: outer = '', TMUX: tmux = ''} = environment;
  const {KITTY_WINDOW_ID: kitty = '', SSH_CONNECTION: ssh = '', WT_SESSION: windows = ''} = environment;
  if (term === 'dumb' || tmux !== '' || /^(?:screen|tmux)/u.test(term)) return {pictures: 'none', files: 'plain'};
  const isKitty = kitty !== '' || /kitty|ghostty/u.test(term) || program === 'ghostty';
  const isIterm = /^(?:iTerm\.app|WezTerm)$/u.test(program) || outer === 'iTerm2';
  const isRemote = (ssh !== '' && program !== 'vscode') || windows !== '';
  return {pictures: isKitty ? 'kitty' : isIterm ? 'iterm' : 'none', files: isRemote ? 'plain' : 'linked'};
}
