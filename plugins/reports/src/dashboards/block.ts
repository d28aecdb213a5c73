import { type Data, domainAction, type DomainBlock, type RecordInput, type Text } from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import { type Call, errors } from '@svc/kernel'
import { closed } from '../door/closed.ts'
import { VIEWS } from '../views/view.ts'
import { answerWidgets } from './answer.ts'
import { compileDashboard } from './compile.ts'
import type { Dashboard, Widget } from './dashboard.ts'
import { type DashboardDefinitions, DashboardDefinitions as Schema } from './definition.ts'
import { DASHBOARD_ANSWER, WIDGET_ANSWER } from './documentation.ts'
import { createKept, type Worked } from './kept.ts'

/** The key `dashboards` of a domain. */
export const dashboardsBlock = (now: () => number): DomainBlock<DashboardDefinitions> => ({
  on: 'domain',
  key: 'dashboards',
  schema: Schema,
  after: [VIEWS.key],
  afterIfLoaded: [HISTORY.key],
  compile(written, site) {
    if (written === undefined) return undefined
    const views = site.made(VIEWS) ?? new Map()
    const all = Object.entries(written).map(([name, one]) => compileDashboard(name, one, site, views))
    return {
      actions: all.flatMap((dashboard) => actionsOf(dashboard, now)),
      describe: (localize) => ({
        schema: { dashboards: Object.fromEntries(all.map((one) => [one.name, factsOf(one, localize)])) },
        openapi: {
          operations: Object.fromEntries(
            all.flatMap((one) => [
              [
                one.name,
                {
                  description: localize(one.description) ?? DESCRIPTION,
                  answers: { description: 'The dashboard', data: DASHBOARD_ANSWER },
                },
              ],
              [
                `${one.name}.widget`,
                { answers: { description: 'The widget', data: WIDGET_ANSWER }, failures: [404] },
              ],
            ]),
          ),
        },
      }),
    }
  },
})

const DESCRIPTION =
  'Figures are worked out of the records that you may list, and of the fields that you may read.'

function actionsOf(dashboard: Dashboard, now: () => number) {
  const { name, widgets, door, refreshMs } = dashboard
  const kept = createKept(refreshMs, widgets, now)
  const work = async (some: readonly Widget[], call: Call, data: Data): Promise<Worked> => {
    const locale = data.model.localizer.locale(call.request?.meta('accept-language'))
    const { caller } = call
    const computedAt = new Date(now()).toISOString()
    return {
      computedAt,
      widgets: await answerWidgets(some, { data, caller, call, asker: { caller }, locale, now }),
    }
  }
  const worked = (call: Call, data: Data) =>
    kept(call.caller, data.model.localizer.locale(call.request?.meta('accept-language')), data, () =>
      work(widgets, call, data),
    )
  return [
    domainAction<RecordInput>({
      name,
      summary: `Read the dashboard '${name}'`,
      access: door.access,
      routes: [`GET /dashboards/${name}`],
      async handle(_, call, data) {
        door.assert(call.caller, now)
        return { dashboard: name, ...(await worked(call, data)) }
      },
    }),
    domainAction<RecordInput>({
      name: `${name}.widget`,
      summary: `Read a widget of the dashboard '${name}'`,
      access: door.access,
      routes: [`GET /dashboards/${name}/widgets/:widget`],
      async handle({ path }, call, data) {
        door.assert(call.caller, now)
        const widget = widgets.find((one) => one.name === path?.['widget'])
        if (widget === undefined)
          throw errors.NOT_FOUND({
            message: `The dashboard '${name}' has no widget '${String(path?.['widget']).slice(0, 100)}'`,
          })
        const { computedAt, widgets: answers } =
          refreshMs === undefined ? await work([widget], call, data) : await worked(call, data)
        const answer = answers[widget.name]!
        if ('forbidden' in answer) throw closed(`The widget '${widget.name}' is not open to you`, call.caller)
        return { dashboard: name, widget: widget.name, computedAt, ...answer }
      },
    }),
  ]
}

const factsOf = (
  { name, label, description, door, layout, widgets }: Dashboard,
  localize: (text: Text | undefined) => string | undefined,
) => ({
  label: localize(label) ?? name,
  description: localize(description),
  permissions: door.written,
  layout,
  widgets: Object.fromEntries(
    widgets.map((one) => [
      one.name,
      { type: one.type, label: localize(one.label) ?? one.name, format: one.format.written },
    ]),
  ),
})
