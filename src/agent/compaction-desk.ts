import type {Compactor, CompactorParts} from './compactor.ts';
import type {Op} from './engine.ts';

/** Takes what concerns compacting; what that needs is loaded with the first of it. */
export class CompactionDesk {
  #compactor: Compactor | undefined;

  async run(
    op: Extract<Op, {op: 'preview-compact' | 'compact'}>,
    parts: CompactorParts,
    signal: AbortSignal,
  ): Promise<void> {
    const loaded = await import('./compactor.ts');
    this.#compactor ??= new loaded.Compactor();
    await (op.op === 'compact'
      ? this.#compactor.carryOut(op, parts)
      : this.#compactor.preview(op.instructions, parts, signal));
  }
}
