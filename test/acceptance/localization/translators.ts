import type { SendRequest, TestAnswer } from '../../kit/request.ts'

/** What a translator sends, as a form with one file. */
export function sendFile(
  request: SendRequest,
  token: string,
  content: string | Uint8Array,
  query = '',
  domain = 'shop',
  headers: Readonly<Record<string, string>> = {},
): Promise<TestAnswer> {
  const boundary = '----translator'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="texts"\r\nContent-Type: application/octet-stream\r\n\r\n`
  const body = Buffer.concat([
    Buffer.from(head),
    typeof content === 'string' ? Buffer.from(content) : content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return request('POST', `/api/v1/${domain}/localization/import${query}`, {
    token,
    body: new Uint8Array(body),
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
  })
}

/** The text of an export. */
export async function exported(
  request: SendRequest,
  token: string,
  query: string,
  domain = 'shop',
): Promise<string> {
  const { status, body } = await request('GET', `/api/v1/${domain}/localization/export?${query}`, { token })
  if (status !== 200) throw new Error(`the export failed: ${JSON.stringify(body)}`)
  return typeof body === 'string' ? body : JSON.stringify(body)
}
