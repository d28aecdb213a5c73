import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

/** Somewhere that files are kept during a test. */
export interface Place {
  /** The section `files` that leads there. */
  readonly config: object
  /** The names of all files of bytes that lie there, what is still coming included. */
  keys(): readonly string[]
  /** Makes the bytes of all that lies there so old, in milliseconds since 1970. */
  readonly folder: string
  /** Puts the place out of reach, and back. */
  takeAway(): Promise<void>
  bringBack(): Promise<void>
  drop(): Promise<void>
}

/** A kind of place. */
export interface PlaceUnderTest {
  readonly name: 'disk' | 's3'
  open(): Promise<Place>
}

export const BUCKET = 'files'
const KEY = 'S3RVER'

const newFolder = () => mkdtempSync(join(tmpdir(), 'svc-files-'))
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

/** Starts a storage that speaks S3 and checks signatures, on a port of its own unless one is given. */
export async function startBucket(folder: string, port = 0) {
  const server = new S3rver({
    address: '127.0.0.1',
    port,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  })
  const { port: taken } = await server.run()
  return { port: taken, stop: () => server.close() }
}

/** The section `files.s3` of a bucket on this machine. */
export const bucketConfig = (port: number, more: object = {}) => ({
  endpoint: `http://127.0.0.1:${port}`,
  bucket: BUCKET,
  access_key_id: KEY,
  secret_access_key: KEY,
  ...more,
})

/** Every kind of place in which files can be kept. */
export const PLACES: readonly PlaceUnderTest[] = [
  {
    name: 'disk',
    async open() {
      const folder = newFolder()
      const root = join(folder, 'root')
      const { mkdir, rename, rm, writeFile } = await import('node:fs/promises')
      await mkdir(root)
      return {
        config: { root },
        folder: root,
        keys: () => filesBelow(root),
        async takeAway() {
          await rename(root, `${root}.away`)
          await writeFile(root, 'a file where a folder was')
        },
        async bringBack() {
          await rm(root)
          await rename(`${root}.away`, root)
        },
        drop: async () => rmSync(folder, { recursive: true, force: true }),
      }
    },
  },
  {
    name: 's3',
    async open() {
      const folder = newFolder()
      let bucket = await startBucket(folder)
      const { port } = bucket
      return {
        config: { s3: bucketConfig(port, { prefix: 'kept/here' }) },
        folder: join(folder, BUCKET),
        keys: () =>
          filesBelow(join(folder, BUCKET))
            .filter((name) => name.endsWith('._S3rver_object'))
            .map((name) => name.replace(/^kept\/here\//, '').replace(/\._S3rver_object$/, '')),
        takeAway: () => bucket.stop(),
        async bringBack() {
          bucket = await startBucket(folder, port)
        },
        async drop() {
          await bucket.stop().catch(() => undefined)
          rmSync(folder, { recursive: true, force: true })
        },
      }
    },
  },
]
