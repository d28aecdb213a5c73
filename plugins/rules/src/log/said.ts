import { codecOf, compileWords, openFacts, type Site, type Told, type Words } from '@svc/domain/contract'
import { openValue, type Value } from '@svc/store/contract'
import type { LedgerReader } from '@svc/automation/contract'
import { z } from 'zod'
import { messageKey, speechOf } from '../speech.ts'

/** Words that are compiled are kept for so many texts: a log tells the same ones again and again. */
const MOST_KNOWN = 1000

const Said = z.object({
  message: z.union([z.string(), z.record(z.string(), z.string())]),
  messageData: z.record(z.string(), z.json()),
  facts: z.json(),
})

/** An entry as far as what was said in it goes. */
interface Speaking {
  readonly rule: string
  readonly resource: string
  readonly said: Value
}

/** Tells what an entry has kept of what was said: nothing where nobody can tell any more what it means. */
export type TellSaid = (entry: Speaking, reader: LedgerReader) => Promise<Told>

/** Tells readers of the log what rules have said, by the present definition of their resources. */
export function tellsSaid(site: Site): TellSaid {
  const known = new Map<string, Words | undefined>()
  const { model } = site
  return async ({ rule, resource: name, said }, { call, data }) => {
    const opened = openValue({ codec: codecOf(model) }, said)
    const resource = model.resources.get(name)
    if (opened === null) return NOTHING
    const { message, messageData, facts } = Said.parse(opened)
    const text = JSON.stringify([rule, name, message, messageData])
    if (resource !== undefined && !known.has(text)) {
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(text, compiled({ rule, message, messageData }, speechOf(resource), site))
    }
    const words = known.get(text)
    if (resource === undefined || words === undefined) return NOTHING
    const locale = model.localizer.locale(call.request?.meta('accept-language'))
    return words.tell(openFacts(facts, resource), call.caller, locale, data.reader)
  }
}

const NOTHING: Told = { text: '', values: {} }

type Written = Pick<z.output<typeof Said>, 'message' | 'messageData'> & Pick<Speaking, 'rule'>

function compiled(
  { rule, ...written }: Written,
  speech: ReturnType<typeof speechOf>,
  site: Site,
): Words | undefined {
  const apart = site.apart(written)
  const { message, messageData } = Said.pick({ message: true, messageData: true }).parse(apart.filled)
  const paths = { textPath: ['message'], textKey: messageKey(rule), valuesPath: ['messageData'] }
  return compileWords({ text: message, values: messageData, ...paths }, speech, apart)
}
