import type { Path, Site } from '@svc/domain/contract'
import { nearest } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import type { z } from 'zod'
import type { Channel } from '../channel.ts'
import type { Channels } from '../channels/channels.ts'
import type { NotificationDefinition } from '../definition.ts'

/** A channel as a notification names it. */
export interface ChosenChannel {
  readonly channel: Channel
  /** As the channel's schema has them. */
  readonly settings: unknown
  /** As their author wrote them, `${VAR}` for what a variable holds: the form in which they are kept. */
  readonly written: Value
}

type Written = NotificationDefinition['channels'][number]

interface Place {
  readonly site: Site
  readonly path: Path
}

/** The channels that are written; what is wrong with one is reported, and it is left out. */
export function compileChannels(
  written: readonly Written[],
  known: Channels,
  { site, path }: Place,
): readonly ChosenChannel[] {
  if (written.length === 0)
    site.problem(path, 'a notification goes nowhere without a channel', `Name one: ${listed(known)}`)
  const chosen: ChosenChannel[] = []
  for (const [at, one] of written.entries()) {
    const found = chosenFrom(one, known, { site, path: [...path, at] })
    if (found === undefined) continue
    const isDouble = found.channel.isAddressed && chosen.some(({ channel }) => channel === found.channel)
    if (isDouble) site.warning([...path, at], `'${found.channel.type}' is there already: it counts once`)
    else chosen.push(found)
  }
  return chosen
}

const listed = (known: Channels): string => known.names().join(', ')

function chosenFrom(written: Written, known: Channels, place: Place): ChosenChannel | undefined {
  const { site, path } = place
  const { type, ...settings } = typeof written === 'string' ? { type: written } : written
  const channel = known.find(type)
  if (channel === undefined) {
    const meant = nearest(type, known.names())
    const hint = meant === undefined ? `Channels are ${listed(known)}` : `Did you mean '${meant}'?`
    site.problem(
      typeof written === 'string' ? path : [...path, 'type'],
      `there is no channel '${type.slice(0, 60)}'`,
      hint,
    )
    return undefined
  }
  return withSettings(channel, settings, place)
}

function withSettings(
  channel: Channel,
  given: Readonly<Record<string, unknown>>,
  { site, path }: Place,
): ChosenChannel | undefined {
  const { settings: schema, secrets = [] } = channel
  if (schema === undefined) {
    for (const key of Object.keys(given))
      site.warning([...path, key], `the channel '${channel.type}' knows nothing of '${key}'`)
    return { channel, settings: {}, written: {} }
  }
  for (const key of secrets) site.secret([...path, key])
  site.hide(path)
  const parsed = schema.safeParse(given)
  if (!parsed.success) return void report(parsed.error, channel, { site, path })
  channel.check?.(parsed.data, { site, path })
  return { channel, settings: parsed.data, written: settingsIn(site.written(path)) }
}

/** Settings without the type of their channel, as JSON. */
function settingsIn(written: unknown): Value {
  if (typeof written !== 'object' || written === null) return {}
  const { type: _, ...settings } = JSON.parse(JSON.stringify(written)) as Record<string, Value>
  return settings
}

function report({ issues }: z.ZodError, { type }: Channel, { site, path }: Place): void {
  for (const issue of issues) {
    const at: Path = [...path, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
    site.problem(at, `this does not fit the channel '${type}': ${issue.message}`)
  }
}
