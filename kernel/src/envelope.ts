import { AppError, errors, type FieldError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { Logger } from './log.ts'
import { encodedAside, LONG_TEXT } from './long-text.ts'
import { type Answer, JsonText, type Reply, type Warning } from './reply.ts'

const JSON_TYPE = 'application/json'

/** The documented success envelope, or the reply's own body where it has one; what is long takes several turns to be written. */
export function answerReply(reply: Reply, exchange: Exchange): Answer | Promise<Answer> {
  const { status, content } = reply
  const { action, request } = exchange
  const told = action.tells?.(request)
  const headers = Object.assign(exchange.headers, told?.headers, reply.headers)
  if (content !== undefined) {
    const { type, body, length } = content
    return length === undefined ? { status, headers, type, body } : { status, headers, type, body, length }
  }
  if (status === 204 || status === 304) return { status, headers, type: undefined, body: undefined }
  const { data } = reply
  const rest = restText(exchange.warnings.reported, joined(told?.meta, reply.meta))
  if (data instanceof JsonText && data.length > LONG_TEXT)
    return answerLong([startText(status), ...data.parts, rest], { status, headers, type: JSON_TYPE })
  const text = data instanceof JsonText ? data.text : JSON.stringify(data ?? null)
  return { status, headers, type: JSON_TYPE, body: `${startText(status)}${text}${rest}` }
}

const answerLong = async (parts: readonly string[], answer: Omit<Answer, 'body'>): Promise<Answer> => ({
  ...answer,
  body: await encodedAside(parts),
})

/** What stands before the data of a success. */
const startText = (status: number): string => `{"status":"ok","code":${status},"data":`

/** What stands behind it. */
function restText(warnings: readonly Warning[], meta: Reply['meta']): string {
  const told = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`
  return `${told}${meta === undefined ? '' : `,"_meta":${JSON.stringify(meta)}`}}`
}

/** The facts of both; a message that has none makes no object. */
const joined = (told: Reply['meta'], own: Reply['meta']): Reply['meta'] =>
  told === undefined ? own : own === undefined ? told : { ...told, ...own }

/** What is done with errors: where the unknown ones are logged, and whether the known ones explain themselves. */
export interface ErrorReporting {
  readonly log: Logger
  readonly explains: boolean
}

/** The documented error envelope. What is no AppError tells nothing of itself: it is logged under the request's id. */
export function answerError(
  error: unknown,
  exchange: Pick<Exchange, 'request' | 'headers' | 'action'>,
  { log, explains }: ErrorReporting,
): Answer {
  const known = error instanceof AppError ? localized(error, exchange, log) : hidden(error, exchange, log)
  const { errors: faults, data, meta, headers, explanation } = known.detail
  const told = exchange.action.tells?.(exchange.request)
  const message = explains && explanation !== undefined ? `${known.message}: ${explanation}` : known.message
  return {
    status: known.status,
    headers: { ...exchange.headers, ...told?.headers, ...headers },
    type: JSON_TYPE,
    body: errorText(known.status, known.code, message, {
      data,
      errors: faults,
      _meta: joined(told?.meta, meta),
    }),
  }
}

/** Faults that nobody has said yet, as those of an input that the kernel refused, are said by the action that they belong to. */
function localized(refused: AppError, exchange: Failed, log: Logger): AppError {
  const { code, status, message, detail } = refused
  const { localize } = exchange.action
  const faults = detail.errors
  if (localize === undefined || faults === undefined || faults.length === 0 || !faults.every(isOpen))
    return refused
  try {
    return new AppError(code, status, message, { ...detail, ...localize(faults, exchange.request) })
  } catch (error) {
    return hidden(error, exchange, log)
  }
}

const isOpen = (fault: object): fault is FieldError => 'params' in fault && 'rule' in fault

/** What an error envelope has besides; a frozen fault never changes. */
interface Told {
  readonly data?: unknown
  readonly errors?: readonly object[] | undefined
  readonly _meta?: unknown
}

/** The error envelope as text, for answers that no exchange stands behind. */
export function errorText(
  status: number,
  code: string,
  message: string,
  { data, errors: faults, _meta }: Told = {},
): string {
  const told = faults === undefined ? '' : `,"errors":[${faults.map(faultText).join(',')}]`
  return `{"status":"error","code":${status},"error_code":${JSON.stringify(code)},"error_message":${JSON.stringify(message)}${member('data', data)}${told}${member('_meta', _meta)}}`
}

const member = (name: string, value: unknown): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

/** The texts of faults that never change: many a message has the same ones. */
const texts = new WeakMap<object, string>()

function faultText(fault: object): string {
  const known = texts.get(fault)
  if (known !== undefined) return known
  const text = JSON.stringify(withoutParams(fault))
  if (Object.isFrozen(fault)) texts.set(fault, text)
  return text
}

/** A fault as an answer has it: what its message is made of stays inside. */
export function withoutParams(fault: object): object {
  if (!('params' in fault)) return fault
  const { params: _, ...shown } = fault
  return shown
}

type Failed = Pick<Exchange, 'request' | 'action'>

function hidden(error: unknown, { request, action }: Failed, log: Logger): AppError {
  log.error({ err: error, requestId: request.id, action: action.name }, 'request.failed')
  return errors.INTERNAL_ERROR({
    message: `Something went wrong inside the server; the log has it under request id ${request.id}`,
  })
}
