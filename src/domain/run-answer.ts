/** What a program says to a run: an answer to what it asked, or that it shall stop. */
export type RunAnswer =
  | {readonly kind: 'stop'}
  | {
      readonly kind: 'approval';
      readonly decision: 'allow' | 'allow_session' | 'deny';
      /** Why not; empty where it is allowed. */
      readonly message: string;
    }
  | {
      readonly kind: 'question';
      /** By question: a label, or several; other words are the user's own. */
      readonly answers: Readonly<Record<string, string | readonly string[]>>;
    };
