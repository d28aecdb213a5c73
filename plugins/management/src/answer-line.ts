import { AppError, errors, nearest, schemaFaults } from '@svc/kernel'
import { z } from 'zod'
import type { Answer } from './ask-server.ts'
import type { Command, Server } from './command.ts'
import { MAX_LINE_BYTES } from './limits.ts'
import { type Line, TOO_LONG } from './line-reader.ts'

const Message = z.looseObject({ cmd: z.string() })

/** One line of answer, and what is to happen once it is on its way. */
export interface LineAnswer {
  readonly text: string
  readonly after?: () => void
}

/** Runs the command of one line. Never rejects: every fault becomes an answer. */
export async function answerLine(
  line: Line,
  server: Server,
  commands: readonly Command[],
): Promise<LineAnswer> {
  try {
    const { cmd, ...given } = parse(line)
    const command = commandOf(cmd, commands)
    const data = await command.run(server, inputOf(command, given))
    return { text: textOf({ ok: true, data }), after: () => command.afterAnswer?.(server) }
  } catch (error) {
    return { text: textOf(refusalOf(error, server)) }
  }
}

/** The answer as it is sent. */
export const textOf = (answer: Answer): string => `${JSON.stringify(answer)}\n`

function commandOf(cmd: string, commands: readonly Command[]): Command {
  const found = commands.find(({ name }) => name === cmd)
  if (found) return found
  const names = commands.map(({ name }) => name)
  const meant = nearest(cmd.slice(0, 64), names)
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`
  throw errors.NOT_FOUND({ message: `Unknown command.${hint} Commands: ${names.join(', ')}` })
}

function inputOf({ name, input = z.object({}) }: Command, given: object): unknown {
  const schema = input.strict()
  const faults = schemaFaults(schema, given, name, name)
  if (faults.length === 0) return schema.parse(given)
  throw errors.BAD_REQUEST({ message: faults.map(({ message }) => message).join('; ') })
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

function refusalOf(error: unknown, { log }: Server): Answer {
  if (!(error instanceof AppError)) {
    log.error({ err: error }, 'management.command_failed')
    return { ok: false, error: 'Something went wrong inside the server; the log has it' }
  }
  const { errors: faults, data } = error.detail
  return {
    ok: false,
    error: error.message,
    ...(faults && { errors: faults }),
    ...(data !== undefined && { data }),
  }
}
