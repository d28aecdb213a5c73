import { isUrl } from '@svc/outbound/contract'
import type { Path, Site } from '@svc/domain/contract'
import { AppError } from '@svc/kernel'
import type { Auth } from '../../auth/auth.ts'
import { compileCommon } from '../../compile/integration.ts'
import { compileOperations } from '../../compile/operation.ts'
import { placeOf } from '../../compile/place.ts'
import type { Parts } from '../../parts.ts'
import { writerOf } from '../../run/writer.ts'
import { integrationType } from '../type.ts'
import { bucketOf, faultOf, REGION } from './address.ts'
import { StorageDefinition } from './definition.ts'
import { compileSending } from './sending.ts'

/** `object_storage`: a storage that speaks S3. */
export const objectStorage = integrationType({
  definition: StorageDefinition,
  compile(name, written, site, parts) {
    const isSound = checkPlace(written, [name], site, parts)
    const isList = Array.isArray(written.auth)
    const [auth] = [written.auth].flat()
    const at: Path = [name, 'auth', ...(isList ? [0] : [])]
    const accessKeyId = site.secret([...at, 'accessKeyId'])
    const secretAccessKey = site.secret([...at, 'secretAccessKey'])
    const sessionToken = auth?.sessionToken === undefined ? null : site.secret([...at, 'sessionToken'])
    const common = { ...compileCommon(name, written, site, parts), type: 'object_storage' }
    if (!isSound || !accessKeyId || !secretAccessKey || sessionToken === undefined) return undefined
    const keys = {
      accessKeyId,
      secretAccessKey,
      sessionToken: sessionToken ?? undefined,
      region: auth?.region ?? written.region ?? REGION,
      service: auth?.service ?? 's3',
    }
    const ways: readonly Auth[] = [
      {
        type: 'aws_sigv4',
        headers: [],
        query: [],
        secrets: [accessKeyId, secretAccessKey, ...(sessionToken ? [sessionToken] : [])],
        authorize: () => ({}),
      },
    ]
    const { outbound, media, maxBodyBytes, env } = parts
    const storage = {
      outbound,
      media,
      maxBodyBytes,
      keys,
      bucket: bucketOf(written),
      domain: site.model.name,
      owner: () => ownerOf({ as: written.as, name }, parts),
      now: env.now,
    }
    const place = placeOf(written, { common, auth: ways, site, parts })
    const operations = compileOperations(written.operations, place, (operation, where) =>
      compileSending(operation, storage, where),
    )
    return { ...common, auth: ways, operations }
  },
})

/** The id of whoever the integration writes as: null where that is nobody, which is told when it writes. */
async function ownerOf(integration: Parameters<typeof writerOf>[0], parts: Parts): Promise<string | null> {
  try {
    return (await writerOf(integration, parts)).id
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFLICT') return null
    throw error
  }
}

/** Whether the storage can be reached, and keys begin, as it is written; what is wrong is reported. */
function checkPlace(
  { endpoint, prefix = '' }: StorageDefinition,
  path: Path,
  site: Site,
  { outbound }: Parts,
): boolean {
  const fault = faultOf(prefix)
  if (fault !== undefined) site.problem([...path, 'prefix'], fault.replace('a key', 'it'))
  if (endpoint === undefined) return fault === undefined
  const at = [...path, 'endpoint']
  if (!isUrl(endpoint)) {
    site.problem(at, 'is no absolute url', 'Write https:// and a host')
    return false
  }
  if (/[?#]/.test(endpoint)) site.problem(at, 'has a query or a fragment', 'Take it away')
  const refused = outbound.judge(endpoint, { isConfidential: true })
  if (refused) site.problem(at, `the url ${refused.message}`, refused.hint)
  return fault === undefined && refused === undefined
}
