import { compileDoor, type Site } from '@svc/domain/contract'
import type { CommonDefinition } from '../definition/integration.ts'
import type { Integration } from '../integration.ts'
import type { Parts } from '../parts.ts'
import { compileLog } from './log.ts'
import { compileNotices } from './notices.ts'
import { compileResilience } from './resilience.ts'

/** What integrations of every type have. */
export type Common = Omit<Integration, 'auth' | 'operations' | 'webhook'>

/** Compiles the keys of every type; what is wrong is reported. */
export function compileCommon(
  name: string,
  written: CommonDefinition & Pick<Integration, 'type'>,
  site: Site,
  parts: Parts,
): Common {
  const { type, label, description, enabled = true, permissions = {}, as } = written
  const door = (key: keyof typeof permissions) =>
    compileDoor(permissions[key], [name, 'permissions', key], site, `integration '${name}'`)
  return {
    name,
    type,
    label,
    description,
    enabled,
    view: door('view'),
    execute: door('execute'),
    manage: door('manage'),
    resilience: compileResilience(written, [name], site),
    log: compileLog(written, [name], site),
    as,
    notices: compileNotices(name, written, site, parts),
  }
}
