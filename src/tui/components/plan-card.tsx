import type {ReactNode} from 'react';
import {planChoices} from '../state/press-plan.ts';
import {Card} from './card.tsx';
import {Choices} from './choices.tsx';

interface PlanCardProps {
  /** The choice that Enter takes. */
  readonly row: number | 'none';
  readonly width: number;
}

/** What follows an answer in plan mode; the plan itself stands above the card. */
export const PlanCard = ({row, width}: PlanCardProps): ReactNode => (
  <Card width={width} title="Go ahead with this plan?" note="" hints={['Tab later', 'Esc keep planning']} tone="calm">
    <Choices choices={planChoices.map(({label, letter}) => ({label, letter, detail: ''}))} selected={row} />
  </Card>
);
