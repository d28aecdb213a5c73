import { once } from 'node:events'
import { request } from 'node:http'
import { type Action, type Call, createKernel, definePlugin } from '@svc/kernel'
import { expect, test } from 'vitest'
import { formOf, uploadOf } from './contract.ts'
import { start } from './fixtures/start.ts'

const MEGABYTE = 1024 * 1024

/** An action that answers what it was sent; what it was given by then it tells even where reading fails. */
function keeping(limit = MEGABYTE) {
  const seen = { size: 0 }
  const action: Action = {
    name: 'upload',
    access: ['*'],
    routes: ['POST /files'],
    rawBody: formOf(limit),
    async handle(_, call: Call) {
      seen.size = 0
      const upload = await uploadOf(call)
      const chunks: Uint8Array[] = []
      for await (const chunk of upload) {
        seen.size += chunk.length
        chunks.push(chunk)
      }
      const { filename, type } = upload
      return { filename, type, size: seen.size, text: Buffer.concat(chunks).toString('latin1').slice(0, 100) }
    },
  }
  return { action, seen }
}

const TYPE = 'multipart/form-data; boundary=XX'
const part = (headers: readonly string[], content: string) =>
  `--XX\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${content}\r\n`
const file = (content = 'bytes', more: readonly string[] = ['Content-Type: image/png']) =>
  part(['Content-Disposition: form-data; name="a"; filename="a.png"', ...more], content)
const field = (name: string, content = 'value') =>
  part([`Content-Disposition: form-data; name="${name}"`], content)
const END = '--XX--\r\n'

async function send(body: string | FormData, headers: Record<string, string> = {}, limit?: number) {
  const { action, seen } = keeping(limit)
  const { ask } = await start([action])
  const type = typeof body === 'string' ? { 'content-type': TYPE } : {}
  const response = await ask('/files', { method: 'POST', body, headers: { ...type, ...headers } })
  // Tests look into answers whose shape is the very thing under test.
  const answer = (await response.json()) as any
  return { status: response.status, answer, seen }
}

test('the one file of a form is read as it is, under whatever name', async () => {
  const form = new FormData()
  form.append('anything', new Blob(['some bytes'], { type: 'image/png' }), 'ä b.png')
  const { status, answer } = await send(form)
  expect([status, answer.data]).toEqual([
    200,
    { filename: 'ä b.png', type: 'image/png', size: 10, text: 'some bytes' },
  ])
})

test('a boundary in its data, an empty file and one without a type are files too', async () => {
  const tricky = 'a\r\n--XY\r\n-XX\r\n--X\r\n\r\n--\r\n'
  expect((await send(file(tricky) + END)).answer.data).toMatchObject({ text: tricky })
  expect((await send(file('') + END)).answer.data).toMatchObject({ size: 0 })
  expect((await send(file('x', []) + END)).answer.data).toMatchObject({ type: 'text/plain' })
})

test('other fields are ignored with a warning, before and behind the file', async () => {
  const { status, answer } = await send(field('title') + file() + field('size', '5') + END)
  expect([status, answer.data.text]).toEqual([200, 'bytes'])
  expect(answer.warnings.map(({ message }: { message: string }) => message)).toEqual([
    "The form field 'title' is not known here: it was ignored",
    "The form field 'size' is not known here: it was ignored",
  ])
  const strict = await send(file() + field('size') + END, { prefer: 'handling=strict' })
  expect([strict.status, strict.answer.error_code]).toEqual([400, 'INVALID_QUERY'])
})

test.each([
  ['no file', field('title') + END, 'required'],
  ['no part', END, 'required'],
  ['a second file', file() + file() + END, 'items'],
])('%s is 422 on file', async (_, body, rule) => {
  const { status, answer } = await send(body)
  expect([status, answer.error_code]).toEqual([422, 'VALIDATION_ERROR'])
  expect(answer.errors).toEqual([{ field: 'file', rule, message: 'must be one file' }])
})

const disposition = 'Content-Disposition: form-data; name="a"; filename="a.png"'
test.each([
  ['cut off in its file', file('bytes').slice(0, -4)],
  ['cut off before its end', file('bytes')],
  ['cut off in a header', '--XX\r\nContent-Dispo'],
  ['of more than 20 parts', field('a').repeat(20) + file() + END],
  ['with long headers', part([disposition, `X-Long: ${'x'.repeat(17 * 1024)}`], 'bytes') + END],
  ['with long headers behind the file', file() + part([`X-Long: ${'x'.repeat(17 * 1024)}`], '') + END],
  ['with headers without end', `--XX\r\nX-Long: ${'x'.repeat(600_000)}`],
  ['without a form', 'hello'],
  ['that is empty', ' '],
])('a body %s is 400', async (_, body) => {
  const { status, answer } = await send(body)
  expect([status, answer.error_code]).toEqual([400, 'BAD_REQUEST'])
})

test('20 parts, and 15 KiB of headers, are taken', async () => {
  expect((await send(field('a').repeat(19) + file() + END)).status).toBe(200)
  const long = part([disposition, `X-Long: ${'x'.repeat(15 * 1024)}`], 'bytes')
  expect((await send(long + END)).status).toBe(200)
})

test('without a boundary it is 400, and as anything else 415', async () => {
  expect((await send(file() + END, { 'content-type': 'multipart/form-data' })).status).toBe(400)
  for (const type of ['application/json', 'image/png', 'multipart/mixed; boundary=XX'])
    expect((await send(file() + END, { 'content-type': type })).status).toBe(415)
  expect((await send(file() + END, { 'content-encoding': 'gzip' })).status).toBe(415)
})

test('what grows past the limit on its way is 413, and ends the reading', async () => {
  const { action, seen } = keeping(100_000)
  const { url } = await start([action])
  const sending = request(`${url()}/files`, { method: 'POST', headers: { 'content-type': TYPE } })
  sending.on('error', () => undefined)
  sending.write(file('').slice(0, -2))
  const writing = setInterval(() => sending.write('x'.repeat(20_000)), 1)
  const [response] = await once(sending, 'response')
  clearInterval(writing)
  expect(response.statusCode).toBe(413)
  expect(seen.size).toBeLessThanOrEqual(100_000)
  response.resume()
})

test('a handler that leaves early is answered for, and the connection serves on', async () => {
  const leaving: Action = {
    ...keeping().action,
    async handle(_, call: Call) {
      const upload = await uploadOf(call)
      for await (const chunk of upload) if (chunk.length > 0) break
      return 'left'
    },
  }
  const { ask } = await start([leaving])
  const body = file('x'.repeat(500_000)) + END
  for (let at = 0; at < 3; at += 1) {
    const response = await ask('/files', { method: 'POST', body, headers: { 'content-type': TYPE } })
    expect(await response.json()).toMatchObject({ data: 'left' })
  }
})

test('who calls inside the process gives the bytes of the file alone', async () => {
  const { action } = keeping()
  const plugin = definePlugin({ name: 'one', phase: 'domain', setup: ({ actions }) => actions.add(action) })
  let data: unknown
  const caller = definePlugin({
    name: 'two',
    phase: 'scripting',
    setup: ({ call, onOpen }) =>
      onOpen(async () => {
        data = await call('upload', {}, { bytes: Buffer.from('direct'), type: 'image/png' })
      }),
  })
  const kernel = createKernel({ plugins: [plugin, caller], config: {} })
  await kernel.start()
  await kernel.stop()
  expect(data).toEqual({ type: 'image/png', size: 6, text: 'direct' })
})
