import type { Channels } from '../channels/channels.ts'
import type { NotificationPlace } from '../contract.ts'
import type { NotificationDefinition } from '../definition.ts'
import { compileWords } from '../texts/words.ts'
import { compileChannels, type ChosenChannel } from './channels.ts'
import type { Plan } from './plan.ts'
import { compileRecipients } from './recipients.ts'

/** Compiles what is written under a key `notification`; what is wrong is reported, and undefined answered. */
export function compilePlan(
  { channels: written, recipients: named = {}, template }: NotificationDefinition,
  { site, path, speech, name, isOwn }: NotificationPlace,
  known: Channels,
): Plan | undefined {
  const channels = compileChannels(written, known, { site, path: [...path, 'channels'] })
  const recipients = compileRecipients(named, { site, path: [...path, 'recipients'], speech })
  const words = compileWords(
    { subject: template.subject ?? null, body: template.body },
    { site, path: [...path, 'template'], speech, name, ...(isOwn && { isOwn }) },
  )
  const needs = (what: (chosen: ChosenChannel) => boolean) => channels.find(what)?.channel.type
  const addressed = needs(({ channel }) => channel.isAddressed)
  const isForNobody = (named.roles ?? []).length === 0 && [named.field ?? []].flat().length === 0
  if (addressed !== undefined && isForNobody)
    site.problem(
      [...path, 'recipients'],
      `the channel '${addressed}' writes to nobody without recipients`,
      'Name roles, or a field that holds an address',
    )
  const titled = needs(({ channel }) => channel.needsSubject === true)
  if (titled !== undefined && template.subject === undefined)
    site.problem([...path, 'template', 'subject'], `is needed for the channel '${titled}'`, 'Write one line')
  return words && { domain: site.model.name, name, channels, recipients, words, speech }
}
