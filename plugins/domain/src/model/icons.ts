import { isUrl } from '../fields/is-url.ts'
import type { Value } from '@svc/store/contract'
import { z } from 'zod'
import { didYouMean } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import { Text } from '../definition/schema/text.ts'
import type { FieldTypes } from '../fields/index.ts'
import { sentenceOf } from '../speech/sentence.ts'
import type { Report } from './report.ts'

/** A set of icons, as clients are told of it. */
export interface IconSet {
  readonly label: Text | undefined
  /** Where an icon is found, by `{name}`; nothing is ever fetched from there. */
  readonly url: string | undefined
  /** The names of its icons; undefined where any name is one. */
  readonly names: ReadonlySet<string> | undefined
  /** The pictures of those that the definition holds itself, as clean SVG. */
  readonly texts: ReadonlyMap<string, string>
  /** What stands in place of all that where it has a shape of its own. */
  readonly asWritten?: Value
}

/** The icon sets of a domain, by name. */
export type IconSets = ReadonlyMap<string, IconSet>

const WrittenSet = z.strictObject({
  label: Text.optional(),
  url: z
    .string()
    .refine((url) => url.includes('{name}') && /^https:\/\//i.test(url) && isUrl(url))
    .optional(),
  icons: z.union([z.array(z.string().min(1)), z.record(z.string().min(1), z.string())]).optional(),
})

const SHAPE =
  'Write a map of label, url (an https address with {name}) and icons (a list of names, or a map from name to SVG)'
/** The field type whose check makes a picture clean. */
const PICTURE = 'svg'

export interface IconSurroundings {
  readonly types: FieldTypes
  readonly report: Report
}

/** Compiles what stands under `icons`. What has another shape is published as it is written, with a warning. */
export function buildIcons(written: unknown, around: IconSurroundings): IconSets {
  if (written === undefined || written === null) return new Map()
  const at = ['domain', 'icons']
  const sets = z.record(z.string(), z.json()).safeParse(written)
  if (!sets.success) {
    around.report.warning(at, 'is no map of icon sets: it is not published', SHAPE)
    return new Map()
  }
  return new Map(
    Object.entries(sets.data).map(([name, set]) => [name, buildSet(set as Value, [...at, name], around)]),
  )
}

const OTHER = { label: undefined, url: undefined, names: undefined, texts: new Map<string, string>() }

function buildSet(written: Value, at: Path, around: IconSurroundings): IconSet {
  const parsed = WrittenSet.safeParse(written)
  if (!parsed.success) {
    around.report.warning(at, 'is no icon set: it is published as it is written', SHAPE)
    return Object.freeze({ ...OTHER, asWritten: written })
  }
  const { label, url, icons } = parsed.data
  if (icons === undefined) return Object.freeze({ ...OTHER, label, url })
  const isList = Array.isArray(icons)
  const texts = isList
    ? []
    : Object.entries(icons).map(([name, text]) => [name, cleaned(name, text, at, around)] as const)
  return Object.freeze({
    label,
    url,
    names: new Set(isList ? icons : Object.keys(icons)),
    texts: new Map(texts.filter((one): one is readonly [string, string] => one[1] !== undefined)),
  })
}

/** A picture as it is shown; undefined where it was reported. */
function cleaned(
  name: string,
  text: string,
  set: Path,
  { types, report }: IconSurroundings,
): string | undefined {
  const at = [...set, 'icons', name]
  const type = types.find(PICTURE)
  if (type === undefined) {
    report.problem(
      at,
      `pictures of icons need the field type '${PICTURE}'`,
      `Load the plugin '${PICTURE}', or list the names alone`,
    )
    return undefined
  }
  const scope = { allowed: undefined, blocks: new Map(), enums: new Map() }
  const checked = types.compile(type, { type: PICTURE }, scope).check(text)
  if ('value' in checked) {
    for (const { message } of checked.remarks ?? []) report.warning(at, message)
    return String(checked.value)
  }
  for (const fault of checked.faults) report.problem(at, sentenceOf(fault))
  return undefined
}

/** Reports an icon that a set of the definition does not have. Sets that are not declared are anybody's. */
export function checkIcon(icon: string | undefined, at: Path, icons: IconSets, report: Report): void {
  if (icon === undefined) return
  const colon = icon.indexOf(':')
  const [set, name] = [icon.slice(0, colon), icon.slice(colon + 1)]
  const names = colon < 0 ? undefined : icons.get(set)?.names
  if (names === undefined || names.has(name)) return
  const meant = didYouMean(name, names)
  report.problem(
    at,
    `the icon set '${set}' has no icon '${name}'`,
    meant ?? `Declare it under 'icons.${set}.icons'`,
  )
}
