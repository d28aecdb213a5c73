import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import { accounts } from './accounts.ts'
import { actionNames } from './action-names.ts'
import { addedActionsApart } from './added-actions.ts'
import { autoNow } from './auto-now.ts'
import type { Check } from './check.ts'
import { collisions } from './collisions.ts'
import { computed } from './computed.ts'
import { enumerations } from './enumerations.ts'
import { features } from './features.ts'
import { icons } from './icons.ts'
import { indexes } from './indexes.ts'
import { names } from './names.ts'
import { owner } from './owner.ts'
import { overrides } from './overrides.ts'
import { paths } from './paths.ts'
import { patterns } from './patterns.ts'
import { permissions } from './permissions.ts'
import { primaryKey } from './primary-key.ts'
import { relationships } from './relationships.ts'
import { renames } from './renames.ts'
import { routes } from './routes.ts'
import { scopes } from './scopes.ts'
import { sizes } from './sizes.ts'
import { sealed } from './sealed.ts'
import { slugSource } from './slug-source.ts'
import { softDelete } from './soft-delete.ts'
import { stateMachine } from './state-machine.ts'
import { tables } from './tables.ts'
import { unique } from './unique.ts'
import { validation } from './validation.ts'

/** Every check; their order is that of the reports, which are sorted by position in the end. */
const CHECKS: readonly Check[] = [
  sizes,
  names,
  renames,
  enumerations,
  icons,
  primaryKey,
  unique,
  sealed,
  computed,
  autoNow,
  patterns,
  accounts,
  owner,
  slugSource,
  softDelete,
  relationships,
  validation,
  indexes,
  scopes,
  stateMachine,
  permissions,
  features,
  tables,
  collisions,
  paths,
  overrides,
  actionNames,
  routes,
  addedActionsApart,
]

/** Looks for every mistake that only the whole model shows. */
export function runChecks(model: Model, report: Report): void {
  for (const check of CHECKS) check(model, report)
}
