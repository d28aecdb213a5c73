import type { Site } from '@svc/domain/contract'
import type { PrivacyDefinition } from '../definition.ts'
import { nearestTo } from './near.ts'
import type { PersonalField } from './personal.ts'
import { misfit, readReplacement, type Replacement } from './replacement.ts'

const NULL: Replacement = { kind: 'value', value: null }

/** The rules of a domain: what stands in place of the values of a personal field. */
export interface Rules {
  of(personal: PersonalField): Replacement
}

/** Reads the rules; what fits no field, or not the field that it names, is reported. */
export function compileRules(
  { anonymization: { rules = {} } = {} }: PrivacyDefinition,
  personal: readonly PersonalField[],
  site: Site,
): Rules {
  const read = new Map<string, Replacement>()
  for (const [name, written] of Object.entries(rules)) {
    const replacement = readReplacement(written)
    if ('message' in replacement) {
      site.problem(['anonymization', 'rules', name], replacement.message, replacement.hint)
      continue
    }
    read.set(name, replacement)
    if (name !== 'default') checkRule(name, replacement, personal, site)
  }
  const of = (one: PersonalField): Replacement => {
    const { resource, field } = one
    const own = read.get(`${resource.name}.${field.name}`) ?? read.get(field.name)
    return own ?? read.get('default') ?? NULL
  }
  for (const one of personal)
    if (one.identifies && of(one).kind === 'preserve' && !isNamed(one, read))
      reportPreserved('default', one, site)
  return { of }
}

const isNamed = ({ resource, field }: PersonalField, read: ReadonlyMap<string, Replacement>): boolean =>
  read.has(`${resource.name}.${field.name}`) || read.has(field.name)

function checkRule(
  name: string,
  replacement: Replacement,
  personal: readonly PersonalField[],
  site: Site,
): void {
  const path = ['anonymization', 'rules', name]
  const met = personal.filter(
    ({ resource, field }) => name === field.name || name === `${resource.name}.${field.name}`,
  )
  if (met.length === 0) return reportUnmet(name, personal, site)
  for (const one of met) {
    const { resource, field } = one
    if (replacement.kind === 'preserve' && one.identifies) reportPreserved(name, one, site)
    const reason = misfit(replacement, field)
    if (reason !== undefined)
      site.problem(path, `${reason}: '${resource.name}.${field.name}'`, hintFor(replacement))
  }
}

const hintFor = ({ kind }: Replacement): string =>
  kind === 'value'
    ? 'Write a value that the field takes, $pseudonym or $hash6 for one that is unique, or null'
    : kind === 'fuzzyDate'
      ? '$fuzzyDate is for date and datetime'
      : 'It is for texts'

const reportPreserved = (name: string, { resource, field }: PersonalField, site: Site): void =>
  site.problem(
    ['anonymization', 'rules', name],
    `$preserve would keep '${resource.name}.${field.name}', by which a person is found`,
    'Write $pseudonym or $hash6',
  )

function reportUnmet(name: string, personal: readonly PersonalField[], site: Site): void {
  const path = ['anonymization', 'rules', name]
  const known = [...site.model.resources.values()].flatMap(({ name: resource, fields }) =>
    [...fields.keys()].flatMap((field) => [field, `${resource}.${field}`]),
  )
  if (known.includes(name))
    return site.warning(
      path,
      `'${name}' is not personal, so it is never erased`,
      'Give the field a classification, or pii',
    )
  const names = new Set(personal.map(({ field }) => field.name))
  site.problem(path, `no resource has a field '${name}'`, nearestTo(name, names) ?? nearestTo(name, known))
}
