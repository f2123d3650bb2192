import {Box, type DOMElement, measureElement, useCursor} from 'ink';
import {createContext, type ReactNode, type RefObject, use, useLayoutEffect, useRef, useState} from 'react';

/** The position of a cell, relative to its box or to the whole output. */
export interface Cell {
  readonly x: number;
  readonly y: number;
}

/** Holds the position of the terminal's cursor in the whole output. */
export const CaretContext = createContext<{current: Cell | undefined}>({current: undefined});

interface CaretProps {
  readonly at: Cell;
  readonly children: ReactNode;
}

/** A column that contains the terminal's cursor. Only one may be drawn at a time. */
export function Caret({at, children}: CaretProps): ReactNode {
  const box = useRef<DOMElement>(null);
  const caret = use(CaretContext);
  const {setCursorPosition} = useCursor();
  const [, setMounted] = useState('before');
  // Ink reads the position when it draws, after the layout. Content above the box can grow without a render of this component.
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
  // React sets the ref after the first frame, so this draws once more.
  useLayoutEffect(() => setMounted('after'), []);
  return (
    <Box ref={box} flexDirection="column" flexShrink={0}>
      {children}
    </Box>
  );
}

const originOf = ({current}: RefObject<DOMElement | null>): Cell =>
  current === null ? {x: 0, y: 0} : measureElement(current);
