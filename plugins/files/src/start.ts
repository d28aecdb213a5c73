import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Accounts } from '@svc/auth/contract'
import { IDEMPOTENCY } from '@svc/domain/contract'
import { type Context, repeat, StartupError } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import type { FilesConfig } from './config.ts'
import type { Files, FindSignable } from './contract.ts'
import { createFiles } from './files.ts'
import { createAllowed } from './media-types/allowed.ts'
import { createOnce } from './once.ts'
import { Owners } from './owners.ts'
import { readingOf } from './reading.ts'
import { removeAction } from './remove.ts'
import { serveAction } from './serve.ts'
import { sharedAmong, signActions } from './sign.ts'
import { sizeOf } from './size.ts'
import type { ByteStore } from './stores/byte-store.ts'
import { createDiskStore } from './stores/disk.ts'
import { createSweep, SWEEP_PERIOD_MS } from './sweep.ts'
import { files as table, secrets } from './table.ts'
import { uploadAction } from './upload.ts'

export interface FilesContext extends Context {
  readonly config: FilesConfig
  readonly store: Store
  readonly accounts: Accounts
  /** Where another plugin keeps bytes. */
  readonly elsewhere: ByteStore | undefined
}

/** The folder where the configuration names none. */
const ROOT = 'files'
const NOWHERE =
  "Uploads are answered with 503: name a folder in 'files.root' that this process may write, or a bucket in 'files.s3'"

/** Makes the tables and the actions of files. Throws a StartupError where they cannot be kept where they should. */
export async function startFiles(context: FilesContext): Promise<Files> {
  const { config, store, accounts, env, log, actions, onOpen } = context
  const { bytes, ready } = await placeFor(context)
  await store.ensure([table, secrets, IDEMPOTENCY])
  const isPublic = config.serve_public
  const maxFileSize = sizeOf(config.max_file_size) ?? 0
  const isAllowed = createAllowed(config.allowed_types)
  const owners = new Owners()
  const signables: FindSignable[] = []
  const files = createFiles({ store, bytes, env, log, maxFileSize, isAllowed, owners, signables })
  const assertReadable = readingOf(owners, store, isPublic)
  const { secret, since } = await sharedAmong(store, env)
  actions.add(
    uploadAction(files, createOnce(store, env, accounts), config.upload_roles),
    serveAction(files, assertReadable, isPublic),
    removeAction(files, owners, accounts),
    ...signActions({ files, accounts, env, secret, isPublic, assertReadable, signables }),
  )
  const sweep = createSweep({ store, bytes, env, log, since })
  onOpen(async () => {
    await ready()
    return repeat(sweep, { firstMs: 0, everyMs: SWEEP_PERIOD_MS, log, failure: 'files.sweep_failed' })
  })
  return files
}

/** Where bytes are kept, and what makes sure that they can be. */
interface Place {
  readonly bytes: ByteStore
  /** Throws a StartupError where they cannot, and that ends the start. */
  ready(): Promise<void>
}

async function placeFor({ config, elsewhere, log, probe }: FilesContext): Promise<Place> {
  const { root, s3 } = config
  if (elsewhere !== undefined) {
    if (root === undefined && s3 === undefined) return { bytes: elsewhere, ready: async () => undefined }
    throw new StartupError(
      'files',
      'a plugin keeps the bytes of files, and the configuration names another place',
      "Leave 'files.root' and 'files.s3' out, or that plugin",
    )
  }
  if (s3 === undefined) {
    const folder = resolve(root ?? ROOT)
    return {
      bytes: createDiskStore(folder),
      async ready() {
        if (root !== undefined) makeRoot(folder)
        const fault = faultOf(folder)
        if (fault !== undefined)
          log.warn({ folder: fault.folder, reason: fault.reason, hint: NOWHERE }, 'files.folder_not_writable')
      },
    }
  }
  const { createS3Store } = await import('./stores/s3.ts')
  const bucket = createS3Store(s3)
  probe('files.s3', async () => void (await bucket.status()))
  return {
    bytes: bucket,
    async ready() {
      const status = await bucket.status().catch((error: unknown) => {
        log.warn({ err: error, bucket: s3.bucket }, 'files.bucket_out_of_reach')
        return undefined
      })
      if (status === 403 || status === 404)
        throw new StartupError(
          'files',
          `the bucket '${s3.bucket}' ${status === 404 ? 'is not there' : 'may not be used with this key'}`,
          "Correct 'files.s3'",
        )
    },
  }
}

/** Makes sure, before anything is changed, that the folder that was named can be used. Throws a StartupError. */
export function checkRoot({ root }: FilesConfig): void {
  const fault = root === undefined ? undefined : faultOf(resolve(root))
  if (fault !== undefined) throw refused(fault.folder, fault.reason, fault.cause)
}

/** Why files cannot be kept in a folder, or the folder be made; undefined where they can. */
function faultOf(wanted: string): { folder: string; reason: string; cause?: unknown } | undefined {
  const folder = nearest(wanted)
  if (!statSync(folder).isDirectory()) return { folder, reason: 'is no folder' }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (cause) {
    return { folder, reason: 'may not be written by this process', cause }
  }
}

/** The folder itself, or the one that it would be made in. */
function nearest(folder: string): string {
  const parent = dirname(folder)
  return existsSync(folder) || parent === folder ? folder : nearest(parent)
}

function makeRoot(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw refused(folder, 'cannot be made', error)
  }
}

const refused = (folder: string, reason: string, cause?: unknown) =>
  new StartupError('files', `the folder '${folder}' ${reason}`, "Correct 'files.root'", cause)
