import { type Domains, heardOf, hooksOf, type Model } from '@svc/domain/contract'
import { type Context, nearest } from '@svc/kernel'
import type { Script } from './script.ts'

interface Tools extends Pick<Context, 'actions' | 'bus' | 'log'> {
  readonly domains: Domains | undefined
}

/** Tells the log what is never heard of: hooks that nobody handles, and handlers of what no domain tells. */
export interface Unheard {
  /** Takes over which scripts there are; all is told anew for them. */
  loaded(scripts: readonly Script[]): void
  end(): void
}

/** A handler, as it is told. */
interface Handler {
  readonly script: string
  readonly handler: string
}

/** How long it waits for whatever follows a change of the scripts or the models, in milliseconds: listeners of other plugins too. */
const SETTLE_MS = 100

const HANDLED = "Let a script handle it with on('…'), or take it out of the state"
const HEARD = 'Correct the name; it hears nothing unless a domain to come has it'

/** Looks at the scripts and at the models in force whenever either has changed, and tells each once. Without scripts it is silent. */
export function tellUnheard({ actions, bus, log, domains }: Tools): Unheard {
  let scripts: readonly Script[] = []
  /** What was told of these scripts and each of these models. */
  let told = new Map<Model | undefined, Set<string>>()
  let timer: NodeJS.Timeout | undefined

  const warn = (model: Model | undefined, fields: object, event: string) => {
    const known = told.get(model) ?? new Set()
    told.set(model, known)
    const key = JSON.stringify([fields, event])
    if (!known.has(key)) log.warn(fields, event)
    known.add(key)
  }
  const look = () => {
    const models = domains?.list() ?? []
    for (const model of told.keys()) if (model && !models.includes(model)) told.delete(model)
    // Where there is no domain yet, all of them may still come.
    if (scripts.length === 0 || models.length === 0) return
    for (const model of models)
      for (const resource of model.resources.values())
        for (const hook of hooksOf(resource)) {
          const name = `${resource.actionPrefix}${hook}`
          if (!bus.hears(name))
            warn(model, { domain: model.name, hook: name, hint: HANDLED }, 'script.hook_unhandled')
        }
    for (const handler of handlersOf(scripts)) {
      const { model, wrong } = judge(handler.handler, models) ?? {}
      if (wrong !== undefined) warn(model, { ...handler, ...wrong, hint: HEARD }, 'script.handler_unheard')
    }
  }
  const lookSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(look, SETTLE_MS).unref()
  }
  const unfollow = actions.onChange(lookSoon)
  return {
    loaded(next) {
      scripts = next
      told = new Map()
      lookSoon()
    },
    end() {
      unfollow()
      clearTimeout(timer)
    },
  }
}

const handlersOf = (scripts: readonly Script[]): readonly Handler[] =>
  scripts.flatMap(({ options, registrations }) =>
    registrations.map(({ name }) => ({ script: options.file, handler: name })),
  )

/** What is wrong with a name that is never told, and the model of which that is said. */
interface Judged {
  readonly model: Model | undefined
  readonly wrong: { readonly reason: string; readonly nearest?: string }
}

/** Judges the name of a handler by its parts; undefined where it may be told. */
function judge(name: string, models: readonly Model[]): Judged | undefined {
  const [, domain = '', part = '', ...rest] = name.split('.')
  const isOfMany =
    name.endsWith('*') && models.some((one) => `svc.${one.name}.`.startsWith(name.slice(0, -1)))
  if (isOfMany) return undefined
  const model = models.find((one) => one.name === domain)
  if (model !== undefined) return judgeWithin(model, part, rest)
  const near = nearest(
    domain,
    models.map((one) => one.name),
  )
  return wrong(undefined, `no domain '${domain}' is in force`, near && ['svc', near, part, ...rest].join('.'))
}

/** What stands in place of a resource in the names of what parts of a domain tell. */
const PARTS: ReadonlySet<string> = new Set([
  'documents',
  'integrations',
  'media',
  'notification',
  'privacy',
  'schedule',
  'workflow',
])

/** What stands before the names that timelines and rules tell by, below a resource. */
const OTHERS = ['history.', 'rule.']

/** The same within a domain. What other plugins tell of it has names of their own, so a name is wrong only where it is nearly another one. */
function judgeWithin(model: Model, part: string, rest: readonly string[]): Judged | undefined {
  if (PARTS.has(part)) return undefined
  const slugs = new Map([...model.resources.values()].map((one) => [one.actionPrefix.split('.')[2]!, one]))
  const resource = slugs.get(part)
  if (resource === undefined) {
    const near = part.endsWith('*') ? undefined : nearest(part, slugs.keys())
    const whole = near && ['svc', model.name, near, ...rest].join('.')
    return whole === undefined ? undefined : wrong(model, `the domain has no resource '${part}'`, whole)
  }
  const event = rest.join('.')
  const heard = heardOf(resource)
  if (OTHERS.some((one) => event.startsWith(one)) || mayBe(event, [...heard, ...OTHERS])) return undefined
  const near = nearest(event, heard)
  return near === undefined
    ? undefined
    : wrong(model, `'${resource.name}' tells no '${event}'`, `${resource.actionPrefix}${near}`)
}

/** Whether a name, or one that begins like it where it ends in `*`, is among those that are known. */
const mayBe = (event: string, known: readonly string[]): boolean =>
  event.endsWith('*') ? known.some((one) => one.startsWith(event.slice(0, -1))) : known.includes(event)

const wrong = (model: Model | undefined, reason: string, near: string | undefined): Judged => ({
  model,
  wrong: { reason, ...(near !== undefined && { nearest: near }) },
})
