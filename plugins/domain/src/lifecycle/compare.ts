import type { Store } from '@svc/store/contract'
import { DefinitionError } from '../definition/problem.ts'
import { diffModels } from '../migrate/diff.ts'
import { JOURNAL, readDomains } from '../migrate/journal.ts'
import { refusedChanges } from '../migrate/keys.ts'
import { explain, type ExplainedStep, lossesOf, settle, type SettledStep } from '../migrate/plan.ts'
import type { Model } from '../model/model.ts'
import { type Language, modelOfSnapshot, type ReadModel } from './read-model.ts'

/** What a definition would change, and whether something is lost by that. */
export interface Comparison {
  readonly domain: string
  /** Null where the domain is new. */
  readonly fromVersion: string | null
  readonly toVersion: string
  readonly steps: readonly ExplainedStep[]
  readonly destructive: boolean
  /** What would be lost, in words. */
  readonly messages: readonly string[]
}

/** Tells the steps from one model to the next. */
export function comparisonOf(
  current: Pick<Model, 'version'> | undefined,
  { name, version }: Model,
  steps: readonly SettledStep[],
  store: Store,
): Comparison {
  const messages = lossesOf(steps)
  return {
    domain: name,
    fromVersion: current?.version ?? null,
    toVersion: version,
    steps: steps.map((step) => explain(step, store)),
    destructive: messages.length > 0,
    messages,
  }
}

/** Compares a definition with what is stored of its domain, and changes nothing. Throws DefinitionError. */
export async function compareWithStore(
  { model, loaded }: ReadModel,
  store: Store,
  language: Language,
): Promise<Comparison> {
  const current = await storedModel(model.name, store, language)
  const refused = current ? refusedChanges(current, model) : []
  if (refused.length > 0)
    throw new DefinitionError(refused.map((one) => ({ ...one, position: loaded.positionOf(one.path) })))
  const { steps } = await settle(diffModels(current, model), store)
  return comparisonOf(current, model, steps, store)
}

/** The model that is in force; undefined where the store has none, or has never been used. */
async function storedModel(name: string, store: Store, language: Language): Promise<Model | undefined> {
  const { tables } = await store.catalog()
  if (!JOURNAL.every((table) => tables.some((one) => one.name === table.name))) return undefined
  const stored = (await readDomains(store)).find((one) => one.name === name)
  return stored && modelOfSnapshot(stored.snapshot, language)
}
