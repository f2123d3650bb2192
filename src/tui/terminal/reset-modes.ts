/**
 * Undoes what a program may have left switched on, on the screen that weft draws on: the alternate screen is left if it was taken.
 * The cursor stays, although setting the margins moves it.
 */
export const resetModes =
  '\u001B7\u001B[?1049l\u001B[?6l\u001B[?69l\u001B[0m\u000F\u001B(B\u001B7\u001B[r\u001B8' +
  '\u001B[?25h\u001B[?1l\u001B>\u001B[4l\u001B[20l\u001B[?5l\u001B[?7h\u001B[?12l' +
  '\u001B[?9l\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1004l\u001B[?1005l\u001B[?1006l\u001B[?1015l\u001B[?1016l' +
  '\u001B[?2004l\u001B[?2026l\u001B[?2031l\u001B[=0u\u001B[<99u\u001B[>4;0m\u001B[0 q';
