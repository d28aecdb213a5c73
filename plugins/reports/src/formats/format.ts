import {
  didYouMean,
  type Enumeration,
  type Field,
  type Localizer,
  type Path,
  type Site,
  type Locale,
} from '@svc/domain/contract'
import { type Expression, FORMATS, type Formats, type Kind } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'

/** How a column or a figure is written as text. */
export interface ValueFormat {
  /** As the definition writes it, such as `date(dd.MM.yyyy)`. */
  readonly written: string
  /** The text of a value; that of null is empty. */
  write(value: Value, formats: Formats, labelOf?: (value: Value) => string | undefined): string
}

const WRITTEN = /^([A-Za-z]+)(?:\((.*)\))?$/s

/** Compiles a format; `otherwise` stands in where none is written, and where it was reported as wrong. */
export function compileFormat(
  written: string | undefined,
  otherwise: string,
  path: Path,
  site: Pick<Site, 'problem'>,
): ValueFormat {
  if (written === undefined) return formatOf(otherwise, otherwise, [])
  const [, name = '', argument] = WRITTEN.exec(written.trim()) ?? []
  const format = FORMATS.get(name)
  if (format === undefined) {
    const hint = didYouMean(name || written, FORMATS.keys())
    site.problem(
      path,
      `there is no format '${written.slice(0, 60)}'`,
      hint ?? `Write ${[...FORMATS.keys()].join(', ')}`,
    )
    return formatOf(otherwise, otherwise, [])
  }
  if (argument === undefined) return formatOf(written, name, [])
  const [takes] = format.takes
  const value = takes === 'whole' ? Number(argument) : unquoted(argument)
  const fault =
    takes === undefined
      ? `'${name}' takes nothing in parentheses`
      : argument.trim() === ''
        ? `'${name}()' says nothing`
        : format.inspect?.(value)
  if (fault !== undefined) site.problem(path, fault)
  return formatOf(written, name, [value])
}

const unquoted = (text: string): string => /^(['"])(.*)\1$/s.exec(text.trim())?.[2] ?? text

function formatOf(written: string, name: string, args: readonly Value[]): ValueFormat {
  const format = FORMATS.get(name)!
  const plain = FORMATS.get('text')!
  return {
    written,
    write(value, formats, labelOf) {
      if (value === null) return ''
      if (name === 'text' && labelOf) {
        const label = Array.isArray(value)
          ? value.map((one: Value) => labelOf(one) ?? plain.write(one, [], formats, undefined)).join(', ')
          : labelOf(value)
        if (label !== undefined) return label
      }
      return format.write(value, args, formats, undefined) ?? plain.write(value, [], formats, undefined) ?? ''
    },
  }
}

/** The format that a field's type has of itself. */
export function formatOfField({ compiled: { type } }: Pick<Field, 'compiled'>): string {
  const { name, column } = type
  if (FORMATS.has(name)) return name
  if (name === 'autoincrement') return 'integer'
  switch (column) {
    case 'integer':
      return 'integer'
    case 'decimal':
    case 'float':
      return 'decimal'
    case 'boolean':
    case 'date':
    case 'time':
    case 'datetime':
      return column
    default:
      return 'text'
  }
}

/** The format of values that are worked out, by what is known of them. */
export function formatOfKind(kind: Expression['kind']): string {
  return KINDS[kind]
}

const KINDS: Readonly<Record<Kind, string>> = {
  text: 'text',
  number: 'decimal',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
  list: 'text',
  object: 'text',
  null: 'text',
  unknown: 'text',
}

/** The labels of an enumeration's values for a reader. */
export const labelsOf =
  (enumeration: Enumeration | undefined, localizer: Localizer, locale: Locale) =>
  (value: Value): string | undefined =>
    localizer.text(enumeration?.values.get(String(value))?.label, locale)
