import {Text} from 'ink';
import {createContext, type ReactNode, use} from 'react';
import {type Role, type Theme, themeOf} from './theme.ts';

/** The theme of the tree of components; without a provider, no colours at all. */
export const ThemeContext = createContext<Theme>(themeOf('plain'));

export const useTheme = (): Theme => use(ThemeContext);

interface StyledProps {
  /** The first role is the outermost. */
  readonly as: Role | readonly Role[];
  readonly children: string;
}

/** Text in the look of a role. It can stand alone or within Ink's `Text`, whose wrapping it takes over. */
export function Styled({as, children}: StyledProps): ReactNode {
  const theme = useTheme();
  return <Text>{theme.style(typeof as === 'string' ? [as] : as, children)}</Text>;
}
