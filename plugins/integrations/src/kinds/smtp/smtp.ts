import { buffer } from 'node:stream/consumers'
import type { Path, Site } from '@svc/domain/contract'
import { compileAuthorities } from '../../auth/authorities.ts'
import { compileAuth } from '../../auth/compile.ts'
import { compileCommon } from '../../compile/integration.ts'
import { compileOperations, type SendingPlace } from '../../compile/operation.ts'
import { placeOf } from '../../compile/place.ts'
import type { Sending } from '../../compile/sending.ts'
import type { Parts } from '../../parts.ts'
import type { Attempted } from '../../run/attempted.ts'
import { integrationType } from '../type.ts'
import { type Attachment, deliver, type MailServer } from './deliver.ts'
import { type MailOperation, SmtpDefinition } from './definition.ts'
import { compileMail, isAddress, type Mail } from './mail.ts'

const PORT = 587
/** The most that the files of one mail may have together, in bytes. */
const MOST_ATTACHED = 10 * 1024 * 1024

/** `smtp`: a mail server. */
export const smtp = integrationType({
  definition: SmtpDefinition,
  compile(name, written, site, parts) {
    const { host, port = PORT, secure = 'starttls' } = written
    checkPlace({ host, port }, [name, 'host'], site, parts)
    for (const key of ['from', 'replyTo'] as const)
      if (written[key] !== undefined && !isAddress(written[key]))
        site.problem([name, key], 'is not exactly one address', 'Write it as post@example.org')
    const auth = compileAuth(written.auth, [name, 'auth'], site, parts)
    const authorities = compileAuthorities(written, [name], site, parts.files)
    const common = compileCommon(name, written, site, parts)
    const place = placeOf(written, { common, auth: auth ?? [], site, parts })
    const [password] = auth?.flatMap(({ secrets }) => secrets) ?? []
    const username = [written.auth ?? []].flat()[0]?.username
    const server = {
      outbound: parts.outbound,
      host,
      port,
      secure,
      authorities,
      auth: username !== undefined && password ? { username, password } : undefined,
    }
    const operations = compileOperations(written.operations, place, (operation, at) =>
      sendingOf(operation, written, server, at),
    )
    return auth && authorities && { ...common, auth, operations }
  },
})

function sendingOf(
  written: MailOperation,
  around: SmtpDefinition,
  server: Omit<MailServer, 'timeoutMs'>,
  place: SendingPlace,
): Sending | undefined {
  const mail = compileMail(written, around, place)
  if (mail === undefined) return undefined
  const { site, parts, timeoutMs } = place
  const url = `smtp://${server.host}:${server.port}`
  const domain = around.from.slice(around.from.lastIndexOf('@') + 1)
  return {
    expressions: mail.expressions,
    isRead: false,
    isRepeatable: true,
    make(_, context, shows) {
      const value = mail.make(context, shows)
      return {
        method: 'SEND',
        url,
        headers: {},
        body: { value: { ...value } as never, text: JSON.stringify(value) },
      }
    },
    show: ({ method, headers, body }) => ({ method, url, headers, body: body?.value ?? null }),
    tell: ({ body }) => ({ ...(body as object) }),
    async attempt({ body }, { runId, signal }) {
      const value = body?.value as unknown as Mail
      const attached = await attachmentsOf(value, site.model.name, parts)
      if ('failure' in attached) return attached
      const messageId = `<${runId}@${domain}>`
      const date = new Date(parts.env.now())
      return deliver(value, attached.files, { messageId, date, signal }, { ...server, timeoutMs })
    },
  }
}

/** The files of a mail, or why there are none. */
async function attachmentsOf(
  { attachments }: Mail,
  domain: string,
  { media }: Parts,
): Promise<{ readonly files: readonly Attachment[] } | Attempted> {
  const files: Attachment[] = []
  let left = MOST_ATTACHED
  for (const { media: id, filename } of attachments) {
    const opened = await media?.open(domain, id)
    if (opened === undefined) return unsent(`there is no file '${id.slice(0, 50)}'`)
    left -= opened.item.size
    if (left < 0) return unsent(`its files have more than ${MOST_ATTACHED} bytes`)
    const bytes = await opened.read()
    files.push({
      filename: filename ?? opened.item.filename,
      contentType: opened.item.mimeType,
      content: bytes instanceof Uint8Array ? Buffer.from(bytes) : await buffer(bytes),
    })
  }
  return { files }
}

const unsent = (message: string): Attempted => ({
  status: null,
  headers: {},
  response: null,
  durationMs: 0,
  failure: { kind: 'answer', message, mayHaveArrived: false },
})

/** Reports a place that nothing may connect to. */
function checkPlace(
  { host, port }: { readonly host: string; readonly port: number },
  path: Path,
  site: Site,
  { outbound }: Parts,
): void {
  const written = host.includes(':') ? `[${host}]` : host
  const fault = /[/?#@]/.test(host)
    ? { message: 'names no host', hint: 'Write a name, such as mail.example.org' }
    : outbound.judge(`https://${written}:${port}`)
  if (fault) site.problem(path, fault.message, fault.hint)
}
