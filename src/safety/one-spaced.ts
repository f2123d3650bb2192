/** Without white space at the ends, and with one space where there is more. */
export const oneSpaced = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ');
