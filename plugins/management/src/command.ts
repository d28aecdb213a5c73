import type { Server } from './server.ts'

/** A word that the socket understands. */
export interface Command {
  readonly name: string
  /** Answers the data of the command; throws an AppError to refuse it. */
  run(server: Server): unknown
  /** Runs once the answer is on its way, also where nobody was left to take it. */
  afterAnswer?(server: Server): void
}
