/**
 * Messages that a transport found waiting when it looked once at its connections. All of them had been sent when it looked, so
 * that none of them can come of what the others are answered, nor of anything that happened since: what is read for one of
 * them may be of the same moment as what is read for another.
 */
export interface Arrival {
  /** Whether the transport may have looked again. */
  readonly isOver: boolean
  /** Calls `listener` once it is over, before anything that comes in after that is read. */
  onceOver(listener: () => void): void
}
