import type { Context } from '@svc/kernel'
import type { z } from 'zod'

/** The part of the server that commands look at. */
export type Server = Pick<Context, 'actions' | 'host' | 'log'>

/** A word that the socket understands. `input` describes what a line may hold beside `cmd`; nothing unless said. */
export interface Command {
  readonly name: string
  readonly input?: z.ZodObject
  /** Answers the data of the command; throws an AppError to refuse it. `input` has passed the schema. */
  run(server: Server, input: unknown): unknown
  /** Runs once the answer is on its way, also where nobody was left to take it. */
  afterAnswer?(server: Server): void
}
