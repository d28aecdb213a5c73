import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createUuidV7, systemEnvironment } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SECRET, secrets } from '../../../plugins/files/src/table.ts'
import { START } from '../../kit/clock.ts'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel } from '../../kit/test-kernel.ts'
import { FILES, PNG, RAW, rawForm } from './desk.ts'
import { bucketConfig, startBucket } from './places.ts'

const [store] = STORES
const TEXT_PART = ['Content-Disposition: form-data; name="f"; filename="a"', 'Content-Type: text/plain']

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a server with this section `files`; answers why it does not start. */
async function refusal(files: object): Promise<string> {
  try {
    const server = await startTestKernel({ store: store!, config: { files } })
    await server.stop()
    return 'it starts'
  } catch (error) {
    return (error as Error).message
  }
}

async function started(files: object) {
  const server = await startTestKernel({ store: store!, config: { files } })
  onTestFinished(() => server.stop())
  const { token } = await server.account('ann')
  const upload = (content: string, type = 'text/plain') =>
    server.request('POST', `${FILES}/upload`, {
      token,
      headers: RAW,
      body: rawForm([
        ['Content-Disposition: form-data; name="f"; filename="a"', `Content-Type: ${type}`],
        content,
      ]),
    })
  return { server, upload }
}

describe('the section files', () => {
  it.each<[object, RegExp]>([
    [{ allowed_types: ['png', 'qqq'] }, /allowed_types.*no extension that anybody knows/],
    [{ allowed_types: ['image/*', 'a b/c'] }, /allowed_types.*no media type/],
    [{ upload_roles: ['*'] }, /upload_roles.*name of a role/],
    [{ upload_roles: ['editor', '?'] }, /upload_roles.*name of a role/],
    [{ max_file_size: '10 tb' }, /max_file_size/],
    [{ max_file_size: 0 }, /max_file_size/],
    [{ root: 'files', s3: bucketConfig(1) }, /root.*s3/],
    [{ s3: { bucket: 'b' } }, /endpoint/],
    [{ rot: 'files' }, /root/],
  ])('[C1.1] %j ends the start', async (files, reason) => {
    expect(await refusal(files)).toMatch(reason)
  })

  it('[C1.1] a root that is named and cannot be created or written ends the start', async () => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    expect(await refusal({ root: file })).toMatch(/^files: the folder .* is no folder/)
    expect(await refusal({ root: join(file, 'below') })).toMatch(/^files: the folder .* is no folder/)
  })

  it.each(STORES)(
    '[C1.1] $name: a folder that nobody named and that cannot be made is a warning',
    async (on) => {
      const here = process.cwd()
      const folder = newFolder()
      writeFileSync(join(folder, 'files'), 'no folder')
      process.chdir(folder)
      onTestFinished(() => process.chdir(here))
      const server = await startTestKernel({ store: on, config: { files: {} } })
      onTestFinished(() => server.stop())
      const warned = server.log.filter(({ event }) => event === 'files.folder_not_writable')
      expect(warned).toMatchObject([
        {
          level: 'warn',
          fields: {
            folder: expect.stringMatching(/files$/),
            reason: 'is no folder',
            hint: expect.stringContaining('files.root'),
          },
        },
      ])
      expect((await server.request('GET', '/health/ready')).status).toBe(200)
      const { token } = await server.account('ann')
      const sent = { token, headers: RAW, body: rawForm([TEXT_PART, 'text']) }
      expect((await server.request('POST', `${FILES}/upload`, sent)).status).toBe(503)
    },
  )

  it('[C1.1] a folder that nobody named and that can be made is none', async () => {
    const here = process.cwd()
    process.chdir(newFolder())
    onTestFinished(() => process.chdir(here))
    const { server, upload } = await started({})
    expect((await upload('text')).status).toBe(201)
    expect(server.log.map(({ event }) => event)).not.toContain('files.folder_not_writable')
  })

  it.each(STORES)(
    'C1.12: $name: the first sweep takes nothing that is older than the database, which it names',
    async (on) => {
      const root = newFolder()
      const lay = (at: number): string => {
        const file = join(root, `2020/01/${createUuidV7({ ...systemEnvironment, now: () => at })()}.txt`)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, 'bytes')
        utimesSync(file, 0, 0)
        return file
      }
      const [foreign, own] = [lay(START - 1), lay(START + 1)]
      const server = await startTestKernel({ store: on, config: { files: { root } } })
      onTestFinished(() => server.stop())
      await expect.poll(() => existsSync(own)).toBe(false)
      await expect.poll(() => server.log.map(({ event }) => event)).toContain('files.older_than_database')
      const told = server.log.find(({ event }) => event === 'files.older_than_database')
      expect(told).toMatchObject({
        level: 'warn',
        fields: { files: 1, hint: expect.stringContaining('database') },
      })
      expect(existsSync(foreign)).toBe(true)
      // One that has not noted since when it knows of files has all of them for its own.
      const store = server.kernel.get(StoreCapability)
      const where = { op: 'eq', column: SECRET.id, value: 1 } as const
      await store.transaction((transaction) =>
        transaction.update({ table: secrets, set: { since: null }, where }),
      )
      const second = await startSecond(server.database, server.clock, [], { files: { root } })
      onTestFinished(() => second.stop())
      await expect.poll(() => existsSync(foreign)).toBe(false)
    },
  )

  it('[C1.1] a root that is not there is made', async () => {
    const { upload } = await started({ root: join(newFolder(), 'a/b') })
    expect((await upload('text')).status).toBe(201)
  })

  it.each([
    ['1.5 KB', 1536],
    [1000, 1000],
    ['900', 900],
    ['1kb', 1024],
  ])('[C1.1] max_file_size %j is %i bytes', async (max_file_size, bytes) => {
    const { upload } = await started({ root: newFolder(), max_file_size })
    expect((await upload('x'.repeat(bytes))).status).toBe(201)
    expect((await upload('x'.repeat(bytes + 1))).status).toBe(413)
  })

  it('[C1.1] types that are allowed may be ranges, types and extensions', async () => {
    const { upload } = await started({ root: newFolder(), allowed_types: ['.CSV', 'image/png', 'font/*'] })
    expect((await upload('a;b', 'text/csv')).status).toBe(201)
    expect((await upload('a;b', 'application/csv')).status).toBe(201)
    expect((await upload('text', 'text/plain')).status).toBe(422)
  })
})

