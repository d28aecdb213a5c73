import { isUrl } from '@svc/outbound/contract'
import type { Site } from '@svc/domain/contract'
import { compileAuthorities } from '../../auth/authorities.ts'
import { compileAuth } from '../../auth/compile.ts'
import { compileCommon } from '../../compile/integration.ts'
import { compileOperations } from '../../compile/operation.ts'
import { placeOf } from '../../compile/place.ts'
import { RestDefinition } from '../../definition/rest.ts'
import type { Parts } from '../../parts.ts'
import { integrationType } from '../type.ts'
import { compileSending } from './sending.ts'

/** `rest`: an interface over HTTP. */
export const rest = integrationType({
  definition: RestDefinition,
  compile(name, written, site, parts) {
    checkBase(name, written, site, parts)
    const auth = compileAuth(written.auth, [name, 'auth'], site, parts)
    const authorities = compileAuthorities(written, [name], site, parts.files)
    const common = compileCommon(name, written, site, parts)
    const place = placeOf(written, { common, auth: auth ?? [], site, parts })
    const operations = compileOperations(written.operations, place, (operation, at) =>
      compileSending(operation, written, { auth: auth ?? [], authorities, integration: name }, at),
    )
    return auth && authorities && { ...common, auth, operations }
  },
})

/** Reports a base that no request may go to. */
function checkBase(name: string, { baseUrl, auth }: RestDefinition, site: Site, { outbound }: Parts): void {
  const path = [name, 'baseUrl']
  if (!isUrl(baseUrl)) return site.problem(path, 'is no absolute url', 'Write https:// and a host')
  if (/[?#]/.test(baseUrl))
    return site.problem(path, 'has a query or a fragment', "Write parameters under 'query'")
  const fault = outbound.judge(baseUrl, { isConfidential: auth !== undefined })
  if (fault) site.problem(path, `the url ${fault.message}`, fault.hint)
}
