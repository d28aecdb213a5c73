import type { Field, Path, Resource, Site } from '@svc/domain/contract'
import { FORMAT_FACTS, type FormatName } from '@svc/render/contract'

/** The field that takes documents. */
export interface Attached {
  readonly field: Field
  /** Whether it holds a list, which takes a document as its last item. */
  readonly isList: boolean
}

/** Compiles the key `attachTo`; what is wrong is reported, and undefined answered. */
export function compileAttached(
  name: string | undefined,
  path: Path,
  site: Site,
  resource: Resource | undefined,
  format: FormatName,
): Attached | undefined {
  if (name === undefined) return undefined
  const field = resource?.fields.get(name)
  const holder = field?.compiled.members
  const items = holder !== undefined && 'items' in holder ? holder.items : undefined
  const type = items === undefined ? field?.compiled.type.name : items.type?.name
  if (field === undefined || type !== 'media') {
    const whose =
      resource === undefined
        ? 'the template is about no record'
        : `it is no media field of '${resource.name}'`
    site.problem(path, whose, 'Name a field of the type media')
    return undefined
  }
  const accepted = field.definition['accept']
  if (accepted !== undefined && !takes(accepted, format))
    site.problem(
      path,
      `the field does not accept ${FORMAT_FACTS[format].mediaType}`,
      `Add it to its 'accept'`,
    )
  return { field, isList: items !== undefined }
}

function takes(accepted: unknown, format: FormatName): boolean {
  const { mediaType, extension } = FORMAT_FACTS[format]
  const kinds = [mediaType, `${mediaType.split('/')[0]}/*`, '*/*', extension, extension.slice(1)]
  return [accepted].flat().some((one) => kinds.includes(String(one).trim().toLowerCase()))
}
