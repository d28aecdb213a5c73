import type { Model, Resource } from '@svc/domain/contract'

const isTaking =
  ({ name, prefixes }: Model) =>
  ({ api, actionPrefix }: Resource): boolean =>
    actionPrefix === `svc.${name}.media.` ||
    [...api.paths, ...api.directPaths].some((path) =>
      prefixes.some((prefix) => path === `${prefix}/media` || path.startsWith(`${prefix}/media/`)),
    )

/** Whether a resource of the domain answers where the library would, or by its name. */
export const isPlaceTaken = (model: Model): boolean => [...model.resources.values()].some(isTaking(model))
