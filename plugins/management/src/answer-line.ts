import { AppError, errors, nearest } from '@svc/kernel'
import { z } from 'zod'
import type { Command } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { MAX_LINE_BYTES } from './limits.ts'
import { type Line, TOO_LONG } from './line-reader.ts'
import type { Server } from './server.ts'

const Message = z.strictObject({ cmd: z.string() })

/** One line of answer, and what is to happen once it is on its way. */
export interface LineAnswer {
  readonly text: string
  readonly after?: () => void
}

/** Runs the command of one line. Never throws: every fault becomes an answer. */
export function answerLine(line: Line, server: Server): LineAnswer {
  try {
    const command = commandOf(line)
    const text = textOf({ ok: true, data: command.run(server) })
    return { text, after: () => command.afterAnswer?.(server) }
  } catch (error) {
    return { text: textOf({ ok: false, error: messageOf(error, server) }) }
  }
}

const textOf = (answer: object): string => `${JSON.stringify(answer)}\n`

function commandOf(line: Line): Command {
  const { cmd } = parse(line)
  const found = COMMANDS.find(({ name }) => name === cmd)
  if (found) return found
  const names = COMMANDS.map(({ name }) => name)
  const meant = nearest(cmd.slice(0, 64), names)
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`
  throw errors.NOT_FOUND({ message: `Unknown command.${hint} Commands: ${names.join(', ')}` })
}

function parse(line: Line): z.output<typeof Message> {
  if (line === TOO_LONG) {
    throw errors.PAYLOAD_TOO_LARGE({ message: `A line has at most ${MAX_LINE_BYTES} bytes` })
  }
  const result = Message.safeParse(jsonOf(line))
  if (result.success) return result.data
  throw errors.BAD_REQUEST({ message: 'Send one object a line that names a command: {"cmd":"status"}' })
}

function jsonOf(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line))
  } catch {
    throw errors.BAD_REQUEST({ message: 'The line is no JSON: send one object a line' })
  }
}

function messageOf(error: unknown, { log }: Server): string {
  if (error instanceof AppError) return error.message
  log.error({ err: error }, 'management.command_failed')
  return 'Something went wrong inside the server; the log has it'
}
