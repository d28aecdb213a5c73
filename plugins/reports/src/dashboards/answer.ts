import type { ActionName } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { answersOf, type Ask, bindingOf, conditionsOf, FORBIDDEN, inScope } from '../aggregates/ask.ts'
import type { Figure } from '../aggregates/figure.ts'
import { measureOf, overNothing } from '../aggregates/measure.ts'
import { labelsOf } from '../formats/format.ts'
import { columnFacts, fieldsOf, itemOf, shownColumns, valuesOf } from '../views/shown.ts'
import { type Answer, formatsIn, type WidgetAsking } from './asking.ts'
import type { BreakdownWidget, CounterWidget, TableWidget, TimelineWidget, Widget } from './dashboard.ts'
import { seriesOf } from './series.ts'
import { levelOf } from './thresholds.ts'

/** The answers of widgets, by their names: counters of the same records share a statement. */
export async function answerWidgets(
  widgets: readonly Widget[],
  asking: WidgetAsking,
): Promise<Readonly<Record<string, Answer>>> {
  const counted = await countersOf(widgets.filter(isCounter), asking)
  const answers: Record<string, Answer> = {}
  for (const widget of widgets) {
    const { type, label, format, name } = widget
    const facts = {
      type,
      label: asking.data.model.localizer.text(label, asking.locale) ?? name,
      format: format.written,
    }
    const own = isCounter(widget) ? counted.get(name) : await gatheredOf(widget, asking)
    answers[name] =
      own === undefined
        ? { ...facts, ...(isCounter(widget) && { value: null }), forbidden: true }
        : { ...facts, ...own }
  }
  return answers
}

const isCounter = (widget: Widget): widget is CounterWidget =>
  widget.type === 'counter' || widget.type === 'scorecard' || widget.type === 'gauge'

function gatheredOf(
  widget: Exclude<Widget, CounterWidget>,
  asking: WidgetAsking,
): Promise<Answer | undefined> {
  switch (widget.type) {
    case 'breakdown':
      return breakdownOf(widget, asking)
    case 'timeSeries':
      return seriesOf(widget, asking)
    case 'table':
      return tableOf(widget, asking)
    case 'timeline':
      return timelineOf(widget, asking)
  }
}

/** The figures of counters, undefined where the caller may not be told. */
async function countersOf(
  widgets: readonly CounterWidget[],
  asking: WidgetAsking,
): Promise<ReadonlyMap<string, Answer | undefined>> {
  const asks: Ask[] = []
  const push = (figure: Figure): readonly number[] =>
    figure.measures.map((measure) => asks.push({ measure, where: [] }) - 1)
  const places = widgets.map(({ asked, target }) => ({
    value: asked.figure ? push(asked.figure) : [asks.push(asked) - 1],
    target: typeof target === 'object' ? push(target) : [],
  }))
  const answers = await answersOf(asks, asking)
  const told = (places: readonly number[]): readonly Value[] | undefined => {
    const values = places.map((at) => answers[at] ?? null)
    return values.includes(FORBIDDEN) ? undefined : (values as readonly Value[])
  }
  const worked = (figure: Figure, values: readonly Value[]): Value =>
    figure.evaluate(values, { user: asking.caller, now: asking.now })
  const formats = formatsIn(asking)
  return new Map(
    widgets.map((widget, at) => {
      const { asked, target: aim, format, thresholds, colors, name, type, min, max } = widget
      const values = told(places[at]!.value)
      const aims = told(places[at]!.target)
      if (values === undefined || aims === undefined) return [name, undefined]
      const value = asked.figure ? worked(asked.figure, values) : (values[0] ?? null)
      const target = typeof aim === 'object' ? worked(aim, aims) : (aim ?? null)
      const threshold = levelOf(value, thresholds)
      const greatest = thresholds.length === 0 ? null : Math.max(...thresholds.map(({ number }) => number))
      return [
        name,
        {
          value,
          text: format.write(value, formats),
          threshold,
          target,
          color: (threshold === null ? undefined : colors.get(threshold)) ?? null,
          ...(type === 'gauge' && { min, max: max ?? target ?? greatest }),
        },
      ]
    }),
  )
}

async function breakdownOf(widget: BreakdownWidget, asking: WidgetAsking): Promise<Answer | undefined> {
  const { measure, where, by, sort, limit, colors, keyFormat } = widget
  const { counted, fn, formula } = measure
  const binding = bindingOf(counted, where, formula ? [formula, by] : [by], asking)
  if (binding === undefined) return undefined
  const rows = await asking.data.aggregate(
    counted.resource,
    {
      query: inScope(counted),
      where: conditionsOf(counted, where, binding),
      by: { group: by.scalar(binding) },
      measures: { value: measureOf(fn, formula?.scalar(binding)) },
      order: [{ ...sort, isNullZero: sort.by === 'value' && overNothing(fn) === 0 }],
      limit: limit + 1,
    },
    asking.asker,
  )
  const { model } = asking.data
  const enumeration = by.field?.enumeration
  const formats = formatsIn(asking)
  const labelOf = enumeration && labelsOf(enumeration, model.localizer, asking.locale)
  const groups = rows.slice(0, limit).map((row) => {
    const key = row['group'] ?? null
    return {
      key,
      label: keyFormat.write(key, formats, labelOf),
      value: row['value'] ?? overNothing(fn),
      color: colors.get(String(key)) ?? enumeration?.values.get(String(key))?.color ?? null,
    }
  })
  return { groups, truncated: rows.length > limit }
}

async function tableOf(
  { view, counted, where, order, limit }: TableWidget,
  asking: WidgetAsking,
): Promise<Answer | undefined> {
  const { data, caller, asker, locale } = asking
  const binding = bindingOf(counted, where, [], asking)
  if (binding === undefined) return undefined
  const columns = shownColumns(view, data, caller)
  const { rows } = await data.read(
    counted.resource,
    {
      // Past an offset of none nobody asks how many there are.
      query: { ...inScope(counted), offset: '0', limit: String(limit) },
      where: conditionsOf(counted, where, binding),
      order,
      fields: fieldsOf(columns),
      values: valuesOf(columns, { highlights: true }),
    },
    asker,
  )
  const isKeyShown = data.access(view.source, caller).readable(view.source.key.name) !== undefined
  const items = rows.map((row): Row => itemOf(row, view, columns, isKeyShown))
  return { columns: columnFacts(columns, data.model.localizer, locale), items, count: items.length }
}

async function timelineOf(
  { resource, events, limit }: TimelineWidget,
  { call, data, caller }: WidgetAsking,
): Promise<Answer | undefined> {
  if (data.access(resource, caller).rowsIfAny('list') === undefined) return undefined
  const read = async (event?: string): Promise<readonly Row[]> => {
    const query = { limit: String(limit), offset: '0', ...(event !== undefined && { event }) }
    const answer = await call.call(`${resource.actionPrefix}history` as ActionName, { path: {}, query })
    return (answer as { readonly items: readonly Row[] }).items
  }
  if (events === undefined) return { items: await read() }
  const found: Row[] = []
  for (const event of events) found.push(...(await read(event)))
  return { items: found.toSorted(newestFirst).slice(0, limit) }
}

const newestFirst = (one: Row, other: Row): number =>
  compare(String(other['timestamp']), String(one['timestamp'])) ||
  compare(String(other['id']), String(one['id']))

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
