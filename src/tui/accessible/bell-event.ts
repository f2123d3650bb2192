/** What calls the user by the terminal's bell. */
export type BellEvent = 'approval' | 'question' | 'done';
