/** Every look text can have on screen. Views name a role; what a role looks like is said here and nowhere else. */
export type Role =
  | 'dim'
  | 'bold'
  | 'italic'
  | 'struck'
  | 'heading'
  | 'code'
  | 'code-block'
  | 'link'
  | 'quote'
  | 'accent'
  | 'running'
  | 'success'
  | 'warning'
  | 'error'
  | 'added'
  | 'removed'
  | 'selected';

/** `plain` writes no styling at all: for NO_COLOR, dumb terminals and screen readers. */
export type Look = 'colour' | 'plain';

export interface Theme {
  readonly look: Look;
  /** The text in the roles given, outermost first; every style is closed again at its end. */
  paint(roles: readonly Role[], text: string): string;
}

/** One of the two looks; both are shared values. */
export const themeOf = (look: Look): Theme => (look === 'colour' ? colour : plain);

const plain: Theme = {look: 'plain', paint: (_roles, text) => text};

const colour: Theme = {
  look: 'colour',
  paint(roles, text) {
    if (roles.length === 0 || text === '') return text;
    let open = '';
    let close = '';
    for (const role of roles) {
      const [on, off] = codes[role];
      open += `\u001B[${on}m`;
      close = `\u001B[${off}m${close}`;
    }
    return open + text + close;
  },
};

/** SGR parameters that switch a role on and off. The sixteen named colours only: they follow the user's own palette. */
const codes: Readonly<Record<Role, readonly [on: string, off: string]>> = {
  dim: ['2', '22'],
  bold: ['1', '22'],
  italic: ['3', '23'],
  struck: ['9', '29'],
  heading: ['1;36', '22;39'],
  code: ['33', '39'],
  'code-block': ['32', '39'],
  link: ['4;34', '24;39'],
  quote: ['2;3', '22;23'],
  accent: ['36', '39'],
  running: ['36', '39'],
  success: ['32', '39'],
  warning: ['33', '39'],
  error: ['31', '39'],
  added: ['32', '39'],
  removed: ['31', '39'],
  selected: ['7', '27'],
};
