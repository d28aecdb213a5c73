import { type FieldDefinition, FieldTypeError, type ValueFault } from '@svc/domain/contract'
import { createAllowed, readAllowed, sizeOf } from '@svc/files/contract'
import { z } from 'zod'
import type { MediaItem } from '../item.ts'

/** Something that an item has to be, for a field to take it. */
export interface Constraint {
  /** The name of the attribute, and of the rule that is broken. */
  readonly name: string
  readonly fault: ValueFault
  /** Whether an item with bytes meets it. */
  meets(item: MediaItem): boolean
}

const Pixels = z.union([z.number(), z.string()])

/** The attributes of fields of media, besides those of lists. */
export const CONSTRAINTS = {
  accept: z
    .union([z.string(), z.array(z.string()).min(1)])
    .describe('What items may be: media types, `image/*`, or extensions, which stand for their types.'),
  maxSize: z.union([z.int().min(1), z.string()]).describe('The greatest size, such as 5mb.'),
  minWidth: Pixels.describe('The least width, in pixels.'),
  maxWidth: Pixels.describe('The greatest width, in pixels.'),
  minHeight: Pixels.describe('The least height, in pixels.'),
  maxHeight: Pixels.describe('The greatest height, in pixels.'),
  aspectRatio: z.string().describe('Width to height, such as 16:9, within one per cent.'),
} as const

/** Reads the constraints of a field. Throws FieldTypeError with everything that makes no sense. */
export function readConstraints(definition: FieldDefinition): readonly Constraint[] {
  const found: FieldTypeError[] = []
  const read = READERS.flatMap((reader) => {
    try {
      return reader(definition)
    } catch (error) {
      if (!(error instanceof FieldTypeError)) throw error
      found.push(error)
      return []
    }
  })
  const [first] = found
  if (first !== undefined) throw new FieldTypeError(first.path, first.message, first.hint, found)
  return read
}

type Reader = (definition: FieldDefinition) => readonly Constraint[]

const READERS: readonly Reader[] = [
  accepted,
  bounded,
  ({ minWidth, maxWidth }) => measured('Width', minWidth, maxWidth, ({ width }) => width),
  ({ minHeight, maxHeight }) => measured('Height', minHeight, maxHeight, ({ height }) => height),
  shaped,
]

/** Says a fault in English; who speaks other languages knows it by its sentence. */
const faultOf = (name: string, message: string, params: ValueFault['params'] = {}): ValueFault => ({
  rule: name,
  sentence: `media.${name}`,
  message,
  params,
})

function accepted({ accept: written }: FieldDefinition): readonly Constraint[] {
  if (written === undefined) return []
  const entries = [written].flat()
  if (entries.length === 0) throw new FieldTypeError('accept', 'accept must name a type at least')
  entries.forEach((entry, at) => {
    const read = typeof entry === 'string' ? readAllowed(entry) : { fault: 'must be a text' }
    if ('ranges' in read) return
    const path = Array.isArray(written) ? ['accept', at] : ['accept']
    throw new FieldTypeError(
      path,
      `'${String(entry)}' ${read.fault}`,
      "Write 'image/*' or 'pdf', for example",
    )
  })
  const texts = entries.map(String)
  const isAllowed = createAllowed(texts)
  const fault = faultOf('accept', 'must be an item of the type {types}', { types: texts.join(', ') })
  return [{ name: 'accept', fault, meets: ({ mimeType }) => isAllowed(mimeType) }]
}

function bounded({ maxSize: written }: FieldDefinition): readonly Constraint[] {
  if (written === undefined) return []
  const most = typeof written === 'string' || typeof written === 'number' ? sizeOf(written) : undefined
  if (most === undefined)
    throw new FieldTypeError(
      'maxSize',
      `maxSize must be a size, which '${String(written)}' is not`,
      'Write a size such as 500kb or 5mb',
    )
  const fault = faultOf('maxSize', 'must be an item of at most {limit}', { limit: String(written) })
  return [{ name: 'maxSize', fault, meets: ({ size }) => size <= most }]
}

function measured(
  side: 'Width' | 'Height',
  least: unknown,
  most: unknown,
  of: (item: MediaItem) => number | null,
): readonly Constraint[] {
  const [min, max] = [pixelsOf(`min${side}`, least), pixelsOf(`max${side}`, most)]
  if (min !== undefined && max !== undefined && min > max)
    throw new FieldTypeError(`max${side}`, `max${side} ${max} is below min${side} ${min}`)
  const what = side.toLowerCase()
  const constraint = (name: string, message: string, limit: number, holds: (pixels: number) => boolean) => ({
    name,
    fault: faultOf(name, message, { limit }),
    meets: (item: MediaItem) => {
      const pixels = of(item)
      return pixels !== null && holds(pixels)
    },
  })
  return [
    ...(min === undefined
      ? []
      : [
          constraint(
            `min${side}`,
            `must be a picture of at least {limit} pixels in ${what}`,
            min,
            (pixels) => pixels >= min,
          ),
        ]),
    ...(max === undefined
      ? []
      : [
          constraint(
            `max${side}`,
            `must be a picture of at most {limit} pixels in ${what}`,
            max,
            (pixels) => pixels <= max,
          ),
        ]),
  ]
}

function pixelsOf(name: string, written: unknown): number | undefined {
  if (written === undefined) return undefined
  if (typeof written === 'number' && Number.isSafeInteger(written) && written > 0) return written
  throw new FieldTypeError(name, `${name} must be a whole number of pixels above zero`)
}

const RATIO = /^\s*(\d+(?:\.\d+)?)\s*:\s*(\d+(?:\.\d+)?)\s*$/
/** How far from a ratio a picture may be, and what numbers lose on the way. */
const WITHIN = 0.01 + 1e-9

function shaped({ aspectRatio: written }: FieldDefinition): readonly Constraint[] {
  if (written === undefined) return []
  const [, width, height] = (typeof written === 'string' ? RATIO.exec(written) : undefined) ?? []
  const ratio = Number(width) / Number(height)
  if (!(ratio > 0) || !Number.isFinite(ratio))
    throw new FieldTypeError(
      'aspectRatio',
      `aspectRatio must be two numbers above zero with a colon between, which '${String(written)}' is not`,
      "Write '16:9', for example",
    )
  const fault = faultOf('aspectRatio', 'must be a picture of the ratio {ratio}', { ratio: String(written) })
  const meets = (item: MediaItem) =>
    item.width !== null &&
    item.height !== null &&
    Math.abs(item.width / item.height - ratio) <= ratio * WITHIN
  return [{ name: 'aspectRatio', fault, meets }]
}
