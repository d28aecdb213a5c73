import { type Data, type Locale, type Resource, rightsOf, sharingAmong } from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Widget } from './dashboard.ts'

/** The answer of a dashboard, and when it was worked out. */
export interface Worked {
  readonly computedAt: string
  readonly widgets: Readonly<Record<string, object>>
}

/** The most answers of one dashboard that are kept: those nobody asked for longest go first. */
const MOST_KEPT = 500

/** Keeps answers of one dashboard for as long as it says, for those to whom it would look the same. */
export function createKept(refreshMs: number | undefined, widgets: readonly Widget[], now: () => number) {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<Worked> }>()
  let how: ReturnType<typeof sharingAmong> | undefined
  let edition: object | undefined

  return async function keptOr(
    caller: Caller,
    locale: Locale,
    data: Data,
    work: () => Promise<Worked>,
  ): Promise<Worked> {
    if (refreshMs === undefined) return work()
    how ??= sharingOf(widgets, data)
    const { sharing } = how
    if (sharing === 'none') return work()
    // Texts that came since then count at once, in labels too.
    const latest = data.model.localizer.edition?.()
    if (latest !== edition) kept.clear()
    edition = latest
    const restricted = await how.restricted(data.reader)
    const key = JSON.stringify([rightsOf(caller, sharing), locale.localeResolved, locale.chain, restricted])
    const found = kept.get(key)
    if (found !== undefined && now() < found.until) return found.answer
    kept.delete(key)
    const answer = work()
    const entry = { until: now() + refreshMs, answer }
    kept.set(key, entry)
    const [oldest] = kept.keys()
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
    // What failed is asked again.
    answer.catch(() => kept.get(key) === entry && kept.delete(key))
    return answer
  }
}

/** How an answer may be shared; not at all where something besides its definition decides which records are left. */
function sharingOf(widgets: readonly Widget[], { model }: Data): ReturnType<typeof sharingAmong> {
  const sources = new Set<Resource>(widgets.flatMap(sourcesOf))
  return sharingAmong([...sources], widgets.flatMap(textsOf), model)
}

function sourcesOf(widget: Widget): readonly Resource[] {
  switch (widget.type) {
    case 'counter':
    case 'scorecard':
    case 'gauge': {
      const measures = widget.asked.figure?.measures ?? [widget.asked.measure]
      const aims = typeof widget.target === 'object' ? widget.target.measures : []
      return [...measures, ...aims].flatMap((one) => one?.counted.resource ?? [])
    }
    case 'breakdown':
    case 'timeSeries':
      return [widget.measure.counted.resource]
    case 'table':
      return [widget.view.source]
    case 'timeline':
      return [widget.resource]
  }
}

/** The expressions of a widget and of its view, as they are written. */
function textsOf(widget: Widget): readonly string[] {
  if (widget.type === 'timeline') return []
  if (widget.type === 'table') {
    const { view, where } = widget
    return [
      ...where.map(({ source }) => source),
      view.filter?.source ?? '',
      ...view.columns.flatMap(({ of, highlights }) => [
        of.kind === 'computed' ? of.expression.source : '',
        ...highlights.map(({ condition }) => condition.source),
      ]),
    ]
  }
  if (widget.type === 'breakdown' || widget.type === 'timeSeries')
    return [...widget.where.map(({ source }) => source), ...viewTexts(widget.measure)]
  const { asked, target } = widget
  const aims = typeof target === 'object' ? [target.source, ...target.measures.flatMap(viewTexts)] : []
  return asked.figure
    ? [asked.figure.source, ...asked.figure.measures.flatMap(viewTexts), ...aims]
    : [...asked.where.map(({ source }) => source), ...viewTexts(asked.measure), ...aims]
}

const viewTexts = ({
  counted: { view },
}: {
  readonly counted: {
    readonly view: { readonly filter: { readonly source: string } | undefined } | undefined
  }
}) => (view?.filter ? [view.filter.source] : [])
