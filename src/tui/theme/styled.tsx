import {Text} from 'ink';
import {createContext, type ReactNode, use} from 'react';
import {type Role, type Theme, themeOf} from './theme.ts';

/** The theme of the component tree. Without a provider there are no colors. */
export const ThemeContext = createContext<Theme>(themeOf('plain'));

export const useTheme = (): Theme => use(ThemeContext);

interface StyledProps {
  /** One role, or several, the outermost first. */
  readonly as: Role | readonly Role[];
  readonly children: string;
}

/** Text in the style of a role. It can stand alone or inside Ink's `Text`, and then wraps like it. */
export function Styled({as, children}: StyledProps): ReactNode {
  const theme = useTheme();
  return <Text>{theme.style(typeof as === 'string' ? [as] : as, children)}</Text>;
}
