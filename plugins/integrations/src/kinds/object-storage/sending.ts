import { compileDuration } from '@svc/automation/contract'
import type { CompiledValue, Field, Path, Resource, Site } from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'
import { compileBody } from '../../compile/body.ts'
import type { SendingPlace } from '../../compile/operation.ts'
import { checkRequired } from '../../compile/required.ts'
import type { Sending } from '../../compile/sending.ts'
import { compileEntry, shown } from '../../mapping/mapping.ts'
import { mappingFault } from '../../wire/fault.ts'
import { isHeaderValue } from '../../wire/headers.ts'
import { type Bucket, keyBelow } from './address.ts'
import { attemptStorage, type Storage } from './attempt.ts'
import type { Deed } from './deed.ts'
import type { StorageOperation } from './definition.ts'

/** What keys mean something to which actions. */
const KEYS = {
  put: ['contentType', 'body', 'media'],
  get: ['saveTo', 'contentType'],
  list: ['limit', 'after'],
  delete: [],
  presign: ['method', 'expiresIn', 'contentType'],
} as const satisfies Readonly<Record<StorageOperation['action'], readonly (keyof StorageOperation)[]>>
const PARTICULAR = [
  'contentType',
  'body',
  'media',
  'saveTo',
  'limit',
  'after',
  'method',
  'expiresIn',
] as const

/** Compiles what an operation does; undefined where something is wrong, which is reported. */
export function compileSending(
  written: StorageOperation,
  storage: Omit<Storage, 'timeoutMs'>,
  { site, path, resource, speech, timeoutMs }: SendingPlace,
): Sending | undefined {
  const { action, limit = 1000, method = 'GET', required = [] } = written
  const meant: readonly string[] = KEYS[action]
  for (const name of PARTICULAR)
    if (written[name] !== undefined && !meant.includes(name))
      site.problem([...path, name], `means nothing with 'action: ${action}'`, 'Take it away')
  if (written.key === undefined && action !== 'list')
    site.problem([...path, 'key'], 'is missing', 'Write the key, such as slips/{number}.pdf')
  if (action === 'put' && (written.body === undefined) === (written.media === undefined))
    site.problem([...path, 'body'], "is missing, or stands beside 'media'", "Write 'body' or 'media'")
  if (action === 'get' && written.contentType !== undefined && written.saveTo === undefined)
    site.problem([...path, 'contentType'], "means nothing without 'saveTo'", 'Take it away')
  const saving = compileSaving(written.saveTo, [...path, 'saveTo'], resource, site)
  const value = (name: 'key' | 'contentType' | 'media' | 'after'): CompiledValue | null | undefined =>
    written[name] === undefined ? null : compileEntry(written[name], [...path, name], site, speech)
  const values = {
    key: value('key'),
    contentType: value('contentType'),
    media: value('media'),
    after: value('after'),
  }
  const content = compileBody(written.body, [...path, 'body'], site, speech)
  const expiresIn =
    written.expiresIn === undefined
      ? 900
      : (compileDuration(written.expiresIn, [...path, 'expiresIn'], site, { least: '1s', most: '7d' })?.ms ??
          0) / 1000
  if (content === undefined || Object.values(values).some((one) => one === undefined)) return undefined
  const { bucket } = storage
  return {
    expressions: [content, ...Object.values(values)].flatMap((one) => one?.expressions ?? []),
    isRead: action === 'get' || action === 'list' || action === 'presign',
    isRepeatable: true,
    saving,
    make(_, context, shows) {
      const of = (one: CompiledValue | null | undefined): Value => (one ? shown(one, context, shows) : null)
      const key = textOf('key', of(values.key)) ?? ''
      if (key === '' && action !== 'list') throw mappingFault('key', 'it is empty')
      keyBelow(bucket.prefix, key)
      const after = textOf('after', of(values.after))
      const media = textOf('media', of(values.media))
      const body = content.evaluate(context, shows)
      const text =
        body === undefined || (typeof written.body === 'string' && typeof body === 'string')
          ? body
          : JSON.stringify(body)
      if (values.media && media === undefined) throw mappingFault('media', 'it is empty')
      const contentType =
        textOf('contentType', of(values.contentType)) ??
        (text === undefined ? undefined : text === body ? 'text/plain; charset=utf-8' : 'application/json')
      if (contentType !== undefined && !isHeaderValue(contentType))
        throw mappingFault('contentType', 'it is no media type')
      checkRequired(required, { key, contentType, after, media, body })
      const deed: Deed = {
        action,
        key,
        ...(contentType !== undefined && { contentType }),
        ...(text !== undefined && { body: text }),
        ...(media !== undefined && { media }),
        ...(saving !== undefined && { saveTo: saving.name }),
        ...(action === 'list' && { limit }),
        ...(after !== undefined && { after: keyBelow('', after, 'after') }),
        ...(action === 'presign' && { method, expiresIn }),
      }
      return {
        method: WORDS[action],
        url: placeOf(bucket, key),
        headers: {},
        body: { value: { ...deed }, text: text ?? '' },
      }
    },
    show: ({ method: word, url, body }) => ({ method: word, url, headers: {}, body: body?.value ?? null }),
    tell: ({ body }) => ({ bucket: bucket.bucket, ...(body as object) }),
    attempt: ({ body }, { signal }) =>
      attemptStorage(body?.value as unknown as Deed, { ...storage, timeoutMs }, signal),
  }
}

/** The media field that an object is saved to; what is wrong is reported. */
function compileSaving(
  name: string | undefined,
  path: Path,
  resource: Resource | undefined,
  site: Site,
): Field | undefined {
  if (name === undefined) return undefined
  if (resource === undefined) {
    site.problem(path, 'the operation is about no record', "Name its 'resource'")
    return undefined
  }
  const field = resource.fields.get(name)
  const { type, members } = field?.compiled ?? {}
  const isList = members !== undefined && 'items' in members && members.items !== undefined
  if (type?.name === 'media' && !isList) return field
  site.problem(
    path,
    isList ? `'${name}' holds a list` : `'${name}' is no media field of '${resource.name}'`,
    'Name a field of the type media that holds one item',
  )
  return undefined
}

const WORDS: Readonly<Record<StorageOperation['action'], string>> = {
  put: 'PUT',
  get: 'GET',
  list: 'LIST',
  delete: 'DELETE',
  presign: 'PRESIGN',
}

const placeOf = ({ bucket, prefix }: Bucket, key: string): string => `s3://${bucket}/${prefix}${key}`

function textOf(field: string, value: Value): string | undefined {
  if (value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw mappingFault(field, 'a list or a map is no value here')
}
