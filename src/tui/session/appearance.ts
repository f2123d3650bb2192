import type {ThemeChoice, Verbosity} from '../../domain/preferences.ts';
import type {Background} from '../theme/background.ts';
import {themeOf, type Look, type Theme} from '../theme/theme.ts';

/** How things look now: what was chosen, and what the terminal has told of itself. */
export class Appearance {
  #look: Look;
  #background: Background = 'unknown';
  /** How much finished entries show. */
  verbosity: Verbosity;

  constructor(look: Look, verbosity: Verbosity) {
    this.#look = look;
    this.verbosity = verbosity;
  }

  get theme(): Theme {
    return themeOf(this.#look, this.#background);
  }

  /** `none` where there are no colours to choose. */
  get choice(): ThemeChoice | 'none' {
    return typeof this.#look === 'string' || this.#look.level === 'none' ? 'none' : this.#look.theme;
  }

  choose(theme: ThemeChoice): void {
    if (typeof this.#look !== 'string') this.#look = {...this.#look, theme};
  }

  /** The terminal has told its background. */
  backgroundIs(background: Background): void {
    this.#background = background;
  }
}
