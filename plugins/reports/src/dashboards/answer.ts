import type { Value } from '@svc/store/contract'
import { answersOf, FORBIDDEN } from '../aggregates/ask.ts'
import type { Answer, WidgetAsking } from './asking.ts'
import type { Widget } from './dashboard.ts'

/** The answers of widgets, by their names: figures of the same records share a statement. */
export async function answerWidgets(
  widgets: readonly Widget[],
  asking: WidgetAsking,
): Promise<Readonly<Record<string, Answer>>> {
  const figures = await answersOf(
    widgets.flatMap(({ asks }) => asks),
    asking,
  )
  const answers: Record<string, Answer> = {}
  let at = 0
  for (const widget of widgets) {
    const { name, type, label, format, asks, closed } = widget
    const own = figures.slice(at, (at += asks.length)).filter(isTold)
    const answer = own.length < asks.length ? undefined : await widget.answer(asking, own)
    answers[name] = {
      type,
      label: asking.data.model.localizer.text(label, asking.locale) ?? name,
      format: format.written,
      ...(answer ?? { ...closed, forbidden: true }),
    }
  }
  return answers
}

const isTold = (figure: Value | typeof FORBIDDEN): figure is Value => figure !== FORBIDDEN
