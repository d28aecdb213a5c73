import type { Model, Resource, Site } from '@svc/domain/contract'
import type { FieldPrivacy, Method, PrivacyDefinition } from '../definition.ts'
import { LINEAGE, type Lineage } from '../resource-block.ts'
import { compileRules, type Rules } from './anonymization.ts'
import { compilePurposes, type Purpose } from './consent.ts'
import { type MadeField, madeFields } from './made.ts'
import { compilePermissions, type Permissions } from './permissions.ts'
import { type PersonalField, personalFields } from './personal.ts'
import { compileRetention, type RetentionEntry } from './retention.ts'

/** What a domain says of personal data, compiled. */
export interface Privacy {
  readonly model: Model
  readonly enabled: boolean
  /** All personal fields, in the order of the definition. */
  readonly personal: readonly PersonalField[]
  /** Those of one resource. */
  personalOf(resource: Resource): readonly PersonalField[]
  /** The computed fields of one resource that are made of personal ones, of whichever resource. */
  madeOf(resource: Resource): readonly MadeField[]
  readonly classifications: ReadonlyMap<string, { readonly description: string | undefined }>
  /** The names of the fields that a person is found by, the first of them first. */
  readonly primary: string | undefined
  readonly alternates: readonly string[]
  readonly method: Method
  readonly rules: Rules
  readonly purposes: ReadonlyMap<string, Purpose>
  readonly retention: readonly RetentionEntry[]
  readonly permissions: Permissions
  /** What resources say of their own. */
  readonly lineage: ReadonlyMap<Resource, Lineage>
}

/** Compiles the key; without it fields may have flags, which nothing comes of. */
export function compilePrivacy(written: PrivacyDefinition | undefined, site: Site): Privacy | undefined {
  const personal = personalFields(written, site)
  if (written === undefined) return undefined
  const { enabled = true, classifications = {}, subjectIdentifier = {}, anonymization = {} } = written
  const lineage = new Map<Resource, Lineage>()
  for (const resource of site.model.resources.values()) {
    const made = site.made(LINEAGE, resource)
    if (made) lineage.set(resource, made)
  }
  const byResource = new Map<Resource, PersonalField[]>()
  for (const one of personal) byResource.set(one.resource, [...(byResource.get(one.resource) ?? []), one])
  const byField = new Map(personal.map((one) => [one.field, one]))
  const made = new Map(
    [...site.model.resources.values()].map((resource) => [resource, madeFields(resource, byField)]),
  )
  return {
    model: site.model,
    enabled,
    personal,
    personalOf: (resource) => byResource.get(resource) ?? NONE,
    madeOf: (resource) => made.get(resource) ?? [],
    classifications: new Map(
      Object.entries(classifications).map(([name, { description }]) => [name, { description }]),
    ),
    primary: subjectIdentifier.primary,
    alternates: subjectIdentifier.alternates ?? [],
    method: anonymization.method ?? 'anonymize',
    rules: compileRules(written, personal, site),
    purposes: compilePurposes(written, site),
    retention: compileRetention(written, personal, site),
    permissions: compilePermissions(written, site),
    lineage,
  }
}

const NONE: readonly PersonalField[] = []

/** The flags of a personal field, as they are shown. */
export type Flags = FieldPrivacy
