import { ASKED_FOR_NULL, type FieldDefinition, FieldTypeError, type FieldType } from '@svc/domain/contract'
import { sizeOf } from '@svc/files/contract'
import { z } from 'zod'
import { cleanSvg } from './clean.ts'
import { FAULTS, isFault } from './fault.ts'
import { leftOutText } from './left-out.ts'

const DEFAULT_SIZE = '256kb'

const MaxSize = z
  .union([z.int().min(1), z.string()])
  .describe('The greatest size of what is sent, as UTF-8, such as 64kb.')

const NO_TEXT = Object.freeze({ faults: Object.freeze([{ rule: 'type', sentence: 'type.text' }]) })

/** A picture as text, cleaned by every write. */
export const svgType: FieldType = Object.freeze({
  name: 'svg',
  aliases: [],
  column: 'text',
  attributes: { maxSize: MaxSize },
  ...ASKED_FOR_NULL,
  example: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4"/></svg>',
  compile(definition) {
    const maxBytes = maxBytesOf(definition)
    return {
      check(value) {
        if (typeof value !== 'string') return NO_TEXT
        const cleaned = cleanSvg(value, maxBytes)
        if (isFault(cleaned)) return { faults: [faultOf(cleaned)] }
        const { text, leftOut } = cleaned
        if (leftOut === undefined) return { value: text }
        return { value: text, remarks: [{ rule: 'svg', message: `was cleaned of ${leftOutText(leftOut)}` }] }
      },
      parseText: () => undefined,
      openapi: { type: 'string', contentMediaType: 'image/svg+xml' },
    }
  },
} satisfies FieldType)

const faultOf = ({ key, params }: { key: keyof typeof FAULTS; params: Record<string, string | number> }) => ({
  rule: 'svg',
  sentence: `svg.${key}`,
  message: FAULTS[key],
  params,
})

function maxBytesOf({ maxSize = DEFAULT_SIZE }: FieldDefinition): number {
  const bytes = typeof maxSize === 'string' || typeof maxSize === 'number' ? sizeOf(maxSize) : undefined
  if (bytes !== undefined) return bytes
  throw new FieldTypeError(
    'maxSize',
    `maxSize must be a size, which '${String(maxSize)}' is not`,
    'Write a size such as 64kb or 1.5mb',
  )
}