describe('a bucket at the start', () => {
  it('[C1.13] that is not there, or refuses the key, ends it', async () => {
    const bucket = await startBucket(newFolder())
    onTestFinished(bucket.stop)
    expect(await refusal({ s3: bucketConfig(bucket.port, { bucket: 'others' }) })).toMatch(
      /^files: the bucket 'others' is not there/,
    )
    const wrong = await refusal({ s3: bucketConfig(bucket.port, { secret_access_key: 'wrong' }) })
    expect(wrong).toMatch(/^files: the bucket 'files' may not be used with this key/)
    expect(wrong).not.toContain('wrong')
  })

  it('[C1.13] that is out of reach is a warning, and everything is 503 until it is back', async () => {
    const folder = newFolder()
    const first = await startBucket(folder)
    await first.stop()
    const { server, upload } = await started({ s3: bucketConfig(first.port) })
    expect(server.log.map(({ event }) => event)).toContain('files.bucket_out_of_reach')
    expect((await upload('text')).status).toBe(503)
    const back = await startBucket(folder, first.port)
    onTestFinished(back.stop)
    const { status, body } = await upload('text')
    expect(status).toBe(201)
    expect((await server.request('GET', body.data.path)).body).toBe('text')
  })
})

it('[C1.3] no byte of the body is asked for before its sender is let in', async () => {
  const { server } = await started({ root: newFolder() })
  const url = `${server.kernel.get(HttpServerCapability).url()}${FILES}/upload`
  const sending = request(url, {
    method: 'POST',
    headers: { ...RAW, 'content-length': PNG.length, expect: '100-continue' },
  })
  let isAsked = false
  sending
    .on('error', () => undefined)
    .on('continue', () => (isAsked = true))
    .flushHeaders()
  const [response] = await once(sending, 'response')
  expect([response.statusCode, isAsked]).toEqual([401, false])
  sending.destroy()
})
