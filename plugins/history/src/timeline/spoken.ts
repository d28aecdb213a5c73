import {
  type Change,
  codecOf,
  compileWords,
  keepFacts,
  openFacts,
  type Resource,
  type Site,
  Text,
  type Told,
  type Words,
} from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import { openValue, type Reader, type Row, sealValue, type Value } from '@svc/store/contract'
import { z } from 'zod'
import type { SpokenEntry } from '../contract.ts'

/** Words that are compiled are kept for so many texts: a timeline tells the same ones again and again. */
const MOST_KNOWN = 1000

const Said = z.object({ label: Text, values: z.record(z.string(), z.json()), facts: z.json() })

/** The `template` of an entry whose words are told anew to each reader; it is sealed where the domain seals anything. */
const SpokenTemplate = z.object({ said: z.json() })

/** An entry of somebody else's before its words: they are put together when it is read. */
export function blankEntry(
  event: string,
  severity: string | undefined,
  { caller, key, at, runtime }: Change,
): Row {
  return {
    id: runtime.newId(),
    recordId: key!,
    timestamp: at,
    event,
    label: '',
    detail: '',
    icon: '',
    severity: severity ?? 'info',
    open: true,
    actor: { id: caller.id, username: caller.username },
    data: {},
    sources: {},
    version: null,
  }
}

/** An entry in somebody else's words, as it is kept. */
export function spokenEntry(
  { event, label, values, severity, facts, expressions }: SpokenEntry,
  change: Change,
  model: Site['model'],
): Row {
  const said = { label, values, facts: keepFacts(facts, expressions) }
  const template = JSON.stringify({ said: sealValue({ codec: codecOf(model) }, said) })
  return { ...blankEntry(event, severity, change), template }
}

/** The `template` of such an entry as another definition keeps it; undefined where it is of another kind. */
export function resealSpoken(template: unknown, from: Site['model'], to: Site['model']): string | undefined {
  const spoken = SpokenTemplate.safeParse(template)
  if (!spoken.success) return undefined
  const said = openValue({ codec: codecOf(from) ?? codecOf(to) }, spoken.data.said)
  return JSON.stringify({ said: sealValue({ codec: codecOf(to) }, said) })
}

/** Tells the words of an entry to whoever reads it; undefined where the entry has none of this kind. */
export type TellSpoken = (row: Row, call: Call, reader: Reader) => Promise<Told> | undefined

/** Tells readers of a timeline what others have put there, by the present definition of the resource. */
export function tellsSpoken(resource: Resource, site: Site): TellSpoken {
  const known = new Map<string, Words | undefined>()
  const wordsOf = (label: Text, values: Readonly<Record<string, Value>>, variables: readonly string[]) => {
    const text = JSON.stringify([label, values, variables])
    if (known.has(text)) return known.get(text)
    if (known.size >= MOST_KNOWN) known.clear()
    const words = compiled({ label, values }, variables, resource, site)
    known.set(text, words)
    return words
  }
  return (row, call, reader) => {
    const template = SpokenTemplate.safeParse(JSON.parse(String(row['template'])))
    if (!template.success) return undefined
    const codec = codecOf(site.model)
    const said = openValue({ codec }, template.data.said)
    if (said === null) return Promise.resolve(NOTHING)
    const { label, values, facts: kept } = Said.parse(said)
    const facts = openFacts(kept, resource)
    const words = wordsOf(label, values, Object.keys(facts.variables ?? {}))
    const locale = resource.localizer.locale(call.request?.meta('accept-language'))
    return words?.tell(facts, call.caller, locale, reader) ?? Promise.resolve(NOTHING)
  }
}

const NOTHING: Told = { text: '', values: {} }

function compiled(
  written: Pick<SpokenEntry, 'label' | 'values'>,
  variables: readonly string[],
  resource: Resource,
  site: Site,
): Words | undefined {
  const apart = site.apart(written)
  const { label, values } = Said.pick({ label: true, values: true }).parse(apart.filled)
  const speech = {
    resource,
    moment: 'write',
    variables: new Map(variables.map((name) => [name, 'unknown'] as const)),
  } as const
  return compileWords({ text: label, textPath: ['label'], values, valuesPath: ['values'] }, speech, apart)
}
