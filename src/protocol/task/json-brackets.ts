/** Where in a text brackets open a level, the last one closes, or a comma stands. */
export interface JsonMark {
  readonly at: number;
  readonly kind: 'opens' | 'separates' | 'ends';
}

/** How deep JSON text is in brackets, as it comes line by line. */
export class JsonBrackets {
  depth = 0;
  isInText = false;
  /** Whether an object or a list may come next: after a bracket of a list, a comma, a colon. */
  takesValue = true;

  /** The marks of a line, in order. After `ends` there is no more to ask for. */
  *through(text: string): Generator<JsonMark> {
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (this.isInText) {
        if (unit === backslash) at += 1;
        else if (unit === quote) this.isInText = false;
        continue;
      }
      switch (unit) {
        case quote:
          this.isInText = true;
          this.takesValue = false;
          break;
        case openBrace:
        case openBracket:
          this.depth += 1;
          this.takesValue = unit === openBracket;
          yield {at, kind: 'opens'};
          break;
        case closeBrace:
        case closeBracket:
          this.depth -= 1;
          this.takesValue = false;
          if (this.depth <= 0) {
            yield {at, kind: 'ends'};
            return;
          }
          break;
        case comma:
          this.takesValue = true;
          yield {at, kind: 'separates'};
          break;
        case colon:
          this.takesValue = true;
          break;
        default:
          if (unit > blank) this.takesValue = false;
      }
    }
  }

  /** Back between the elements of the outermost list. */
  restart(): void {
    this.depth = 1;
    this.isInText = false;
    this.takesValue = true;
  }
}

const [quote, backslash, comma, colon, blank] = [0x22, 0x5c, 0x2c, 0x3a, 0x20];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
