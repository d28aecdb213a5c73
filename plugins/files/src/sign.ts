import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Accounts, callerOf } from '@svc/auth/contract'
import { type Action, type Caller, defineAction, type Environment, errors } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { z } from 'zod'
import type { Files, FindSignable, Signable } from './contract.ts'
import { filesErrors } from './errors.ts'
import { BASE, BASES, placeOf } from './place.ts'
import type { AssertReadable } from './reading.ts'
import { fileAt, serve } from './serve.ts'
import { secrets } from './table.ts'

const SECRET_BYTES = 32

/** What all servers of a database share. */
export interface Shared {
  /** What signs addresses. */
  readonly secret: Buffer
  /** Since when the database knows of files, in milliseconds since 1970; 0 where nobody has noted it. */
  readonly since: number
}

/** What is the same on all servers of a database: whoever comes first makes it. */
export async function sharedAmong(store: Store, env: Environment): Promise<Shared> {
  const fresh = Buffer.from(env.randomBytes(SECRET_BYTES)).toString('base64url')
  const read = () =>
    store.select({ table: secrets, columns: secrets.columns, where: { op: 'always' }, order: [], limit: 1 })
  let [row] = await read()
  if (row === undefined) {
    const values = { id: 1, secret: fresh, since: new Date(env.now()).toISOString() }
    await store.transaction((transaction) =>
      transaction.insert({ table: secrets, values, onConflict: 'ignore' }),
    )
    ;[row] = await read()
  }
  return {
    secret: Buffer.from(String(row?.['secret']), 'base64url'),
    since: Date.parse(String(row?.['since'] ?? new Date(0).toISOString())),
  }
}

export interface SignParts {
  readonly files: Files
  readonly accounts: Accounts
  readonly env: Environment
  readonly secret: Buffer
  readonly isPublic: boolean
  readonly assertReadable: AssertReadable
  /** Those who answer addresses of their own that can be signed. */
  readonly signables: readonly FindSignable[]
}

const signInput = z.strictObject({
  path: z
    .string()
    .describe('The path of a file, as its upload has answered it, or that of the download of a document'),
  expires_in: z.int().min(1).max(86_400).default(300).describe('For how many seconds the address is good'),
})

const signOutput = z.strictObject({
  url: z.string().describe('Where the file is read without a token'),
  expires_at: z.iso.datetime(),
})

const signedInput = z.strictObject({
  path: z.string(),
  signer: z.string(),
  expires: z.string(),
  signature: z.string(),
})

/** Makes the actions that give out addresses for which nobody needs a token, and that answer them. */
export function signActions({
  files,
  accounts,
  env,
  secret,
  isPublic,
  assertReadable,
  signables,
}: SignParts): readonly Action[] {
  const signable = signableAt({ files, isPublic, assertReadable, signables })
  const signatureOf = (path: string, signer: string, expires: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([path, signer, expires]))
      .digest()

  const sign = defineAction<z.output<typeof signInput>>({
    name: 'files.sign',
    summary: 'Make an address at which a file can be read without a token for a while',
    access: ['authenticated'],
    routes: BASES.map((base) => `POST ${base}/sign` as const),
    input: signInput,
    output: signOutput,
    async handle({ path, expires_in }, { caller }) {
      const key = keyBehind(path)
      await (await signable(key)).assertReadable(caller)
      const signer = await signerOf(caller, accounts)
      const until = env.now() + expires_in * 1000
      const expires = String(until)
      const signature = signatureOf(key, signer, expires).toString('base64url')
      const query = new URLSearchParams({ signer, expires, signature })
      return { url: `${BASE}/signed/${key}?${query}`, expires_at: new Date(until).toISOString() }
    },
  })

  const signed = defineAction<z.output<typeof signedInput>>({
    name: 'files.signed',
    summary: 'Read a file at an address that was signed',
    access: ['*'],
    routes: BASES.map((base) => `GET ${base}/signed/*path` as const),
    // A signature that lacks something is one that was changed.
    bind: ({ params, query: { signer = '', expires = '', signature = '' } }) => ({
      ...params,
      signer,
      expires,
      signature,
    }),
    input: signedInput,
    notes: {
      direct: true,
      query: ['signer', 'expires', 'signature'],
      openapi: { type: '*/*', bytes: true },
    },
    async handle({ path, signer, expires, signature }, call) {
      const given = Buffer.from(signature, 'base64url')
      const right = signatureOf(path, signer, expires)
      const isRight = given.length === right.length && timingSafeEqual(given, right)
      if (!isRight || given.toString('base64url') !== signature) throw filesErrors.TOKEN_INVALID()
      if (Number(expires) <= env.now()) throw filesErrors.TOKEN_EXPIRED()
      const account = await accounts.find(signer)
      if (account === undefined) throw filesErrors.TOKEN_INVALID()
      if (account.status === 'suspended') throw filesErrors.USER_SUSPENDED()
      const found = await signable(path)
      await found.assertReadable(callerOf(account))
      return found.serve(call)
    },
  })

  return [sign, signed]
}

/** What of a path stands in a signed address: of a file its key, of anything else the path without its slash. Throws NOT_FOUND. */
function keyBehind(path: string): string {
  const base = BASES.find((one) => path.startsWith(`${one}/`))
  if (base !== undefined) return path.slice(base.length + 1)
  if (path.startsWith('/') && placeOf(path.slice(1)) === undefined) return path.slice(1)
  throw errors.NOT_FOUND({ message: 'No file has this path' })
}

/** Finds what a signed address names. It throws NOT_FOUND. */
const signableAt =
  ({ files, isPublic, assertReadable, signables }: Omit<SignParts, 'accounts' | 'env' | 'secret'>) =>
  async (key: string): Promise<Signable> => {
    for (const find of signables) {
      const found = await find(`/${key}`)
      if (found !== undefined) return found
    }
    const file = await fileAt(files, key)
    return {
      assertReadable: (caller) => assertReadable(file, caller),
      serve: (call) => serve(files, file, call, isPublic),
    }
  }

/** The id of the account in whose name an address is signed. Throws FORBIDDEN for who has none. */
async function signerOf({ id }: Caller, accounts: Accounts): Promise<string> {
  const account = id === null ? undefined : await accounts.find(id)
  if (account?.id !== id || id === null)
    throw errors.FORBIDDEN({ message: 'Addresses are signed in the name of an account: sign in as a user' })
  return id
}
