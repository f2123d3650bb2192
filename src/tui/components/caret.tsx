import {Box, type DOMElement, measureElement, useCursor} from 'ink';
import {createContext, type ReactNode, type RefObject, use, useLayoutEffect, useRef, useState} from 'react';

/** A cell, counted from the first one of its box or of the whole output. */
export interface Cell {
  readonly x: number;
  readonly y: number;
}

/** Holds the cell of the terminal's cursor in the whole output, for whoever has to know where it is. */
export const CaretContext = createContext<{current: Cell | undefined}>({current: undefined});

interface CaretProps {
  readonly at: Cell;
  readonly children: ReactNode;
}

/** A column with the terminal's cursor in it; no two are drawn at once. */
export function Caret({at, children}: CaretProps): ReactNode {
  const box = useRef<DOMElement>(null);
  const caret = use(CaretContext);
  const {setCursorPosition} = useCursor();
  const [, setMounted] = useState('before');
  // Ink reads the position when it draws, after the layout: what is above the box may have grown without this being rendered.
  const position = {
    get x() {
      return originOf(box).x + at.x;
    },
    get y() {
      return originOf(box).y + at.y;
    },
  };
  setCursorPosition(position);
  useLayoutEffect(() => {
    caret.current = position;
    return () => {
      caret.current = undefined;
    };
  });
  // The first frame is drawn before React has given the box.
  useLayoutEffect(() => setMounted('after'), []);
  return (
    <Box ref={box} flexDirection="column" flexShrink={0}>
      {children}
    </Box>
  );
}

const originOf = ({current}: RefObject<DOMElement | null>): Cell =>
  current === null ? {x: 0, y: 0} : measureElement(current);
