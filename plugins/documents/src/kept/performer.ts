import type { Performer } from '@svc/automation/contract'
import { nearest, SYSTEM } from '@svc/kernel'
import { compileGiven } from '../compile/given.ts'
import { readParameters, refuseFaults } from '../compile/parameters.ts'
import { promise } from '../promises/promise.ts'
import { ENCLOSURE } from '../keep/tell.ts'
import type { Means } from '../means.ts'
import { templateNameOf } from './kept.ts'

/** How the action of a kind is done: the file of `target` is promised as a document, with the parameters that `input` gives. */
export const keptPerformer = (kind: string, means: Means): Performer => ({
  in: ['schedule'],
  compile(written, place) {
    const { site, path } = place
    const { target = '', input = {} } = written
    const templateName = templateNameOf(kind, target)
    const known = means.kept.of(site.model)
    const file = known.get(templateName)
    if (file === undefined) {
      const all = [...known].flatMap(([full, { name }]) => (full === templateNameOf(kind, name) ? name : []))
      const meant = nearest(target, all)
      site.problem(
        [...path, 'target'],
        `there is no ${kind} '${target}'`,
        meant && `Did you mean '${meant}'?`,
      )
      return undefined
    }
    const given = compileGiven(input, file, place)
    return (
      given && {
        expressions: given.expressions,
        async perform({ writes, context, depth, source }) {
          const now = () => means.env.now()
          const { values, faults } = readParameters(given.evaluate(context), file.parameters, SYSTEM, now)
          refuseFaults(faults)
          const documentId = await promise(
            writes,
            site.model,
            {
              template: templateName,
              resource: null,
              recordId: null,
              record: null,
              parameters: values,
              trigger: `${source.kind}:${source.name}`,
              depth,
            },
            means,
          )
          return { documentId, enclosure: { kind: ENCLOSURE, id: documentId } }
        },
      }
    )
  },
})
