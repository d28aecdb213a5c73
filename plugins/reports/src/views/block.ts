import { domainAction, type DomainBlock, type RecordInput, type Text } from '@svc/domain/contract'
import { answerView } from './answer.ts'
import { compileView } from './compile.ts'
import { type ViewDefinitions, ViewDefinitions as Schema } from './definition.ts'
import { VIEW_ANSWER, VIEW_QUERY } from './documentation.ts'
import { headingOf } from './shown.ts'
import { type View, VIEWS, type Views } from './view.ts'

/** The key `views` of a domain. */
export const viewsBlock = (now: () => number): DomainBlock<ViewDefinitions, Views> => ({
  on: 'domain',
  key: VIEWS.key,
  schema: Schema,
  compile(written, site) {
    if (written === undefined) return undefined
    const views: Views = new Map(
      Object.entries(written).flatMap(([name, one]) => {
        const view = compileView(name, one, site)
        return view ? [[name, view] as const] : []
      }),
    )
    const all = [...views.values()]
    return {
      made: views,
      actions: all.map((view) =>
        domainAction<RecordInput>({
          name: view.name,
          summary: `Read the view '${view.name}'`,
          access: view.door.access,
          routes: [`GET /views/${view.name}`],
          handle(input, call, data) {
            view.door.assert(call.caller, now)
            return answerView(view, input.query ?? {}, call, data, now)
          },
        }),
      ),
      describe: (localize) => ({
        schema: { views: Object.fromEntries(all.map((view) => [view.name, factsOf(view, localize)])) },
        openapi: {
          operations: Object.fromEntries(
            all.map((view) => [
              view.name,
              {
                description: localize(view.description) ?? DESCRIPTION,
                query: VIEW_QUERY,
                answers: { description: 'One page of the view', data: VIEW_ANSWER },
                failures: [400],
              },
            ]),
          ),
        },
      }),
    }
  },
})

const DESCRIPTION = 'Rows are those that you may list, with the columns that you may read.'

const factsOf = (
  { name, label, description, door, columns, source }: View,
  localize: (text: Text | undefined) => string | undefined,
) => ({
  label: localize(label) ?? name,
  description: localize(description),
  source: source.name,
  permissions: door.written,
  columns: columns.map((one) => ({
    name: one.name,
    label: headingOf(one, localize),
    format: one.format.written,
  })),
})
