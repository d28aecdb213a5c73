import { type Data, type Locale, rightsOf, sharingAmong } from '@svc/domain/contract'
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
  const sources = [...new Set(widgets.flatMap(({ sources }) => sources))]
  const texts = widgets.flatMap(({ texts }) => texts)
  const among = sharingAmong(sources, texts, model)
  const isPersonal = among.sharing === 'roles' && widgets.some((widget) => widget.isPersonal)
  return isPersonal ? { ...among, sharing: 'user' } : among
}
