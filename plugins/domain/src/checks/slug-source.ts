import { didYouMean, withArticle } from '../definition/names.ts'
import type { Field } from '../model/field.ts'
import { eachResource, pathOf } from './check.ts'

/** A slug is made from a field that is there. */
export const slugSource = eachResource((resource, report) => {
  for (const { name, from } of resource.fields.values()) {
    if (from === undefined) continue
    const source = from === name ? undefined : resource.fields.get(from)
    if (source !== undefined && !isText(source))
      report.problem(
        pathOf(resource, 'object', name, 'from'),
        `'${from}' is ${withArticle(source.compiled.type.name)}, and a slug is made of text`,
      )
    if (source !== undefined) continue
    report.problem(
      pathOf(resource, 'object', name, 'from'),
      `'${resource.name}' has no field '${from}' to make the slug from`,
      didYouMean(from, resource.fields.keys()),
    )
  }
})

const isText = ({ column, compiled }: Field): boolean => column?.kind === 'text' && compiled.type.readable
