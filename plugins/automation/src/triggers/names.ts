import type { Path, Resource, Site } from '@svc/domain/contract'
import { nearest } from '@svc/kernel'

/** "Did you mean …", where a known name is close. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const meant = nearest(name, known)
  return meant === undefined ? undefined : `Did you mean '${meant}'?`
}

/** Finds a resource by its name; reports one that is not declared. */
export function resourceNamed(name: string, path: Path, site: Site): Resource | undefined {
  const resource = site.model.resources.get(name)
  if (resource === undefined)
    site.problem(path, `there is no resource '${name}'`, didYouMean(name, site.model.resources.keys()))
  return resource
}

/** Whether a resource has a transition; reports one that is not declared. */
export function checkTransition(
  name: string,
  path: Path,
  { name: of, stateMachine }: Resource,
  site: Pick<Site, 'problem'>,
): boolean {
  const known = stateMachine?.transitions ?? []
  if (known.includes(name)) return true
  const hint = known.length === 0 ? `'${of}' has no states` : didYouMean(name, known)
  site.problem(path, `'${of}' has no transition '${name}'`, hint)
  return false
}

/** Whether a field is stored, so that a write can change it; reports one that is not, or is not declared. */
export function checkStoredField(
  name: string,
  path: Path,
  { name: of, fields }: Resource,
  site: Pick<Site, 'problem'>,
): boolean {
  const field = fields.get(name)
  if (field?.column !== undefined) return true
  if (field === undefined)
    site.problem(path, `'${of}' has no field '${name}'`, didYouMean(name, fields.keys()))
  else site.problem(path, `'${name}' is worked out on every read: no write changes it`, 'Name a stored field')
  return false
}
