import type { CompiledValue, LocalText, Path } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import type { SendingPlace } from '../../compile/operation.ts'
import { checkRequired } from '../../compile/required.ts'
import type { Sending } from '../../compile/sending.ts'
import { compileEntry, MASK, shown, type Shows } from '../../mapping/mapping.ts'
import { mappingFault } from '../../wire/fault.ts'
import type { MailOperation, SmtpDefinition } from './definition.ts'

/** A mail as a row keeps it. */
export interface Mail {
  readonly from: string
  readonly replyTo?: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string
  readonly text?: string
  readonly html?: string
  readonly attachments: readonly { readonly media: string; readonly filename?: string }[]
}

/** How many a mail goes to at most. */
const MOST_RECIPIENTS = 50

/** One address and nothing around it (RFC 5321, section 4.1.2), as far as it could be read as anything else. */
const ADDRESS = /^[^\s@,;:<>()[\]"\\\p{Cc}]+@[^\s@,;:<>()[\]"\\\p{Cc}]+$/u

export const isAddress = (text: string): boolean => text.length <= 254 && ADDRESS.test(text)

/** Compiles the mail of an operation; undefined where something is wrong, which is reported. */
export function compileMail(
  written: MailOperation,
  { from, replyTo }: SmtpDefinition,
  { site, path, speech }: SendingPlace,
): (Pick<Sending, 'expressions'> & { make(context: EvaluationContext, shows?: Shows): Mail }) | undefined {
  const value = (one: string, at: Path) => compileEntry(one, at, site, speech)
  const listed = (name: 'to' | 'cc' | 'bcc') => {
    const one = written[name]
    if (one === undefined) return []
    return Array.isArray(one)
      ? one.map((each, at) => value(each, [...path, name, at]))
      : [value(one, [...path, name])]
  }
  const to = listed('to')
  const cc = listed('cc')
  const bcc = listed('bcc')
  const subject = value(written.subject, [...path, 'subject'])
  const text = written.text === undefined ? null : value(written.text, [...path, 'text'])
  const html = written.html === undefined ? null : site.text(written.html, [...path, 'html'], speech)
  const attachments = (written.attachments ?? []).map(({ media, filename }, at) => ({
    media: value(media, [...path, 'attachments', at, 'media']),
    filename: filename === undefined ? null : value(filename, [...path, 'attachments', at, 'filename']),
  }))
  const hasText = written.text !== undefined || written.html !== undefined
  if (!hasText) site.problem([...path, 'text'], 'is missing', "Write 'text' or 'html', or both")
  const values = [...to, ...cc, ...bcc, subject, text, ...attachments.flatMap(Object.values)]
  if (!hasText || html === undefined || !areAll(values)) return undefined
  const required = written.required ?? []
  return {
    expressions: [...values, html].flatMap((one) => one?.expressions ?? []),
    make(context, shows) {
      const addresses = (name: string, all: readonly (CompiledValue | null | undefined)[]) =>
        all.flatMap((one) => addressesOf(name, shownValue(one, context, shows), shows))
      const mail = {
        from,
        ...(replyTo !== undefined && { replyTo }),
        to: addresses('to', to),
        cc: addresses('cc', cc),
        bcc: addresses('bcc', bcc),
        subject: lineOf('subject', shownValue(subject, context, shows)),
        ...(text && { text: textOf('text', shownValue(text, context, shows)) }),
        ...(html && { html: htmlOf(html, context, shows) }),
        attachments: attachments.flatMap(({ media, filename }) => {
          const id = shownValue(media, context, shows)
          const name = shownValue(filename, context, shows)
          if (id === null) return []
          return [
            {
              media: lineOf('attachments', id),
              ...(name !== null && { filename: lineOf('attachments', name) }),
            },
          ]
        }),
      }
      checkRequired(['to', 'subject', ...required], { ...mail, to: mail.to[0] ?? null })
      const count = mail.to.length + mail.cc.length + mail.bcc.length
      if (count > MOST_RECIPIENTS)
        throw mappingFault('to', `a mail goes to ${MOST_RECIPIENTS} at most, and this one to ${count}`)
      return mail
    },
  }
}

const areAll = <T>(all: readonly (T | undefined)[]): all is readonly T[] =>
  all.every((one) => one !== undefined)

const shownValue = (
  value: CompiledValue | null | undefined,
  context: EvaluationContext,
  shows: Shows | undefined,
): Value => (value ? shown(value, context, shows) : null)

function addressesOf(field: string, value: Value, shows: Shows | undefined): readonly string[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((one: Value) => addressesOf(field, one, shows))
  if (typeof value !== 'string') throw mappingFault(field, 'an address is a text')
  if (shows !== undefined && value === (shows.mask ?? MASK)) return [value]
  if (!isAddress(value)) throw mappingFault(field, `'${value.slice(0, 100)}' is not exactly one address`)
  return [value]
}

/** A value as one text. */
function textOf(field: string, value: Value): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw mappingFault(field, 'a list or a map is no value here')
}

function lineOf(field: string, value: Value): string {
  const text = textOf(field, value)
  if (/[\r\n\0]/.test(text)) throw mappingFault(field, 'it is one line, without line breaks')
  return text
}

const htmlOf = (html: LocalText, context: EvaluationContext, shows: Shows | undefined): string =>
  shows === undefined || html.expressions.every((one) => shows(one))
    ? html.fill(context, undefined, undefined, escaped)
    : (shows.mask ?? MASK)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one)
