import { doubledFaults, placeholdersOf } from '@svc/expression/contract'
import { doubtRoles, type Expression, type Path, type ResourceSite, type Text } from '@svc/domain/contract'
import { nearest } from '@svc/kernel'
import { shownField, storedField } from '../field-names.ts'
import type { EventDefinition, Moment, SEVERITIES } from './definition.ts'

/** A declared event, compiled. */
export interface TimelineEvent {
  readonly name: string
  readonly on: Moment
  readonly transition: string | undefined
  readonly field: string | undefined
  /** Undefined: a change of any field. */
  readonly fields: readonly string[] | undefined
  readonly capture: readonly string[]
  readonly label: Text
  readonly detail: Text
  readonly icon: string
  readonly severity: (typeof SEVERITIES)[number]
  /** None: everybody who sees the record. */
  readonly roles: readonly string[]
  readonly condition: Expression | undefined
  readonly snapshot: boolean
  /** Whether a text shows the actor's address, which is kept only then. */
  readonly showsEmail: boolean
}

/** Compiles an event; what is wrong with it is reported. */
export function buildEvent(name: string, definition: EventDefinition, site: ResourceSite): TimelineEvent {
  const { on, transition, field, fields, capture = [], condition } = definition
  const key = `history.${site.resource.name}.${name}`
  const label = site.named(`${key}.label`, definition.label)
  const detail = site.named(`${key}.detail`, definition.detail ?? '')
  const at = ['events', name]
  checkName(name, site)
  checkTransition(definition, at, site)
  checkField(definition, at, site)
  if (fields !== undefined && on !== 'update')
    site.warning([...at, 'fields'], "means something for 'on: update' alone")
  fields?.forEach((one, index) => storedField(one, [...at, 'fields', index], site))
  capture.forEach((one, index) => shownField(one, [...at, 'capture', index], site))
  site.icon(definition.icon, [...at, 'icon'])
  checkMode(definition, at, site)
  doubtRoles(definition.roles ?? [], [...at, 'roles'], site)
  checkTexts({ label, detail }, on, capture, at, site)
  return Object.freeze({
    name,
    on,
    transition,
    field,
    fields,
    capture,
    label,
    detail,
    icon: definition.icon ?? '',
    severity: definition.severity ?? 'info',
    roles: definition.roles ?? [],
    condition: condition === undefined ? undefined : conditionOf(condition, on, [...at, 'condition'], site),
    snapshot: definition.snapshot ?? false,
    showsEmail: [label, detail].flatMap(textsOf).some((text) => placeholdersOf(text).includes('user.email')),
  })
}

/** What changes of columns are told by. */
const ALTERED = ['change', 'column', 'previousName', 'type'] as const

/** A change of columns is about no record: its condition reads what changed. */
const conditionOf = (source: string, on: Moment, path: Path, site: ResourceSite): Expression | undefined =>
  on === 'schemaChange'
    ? site.expression(source, path, {
        moment: 'read',
        names: new Map(ALTERED.map((name) => [name, 'text'] as const)),
        kind: 'boolean',
      })
    : site.condition(source, path)

function checkName(name: string, site: ResourceSite): void {
  if (/^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name)) return
  const hint = 'Write a letter, then up to 62 letters, digits, hyphens and underscores'
  site.problem(['events', name], `'${name}' is no name for an event`, hint)
}

function checkTransition({ on, transition }: EventDefinition, at: Path, site: ResourceSite): void {
  const path = [...at, 'transition']
  if (on !== 'transition') {
    if (transition !== undefined) site.warning(path, "means something for 'on: transition' alone")
    return
  }
  if (transition === undefined)
    return site.problem(at, "'on: transition' needs 'transition'", 'Name the transition')
  const known = site.resource.stateMachine?.transitions ?? []
  if (known.includes(transition)) return
  const meant = nearest(transition, known)
  const { name } = site.resource
  site.problem(path, `'${name}' has no transition '${transition}'`, meant && `Did you mean '${meant}'?`)
}

function checkField({ on, field }: EventDefinition, at: Path, site: ResourceSite): void {
  const path = [...at, 'field']
  if (on !== 'fieldChange') {
    if (field !== undefined) site.warning(path, "means something for 'on: fieldChange' alone")
    return
  }
  if (field === undefined) return site.problem(at, "'on: fieldChange' needs 'field'", 'Name the field')
  storedField(field, path, site)
}

function checkMode({ on, snapshot, capture = [] }: EventDefinition, at: Path, site: ResourceSite): void {
  const { resource, warning } = site
  if (on === 'schemaChange' && resource.definition.mode !== 'sheet')
    warning([...at, 'on'], "happens with 'mode: sheet' alone")
  if (on === 'schemaChange' && capture.length > 0)
    warning([...at, 'capture'], 'means nothing here: a change of columns is about no record')
  if (snapshot === true && !site.feature('versioning'))
    warning([...at, 'snapshot'], "means nothing without 'versioning: true' under 'features'")
}

/** What the service captures by itself, by the moment. */
const AUTOMATIC = {
  create: [],
  update: [],
  delete: [],
  restore: [],
  transition: ['from', 'to'],
  fieldChange: ['previousValue', 'newValue'],
  schemaChange: ALTERED,
} as const satisfies Record<Moment, readonly string[]>
const ACTOR = ['actorId', 'actorName', 'user.id', 'user.name', 'user.email']

function checkTexts(
  texts: Readonly<Record<'label' | 'detail', Text>>,
  on: Moment,
  capture: readonly string[],
  at: Path,
  site: ResourceSite,
): void {
  const known = new Set<string>([...capture, ...AUTOMATIC[on], ...ACTOR])
  for (const [key, text] of Object.entries(texts)) {
    const lost = textsOf(text)
      .flatMap(placeholdersOf)
      .find((name) => !known.has(name))
    if (lost !== undefined)
      site.warning(
        [...at, key],
        `'{${lost}}' stays empty: the event keeps no such value`,
        "Add it to 'capture'",
      )
    const isKnown = (name: string) => known.has(name) || name === 'user' || site.resource.fields.has(name)
    const [doubled] = textsOf(text).flatMap((one) => doubledFaults(one, isKnown))
    if (doubled !== undefined) site.warning([...at, key], doubled.message, doubled.hint)
  }
}

const textsOf = (text: Text): readonly string[] => (typeof text === 'string' ? [text] : Object.values(text))
